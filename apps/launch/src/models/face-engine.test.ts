// The engine with a fake worker: ids, progress, one watch at a time, crashes and restarts.
import { describe, expect, it, vi } from 'vitest';
import type { FrameReport } from '../face/index.ts';
import type { WorkerLike } from './call-worker.ts';
import { createFaceEngine, type FaceEngine } from './face-engine.ts';
import type { Call, FromWorker, ToWorker } from './messages.ts';

const REPORT: FrameReport = { people: 0, face: null, problems: ['no_face'], advice: null };
const WANT = { roles: ['detect'] as const, manifestHash: 'abc' };
const makeFrame = () => ({ width: 1, height: 1, data: new Uint8ClampedArray(4) }) as ImageData;

type Answer = (call: Call, reply: (message: FromWorker) => void) => void;

const answerAll: Answer = (call, reply) => {
  const values: Partial<Record<Call['name'], unknown>> = { load: new Map(), watch: REPORT, tie: 'tied' };
  const value = (values[call.name] ?? null) as null;
  reply({ id: call.id, value });
};

interface FakeWorkerRecord {
  received: ToWorker[];
  transferred: Transferable[];
  terminated: boolean;
  emit(name: string, data?: unknown): void;
}

/** Records every worker that the engine starts, and its messages. */
function makeWorkers(answer: Answer = answerAll, cores = 1) {
  const workers: FakeWorkerRecord[] = [];
  const startWorker = () => {
    const takers = new Map<string, (event: { data: unknown }) => void>();
    const received: ToWorker[] = [];
    const worker: FakeWorkerRecord & WorkerLike = {
      received,
      transferred: [],
      terminated: false,
      emit: (name: string, data?: unknown) => takers.get(name)?.({ data }),
      terminate: () => {
        worker.terminated = true;
      },
      addEventListener: (name: string, take: (event: { data: unknown }) => void) => void takers.set(name, take),
      postMessage(message: unknown, transfer: Transferable[]) {
        received.push(message as ToWorker);
        worker.transferred = transfer;
        const reply = (data: FromWorker) => queueMicrotask(() => worker.emit('message', data));
        if ('id' in (message as object)) answer(message as Call, reply);
      },
    };
    workers.push(worker);
    return worker;
  };
  const timers = new Set<() => void>();
  const after = (_delayMs: number, callback: () => void) => {
    timers.add(callback);
    return () => timers.delete(callback);
  };
  const passSeconds = (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      for (const callback of [...timers]) {
        timers.delete(callback);
        callback();
      }
    }
  };
  const engine = createFaceEngine({ modelsUrl: 'http://localhost/launch/models/', startWorker, after, cores });
  return { engine, workers, timers, passSeconds };
}

describe('load', () => {
  it('requests the roles and forwards the progress', async () => {
    const { engine, workers } = makeWorkers((call, reply) => {
      reply({ id: call.id, share: 0.5 });
      answerAll(call, reply);
    });
    const onProgress = vi.fn();
    await engine.load({ ...WANT, onProgress });
    expect(onProgress.mock.calls).toEqual([[0.5]]);
    expect(workers[0]?.received).toEqual([
      { id: 1, name: 'load', ...WANT, modelsUrl: 'http://localhost/launch/models/', workers: 1 },
    ]);
  });

  it('reuses one worker for later loads', async () => {
    const { engine, workers } = makeWorkers();
    await engine.load(WANT);
    await engine.load({ ...WANT, roles: ['eye'] });
    await engine.watch(makeFrame());
    expect(workers).toHaveLength(1);
  });

  it('rejects with a code and starts a new worker on the next call', async () => {
    const failure = { code: 'offline', message: '' } as const;
    const { engine, workers } = makeWorkers((call, reply) => reply({ id: call.id, failure }));
    await expect(engine.load(WANT)).rejects.toMatchObject({ name: 'ModelLoadError', code: 'offline' });
    expect(workers[0]?.terminated).toBe(true);
    await expect(engine.load(WANT)).rejects.toMatchObject({ code: 'offline' });
    expect(workers).toHaveLength(2);
  });

  it('keeps the worker if only an additional load failed', async () => {
    const failure = { code: 'offline', message: '' } as const;
    const { engine, workers } = makeWorkers((call, reply) => {
      if (call.name === 'load' && call.roles.includes('eye')) reply({ id: call.id, failure });
      else answerAll(call, reply);
    });
    await engine.load(WANT);
    await expect(engine.load({ ...WANT, roles: ['eye'] })).rejects.toMatchObject({ code: 'offline' });
    expect(await engine.watch(makeFrame())).toEqual(REPORT);
    expect(workers).toHaveLength(1);
  });

  it('fails all first loads with the same code', async () => {
    const failure = { code: 'offline', message: '' } as const;
    const { engine, workers } = makeWorkers((call, reply) => {
      if (call.id === 1) reply({ id: call.id, failure });
    });
    const both = [engine.load(WANT), engine.load({ ...WANT, roles: ['eye'] })];
    for (const load of both) await expect(load).rejects.toMatchObject({ code: 'offline' });
    expect(workers.map(({ terminated }) => terminated)).toEqual([true]);
  });

  it('does not touch a frame while it is being watched', async () => {
    const failure = { code: 'failed', message: '' } as const;
    let answer = () => {};
    const { engine, workers } = makeWorkers((call, reply) => {
      if (call.name === 'watch') answer = () => reply({ id: call.id, value: REPORT });
      else if (call.name === 'load' && call.roles.includes('eye')) reply({ id: call.id, failure });
      else answerAll(call, reply);
    });
    await engine.load(WANT);
    const watching = engine.watch(makeFrame());
    await expect(engine.load({ ...WANT, roles: ['eye'] })).rejects.toMatchObject({ code: 'failed' });
    answer();
    expect(await watching).toEqual(REPORT);
    expect(workers).toHaveLength(1);
  });
});

describe('watch', () => {
  it('rejects a second frame while one is being watched', async () => {
    const { engine } = makeWorkers();
    await engine.load(WANT);
    const close = vi.fn();
    const first = engine.watch(makeFrame());
    await expect(engine.watch({ width: 1, height: 1, close } as ImageBitmap)).rejects.toThrow('watched already');
    expect(close).toHaveBeenCalledOnce();
    expect(await first).toEqual(REPORT);
    expect(await engine.watch(makeFrame())).toEqual(REPORT);
  });

  it('rejects if nothing was loaded', async () => {
    const { engine } = makeWorkers();
    await expect(engine.watch(makeFrame())).rejects.toThrow('not loaded');
    await expect(engine.examine({ age: true, embedding: false })).rejects.toThrow('not loaded');
  });

  it('closes the picture if the worker is gone', async () => {
    const { engine } = makeWorkers();
    const close = vi.fn();
    await expect(engine.watch({ width: 1, height: 1, close } as ImageBitmap)).rejects.toThrow('not loaded');
    expect(close).toHaveBeenCalledOnce();
  });

  it('passes the id of the frame to tie', async () => {
    const { engine, workers } = makeWorkers();
    await engine.load(WANT);
    await engine.watch(makeFrame());
    expect(await engine.tie({ isAhead: true })).toBe('unseen');
    engine.forget();
    expect(workers[0]?.received.slice(-2)).toEqual([{ id: 3, name: 'giveFrame', watched: 2 }, { name: 'forget' }]);
  });

  it('rejects with the error of the worker', async () => {
    const { engine } = makeWorkers((call, reply) => {
      if (call.name === 'load') return answerAll(call, reply);
      reply({ id: call.id, failure: { code: null, message: 'A frame of the wrong size' } });
    });
    await engine.load(WANT);
    await expect(engine.watch(makeFrame())).rejects.toThrow('A frame of the wrong size');
    await expect(engine.watch(makeFrame())).rejects.toThrow('A frame of the wrong size');
  });
});

describe('two workers', () => {
  const SEEN = { frame: { width: 1, height: 1, data: new Uint8ClampedArray(4) }, reading: { score: 1 } };
  const ALL = ['detect', 'landmarks', 'eye', 'embedding', 'liveness'] as const;
  /** Lists the messages that each worker received, including notices. */
  const listMessageNames = ({ workers }: ReturnType<typeof makeWorkers>) =>
    workers.map(({ received }) => received.map((message) => message.name));
  const answerSeen: Answer = (call, reply) => {
    if (call.name !== 'giveFrame') return answerAll(call, reply);
    const frame = { ...SEEN.frame, data: new Uint8ClampedArray(4).fill(9) };
    reply({ id: call.id, value: { ...SEEN, frame } as never });
  };

  it('guide and examine separately, transfer frames between them, and both forget', async () => {
    const made = makeWorkers(answerSeen, 2);
    const { engine, workers } = made;
    await engine.load({ ...WANT, roles: ALL });
    expect(workers.map(({ received }) => received)).toMatchObject([
      [{ roles: ['detect', 'landmarks', 'eye'] }],
      [{ roles: ['embedding', 'liveness'] }],
    ]);
    await engine.watch(makeFrame());
    expect(await engine.tie({ isAhead: true })).toBe('tied');
    expect(workers[1]?.received.at(-1)).toMatchObject({ name: 'tie', reading: SEEN.reading, isAhead: true });
    await engine.examine({ age: true, embedding: false });
    engine.forget();
    engine.close();
    expect(listMessageNames(made)).toEqual([
      ['load', 'watch', 'giveFrame', 'forget'],
      ['load', 'tie', 'examine', 'forget'],
    ]);
    expect(workers.map(({ terminated }) => terminated)).toEqual([true, true]);
  });

  it('overwrite and do not tie a frame that is forgotten in transit', async () => {
    let give = () => {};
    const data = new Uint8ClampedArray(4).fill(9);
    const made = makeWorkers((call, reply) => {
      const value = { ...SEEN, frame: { ...SEEN.frame, data } } as never;
      if (call.name === 'giveFrame') give = () => reply({ id: call.id, value });
      else answerAll(call, reply);
    }, 2);
    await made.engine.load({ ...WANT, roles: ALL });
    await made.engine.watch(makeFrame());
    const tying = made.engine.tie({ isAhead: true });
    made.engine.forget();
    give();
    expect(await tying).toBe('unseen');
    expect([...data]).toEqual([0, 0, 0, 0]);
    expect(listMessageNames(made)[1]).toEqual(['load', 'forget']);
  });

  it('read documents in one worker, with all its models', async () => {
    const { engine, workers } = makeWorkers(answerAll, 2);
    const roles = ['document_text', 'detect', 'landmarks', 'embedding'] as const;
    await engine.load({ ...WANT, roles });
    expect(workers.map(({ received }) => received)).toMatchObject([[], [{ roles }]]);
    await engine.lookAtDocument(makeFrame());
    expect(workers[1]?.received.at(-1)).toMatchObject({ name: 'lookAtDocument' });
  });

  it('fetch later models after the guidance models, and report the slower progress', async () => {
    let answer = (_: FromWorker) => {};
    const { engine, workers } = makeWorkers((call, reply) => {
      if (call.name === 'load' && call.roles.includes('detect')) answer = reply;
      else answerAll(call, reply);
    }, 2);
    const shares: number[] = [];
    const first = engine.load({ ...WANT, onProgress: (share) => shares.push(share) });
    const answerFirst = answer;
    const later = engine.load({ ...WANT, roles: ['embedding'] });
    answerFirst({ id: 1, share: 0.5 });
    await new Promise((resolve) => setTimeout(resolve));
    expect(workers[1]?.received).toEqual([]);
    answerFirst({ id: 1, share: 0.99 });
    await later;
    expect(workers[1]?.received).toMatchObject([{ roles: ['embedding'] }]);
    expect(shares).toEqual([0.5, 0.99]);
    answerFirst({ id: 1, value: new Map() });
    await first;
  });

  it('share the cores', async () => {
    const { engine, workers } = makeWorkers(answerAll, 2);
    await engine.load({ ...WANT, roles: ALL });
    expect(workers.map(({ received }) => received)).toMatchObject([[{ workers: 2 }], [{ workers: 2 }]]);
  });

  it.each([0, 1])('replace a dead worker, keep the other one, and forget the person: worker %i', async (which) => {
    const { engine, workers } = makeWorkers(answerSeen, 2);
    await engine.load({ ...WANT, roles: ALL });
    await engine.watch(makeFrame());
    const before = engine.epoch();
    workers[which]?.emit('error');
    await expect(engine.watch(makeFrame())).rejects.toThrow('not loaded');
    expect(engine.epoch()).toBe(before);
    await engine.load({ ...WANT, roles: ALL });
    expect(engine.epoch()).not.toBe(before);
    const [first, second] = workers.map(({ terminated }) => terminated);
    expect([workers.length, first, second, workers[2]?.terminated]).toEqual([3, which === 0, which === 1, false]);
    // The earlier frame belongs to no current person.
    await engine.tie({ isAhead: true });
    expect(workers[which === 0 ? 2 : 0]?.received.at(-1)).toMatchObject({ name: 'giveFrame', watched: 0 });
    await engine.load({ ...WANT, roles: ALL });
    expect(engine.epoch()).toBe(before + 1);
  });

  it('replace a worker whose first load failed, whatever the other one loaded', async () => {
    const failure = { code: 'failed', message: '' } as const;
    let fails = true;
    const { engine, workers } = makeWorkers((call, reply) => {
      if (fails && call.name === 'load' && call.roles.includes('embedding')) reply({ id: call.id, failure });
      else answerAll(call, reply);
    }, 2);
    await engine.load(WANT);
    await expect(engine.load({ ...WANT, roles: ALL })).rejects.toMatchObject({ code: 'failed' });
    expect(workers.map(({ terminated }) => terminated)).toEqual([false, true]);
    fails = false;
    await engine.load({ ...WANT, roles: ALL });
    expect(workers.map(({ terminated }) => terminated)).toEqual([false, true, false]);
    // A worker with a successful load is kept when a later load fails.
    fails = true;
    await expect(engine.load({ ...WANT, roles: ALL })).rejects.toMatchObject({ code: 'failed' });
    expect(workers.map(({ terminated }) => terminated)).toEqual([false, true, false]);
  });

  it('keep the full time limit for a loading worker when the other one failed', async () => {
    const failure = { code: 'failed', message: '' } as const;
    const { engine, workers, passSeconds } = makeWorkers((call, reply) => {
      if (call.name === 'load' && call.roles.includes('embedding')) reply({ id: call.id, failure });
    }, 2);
    await expect(engine.load({ ...WANT, roles: ALL })).rejects.toMatchObject({ code: 'failed' });
    passSeconds(119);
    expect(workers.map(({ terminated }) => terminated)).toEqual([false, true]);
  });

  it('retry models that the service does not have yet, while the other worker guides', async () => {
    const failure = { code: 'unready', message: '' } as const;
    const { engine, workers } = makeWorkers((call, reply) => {
      if (call.name === 'load' && call.roles.includes('embedding')) reply({ id: call.id, failure });
      else answerAll(call, reply);
    }, 2);
    await engine.load(WANT);
    await expect(engine.load({ ...WANT, roles: ALL })).rejects.toMatchObject({ code: 'unready' });
    expect(await engine.watch(makeFrame())).toEqual(REPORT);
    expect(workers.map(({ terminated }) => terminated)).toEqual([false, false]);
  });

  it('do not time out a queued load while the first one makes progress', async () => {
    let tell = (_: number) => {};
    const { engine, workers, passSeconds } = makeWorkers((call, reply) => {
      if (call.id === 1) tell = (share) => reply({ id: call.id, share });
    }, 2);
    const loads = [['embedding'], ['liveness']] as const;
    const ends = loads.map((roles) => expect(engine.load({ ...WANT, roles })).rejects.toThrow('does not answer'));
    await expect.poll(() => workers[1]?.received).toHaveLength(2);
    for (const share of [0.25, 0.5]) {
      passSeconds(100);
      tell(share);
      await new Promise((resolve) => setTimeout(resolve));
    }
    passSeconds(119);
    expect(workers[1]?.terminated).toBe(false);
    passSeconds(2);
    await Promise.all(ends);
  });

  it('merge the statistics of both workers', async () => {
    const { engine } = makeWorkers((call, reply) => {
      if (call.name !== 'describe') return answerAll(call, reply);
      const value = { threads: 1, roles: { detect: 'own' }, work: { detect: { runs: 2, ms: 10 } } } as const;
      reply({ id: call.id, value });
    }, 2);
    await engine.load({ ...WANT, roles: ALL });
    expect(await engine.describe()).toEqual({
      ...{ threads: 1, roles: { detect: 'own' } },
      work: { detect: { runs: 4, ms: 20 } },
    });
  });

  it('fall back to one worker if the second never started, and reject pending calls', async () => {
    const made = makeWorkers((call, reply) => {
      if (call.name !== 'load' || call.roles.includes('detect')) answerAll(call, reply);
    }, 2);
    const loading = expect(made.engine.load({ ...WANT, roles: ALL })).rejects.toMatchObject({ code: 'unstarted' });
    await expect.poll(() => made.workers[1]?.received).toHaveLength(1);
    made.workers[1]?.emit('error');
    await loading;
    await made.engine.load({ ...WANT, roles: ALL });
    expect(listMessageNames(made)).toEqual([['load', 'load'], ['load']]);
    expect(made.workers[0]?.received.at(-1)).toMatchObject({ roles: ALL, workers: 1 });
  });

  it('fall back to one idle worker if the second never started', async () => {
    const made = makeWorkers((call, reply) => {
      if (made.workers[1]?.terminated) answerAll(call, reply);
    }, 2);
    const loading = expect(made.engine.load({ ...WANT, roles: ['document_text'] })).rejects.toThrow('unstarted');
    await expect.poll(() => made.workers[1]?.received).toHaveLength(1);
    made.workers[1]?.emit('error');
    await loading;
    await made.engine.load({ ...WANT, roles: ['document_text'] });
    expect(listMessageNames(made)).toEqual([['load'], ['load']]);
  });

  it('reject the first call to a worker that died earlier', async () => {
    const { engine, workers } = makeWorkers(answerAll, 2);
    const loading = engine.load({ ...WANT, roles: ALL });
    workers[1]?.emit('error');
    await expect(loading).rejects.toMatchObject({ name: 'ModelLoadError', code: 'unstarted' });
  });

  it('end a worker that hangs during a load, although the other one responds', async () => {
    const { engine, workers, passSeconds } = makeWorkers((call, reply) => {
      if (call.name !== 'load' || call.roles.includes('detect')) answerAll(call, reply);
    }, 2);
    const loading = expect(engine.load({ ...WANT, roles: ALL })).rejects.toThrow('does not answer');
    await expect.poll(() => workers[1]?.received).toHaveLength(1);
    expect(await engine.watch(makeFrame())).toEqual(REPORT);
    passSeconds(119);
    expect(workers[1]?.terminated).toBe(false);
    passSeconds(2);
    await loading;
    expect(workers.map(({ terminated }) => terminated)).toEqual([false, true]);
  });
});

describe('data of a person', () => {
  it('is overwritten if no one waits for the reply', async () => {
    const { engine, workers } = makeWorkers();
    await engine.load(WANT);
    const [embedding, selfie] = [Float32Array.of(1, 2), Uint8Array.of(3)];
    workers[0]?.emit('message', { id: 99, value: { liveness: 1, age: null, embedding, selfie } });
    expect([[...embedding], [...selfie]]).toEqual([[0, 0], [0]]);
  });

  it('is encrypted from a transferred copy, so that only the worker holds it', async () => {
    const { engine, workers } = makeWorkers();
    await engine.load(WANT);
    const face = Float32Array.of(1, 2);
    await engine.encrypt({ face, key: {} as never, modelId: '' });
    const message = workers[0]?.received.at(-1) as Call & { name: 'encrypt' };
    expect(message.face).toEqual(face);
    expect(workers[0]?.transferred).toEqual([message.face.buffer]);
    // The page overwrites its own copy after the answer.
    expect(message.face).not.toBe(face);
  });
});

describe('a worker that hangs', () => {
  const answerLoads: Answer = (call, reply) => void (call.name === 'load' && answerAll(call, reply));

  it.each([
    ['watching a frame', 10, (engine: FaceEngine) => engine.watch(makeFrame())],
    ['tying a face', 10, (engine: FaceEngine) => engine.tie({ isAhead: true })],
    ['an examination', 30, (engine: FaceEngine) => engine.examine({ age: true, embedding: false })],
    // A stalled file fails after 119 seconds: the limits of five tries and the delays between them.
    ['fetching its dependencies', 125, (engine: FaceEngine) => engine.openEncryptor('')],
  ])('is replaced when %s takes longer than %i seconds', async (_, seconds, ask) => {
    const { engine, workers, timers, passSeconds } = makeWorkers(answerLoads);
    await engine.load(WANT);
    const refused = expect(ask(engine)).rejects.toThrow('does not answer');
    passSeconds(seconds - 1);
    expect(workers[0]?.terminated).toBe(false);
    passSeconds(1);
    await refused;
    expect(workers[0]?.terminated).toBe(true);
    await engine.load(WANT);
    expect(workers[1]?.received).toMatchObject([{ name: 'load' }]);
    expect(timers.size).toBe(0);
  });

  it('has six times the limit while it loads more models', async () => {
    let loads = 0;
    const { engine, workers, passSeconds } = makeWorkers((call, reply) => {
      loads += call.name === 'load' ? 1 : 0;
      if (call.name === 'load' && loads === 1) answerAll(call, reply);
    });
    await engine.load(WANT);
    const more = expect(engine.load({ ...WANT, roles: ['age_deep'] })).rejects.toThrow('does not answer');
    const refused = expect(engine.watch(makeFrame())).rejects.toThrow('does not answer');
    passSeconds(59);
    expect(workers[0]?.terminated).toBe(false);
    passSeconds(2);
    expect(workers[0]?.terminated).toBe(true);
    await Promise.all([more, refused]);
  });

  it('has the normal limit while the other worker loads models', async () => {
    const { engine, workers, passSeconds } = makeWorkers((call, reply) => {
      if (call.name === 'load' && call.roles.includes('detect')) answerAll(call, reply);
    }, 2);
    engine.load({ ...WANT, roles: ['detect', 'embedding'] }).catch(() => undefined);
    await expect.poll(() => workers[1]?.received).toHaveLength(1);
    const refused = expect(engine.watch(makeFrame())).rejects.toThrow('does not answer');
    passSeconds(10);
    await refused;
    expect(workers.map(({ terminated }) => terminated)).toEqual([true, false]);
  });

  it('does not count as hanging while it makes progress from frame to frame', async () => {
    let answer = (_: FromWorker) => {};
    const { engine, workers, passSeconds } = makeWorkers((call, reply) => {
      if (call.name === 'load') return answerAll(call, reply);
      answer = reply;
    });
    await engine.load(WANT);
    const examined = engine.examine({ age: true, embedding: false });
    const id = workers[0]!.received.flatMap((message) => ('id' in message ? [message.id] : [])).at(-1)!;
    for (const share of [0.2, 0.4, 0.6]) {
      passSeconds(29);
      answer({ id, share });
      await Promise.resolve();
    }
    passSeconds(29);
    expect(workers[0]?.terminated).toBe(false);
    answer({ id, value: null });
    expect(await examined).toBeNull();
  });

  it('does not count as hanging if it answers in time', async () => {
    const { engine, workers, timers, passSeconds } = makeWorkers();
    await engine.load(WANT);
    await engine.watch(makeFrame());
    expect(timers.size).toBe(0);
    passSeconds(60);
    expect(workers[0]?.terminated).toBe(false);
  });
});

describe('a worker that dies', () => {
  const answerLoads: Answer = (call, reply) => void (call.name === 'load' && answerAll(call, reply));

  it.each(['error', 'messageerror'])(
    'rejects pending calls after %s, and the next load starts another',
    async (event) => {
      const { engine, workers } = makeWorkers(answerLoads);
      await engine.load(WANT);
      const waiting = Promise.allSettled([engine.watch(makeFrame()), engine.describe()]);
      workers[0]?.emit(event);
      expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(workers[0]?.terminated).toBe(true);
      await expect(engine.watch(makeFrame())).rejects.toThrow('not loaded');
      await engine.load(WANT);
      expect(workers).toHaveLength(2);
    },
  );

  it('counts as unstarted if it dies before its first message', async () => {
    const { engine, workers } = makeWorkers(() => {});
    const loading = engine.load(WANT);
    workers[0]?.emit('error');
    await expect(loading).rejects.toMatchObject({ code: 'unstarted' });
  });

  it('rejects pending calls after close', async () => {
    const { engine, workers } = makeWorkers(answerLoads);
    await engine.load(WANT);
    const watching = engine.watch(makeFrame());
    engine.close();
    await expect(watching).rejects.toThrow('closed');
    expect(workers[0]?.terminated).toBe(true);
  });
});
