// Takes a CPU profile of a running Node process through its inspector.

export interface CallFrame {
  functionName: string;
  url: string;
}

export interface ProfileNode {
  id: number;
  callFrame: CallFrame;
  children?: number[];
}

export interface CpuProfile {
  nodes: ProfileNode[];
  samples: number[];
  /** Microseconds between consecutive samples. */
  timeDeltas: number[];
}

const SAMPLE_MICROS = 250;

/** Profiles the process at `inspector` while `work` runs. */
export async function profileWhile(inspector: string, work: () => Promise<void>): Promise<CpuProfile> {
  const socket = new WebSocket(inspector);
  const pending = new Map<number, (result: unknown) => void>();
  let lastId = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown };
    pending.get(id)?.(result);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`no inspector at ${inspector}`)));
  });
  const call = (method: string, params = {}) =>
    new Promise((resolve) => {
      pending.set(++lastId, resolve);
      socket.send(JSON.stringify({ id: lastId, method, params }));
    });
  await call('Profiler.enable');
  await call('Profiler.setSamplingInterval', { interval: SAMPLE_MICROS });
  await call('Profiler.start');
  await work();
  const { profile } = (await call('Profiler.stop')) as { profile: CpuProfile };
  socket.close();
  return profile;
}
