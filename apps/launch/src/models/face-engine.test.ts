// The engine against a worker that is only pretended: ids, progress, one watch at a time, deaths, new beginnings.
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

interface Pretended {
  told: ToWorker[];
  /** What was handed over with the last message. */
  transferred: Transferable[];
  terminated: boolean;
  emit(name: string, data?: unknown): void;
}

/** Every worker that the engine starts, and what it was told. */
function makeWorkers(answer: Answer = answerAll, cores = 1) {
  const workers: Pretended[] = [];
  const startWorker = () => {
    const takers = new Map<string, (event: { data: unknown }) => void>();
    const told: ToWorker[] = [];
    const worker: Pretended & WorkerLike = {
      told,
      transferred: [],
      terminated: false,
      emit: (name: string, data?: unknown) => takers.get(name)?.({ data }),
      terminate: () => {
        worker.terminated = true;
      },
      addEventListener: (name: string, take: (event: { data: unknown }) => void) => void takers.set(name, take),
      postMessage(message: unknown, transfer: Transferable[]) {
        told.push(message as ToWorker);
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
  it('asks the worker for the roles and passes its progress on', async () => {
    const { engine, workers } = makeWorkers((call, reply) => {
      reply({ id: call.id, share: 0.5 });
      answerAll(call, reply);
    });
    const onProgress = vi.fn();
    await engine.load({ ...WANT, onProgress });
    expect(onProgress.mock.calls).toEqual([[0.5]]);
    expect(workers[0]?.told).toEqual([
      { id: 1, name: 'load', ...WANT, modelsUrl: 'http://localhost/launch/models/', workers: 1 },
    ]);
  });

  it('keeps one worker for all that comes', async () => {
    const { engine, workers } = makeWorkers();
    await engine.load(WANT);
    await engine.load({ ...WANT, roles: ['eye'] });
    await engine.watch(makeFrame());
    expect(workers).toHaveLength(1);
  });

  it('says with a code what went wrong, and begins anew with the next call', async () => {
    const failure = { code: 'offline', message: '' } as const;
    const { engine, workers } = makeWorkers((call, reply) => reply({ id: call.id, failure }));
    await expect(engine.load(WANT)).rejects.toMatchObject({ name: 'ModelLoadError', code: 'offline' });
    expect(workers[0]?.terminated).toBe(true);
    await expect(engine.load(WANT)).rejects.toMatchObject({ code: 'offline' });
    expect(workers).toHaveLength(2);
  });

  it('keeps the worker where only what was wanted in addition failed', async () => {
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

  it('fails with one code for all that were asked for at the first go', async () => {
    const failure = { code: 'offline', message: '' } as const;
    const { engine, workers } = makeWorkers((call, reply) => {
      if (call.id === 1) reply({ id: call.id, failure });
    });
    const both = [engine.load(WANT), engine.load({ ...WANT, roles: ['eye'] })];
    for (const one of both) await expect(one).rejects.toMatchObject({ code: 'offline' });
    expect(workers.map(({ terminated }) => terminated)).toEqual([true]);
  });

  it('leaves a frame that is watched alone, whatever becomes of it meanwhile', async () => {
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
  it('takes one frame at a time and refuses a second meanwhile', async () => {
    const { engine } = makeWorkers();
    await engine.load(WANT);
    const close = vi.fn();
    const first = engine.watch(makeFrame());
    await expect(engine.watch({ width: 1, height: 1, close } as ImageBitmap)).rejects.toThrow('watched already');
    expect(close).toHaveBeenCalledOnce();
    expect(await first).toEqual(REPORT);
    expect(await engine.watch(makeFrame())).toEqual(REPORT);
  });

  it('says so where nothing was loaded', async () => {
    const { engine } = makeWorkers();
    await expect(engine.watch(makeFrame())).rejects.toThrow('not loaded');
    await expect(engine.examine({ age: true, embedding: false })).rejects.toThrow('not loaded');
  });

  it('leaves no picture behind where the worker is gone', async () => {
    const { engine } = makeWorkers();
    const close = vi.fn();
    await expect(engine.watch({ width: 1, height: 1, close } as ImageBitmap)).rejects.toThrow('not loaded');
    expect(close).toHaveBeenCalledOnce();
  });

  it('names the frame that is to be tied', async () => {
    const { engine, workers } = makeWorkers();
    await engine.load(WANT);
    await engine.watch(makeFrame());
    expect(await engine.tie({ isAhead: true })).toBe('unseen');
    engine.forget();
    expect(workers[0]?.told.slice(-2)).toEqual([{ id: 3, name: 'giveFrame', watched: 2 }, { name: 'forget' }]);
  });

  it('gives the error of the worker', async () => {
    const { engine } = makeWorkers((call, reply) => {
      if (call.name === 'load') return answerAll(call, reply);
      reply({ id: call.id, failure: { code: null, message: 'A frame of the wrong size' } });
    });
    await engine.load(WANT);
    await expect(engine.watch(makeFrame())).rejects.toThrow('A frame of the wrong size');
    await expect(engine.watch(makeFrame())).rejects.toThrow('A frame of the wrong size');
  });
});

describe('where there are cores for two workers', () => {
  const SEEN = { frame: { width: 1, height: 1, data: new Uint8ClampedArray(4) }, reading: { score: 1 } };
  const ALL = ['detect', 'landmarks', 'eye', 'embedding', 'liveness'] as const;
  /** By what each of them was asked for, notices included. */
  const namesOf = ({ workers }: ReturnType<typeof makeWorkers>) =>
    workers.map(({ told }) => told.map((message) => message.name));
  const answerSeen: Answer = (call, reply) => {
    if (call.name !== 'giveFrame') return answerAll(call, reply);
    const frame = { ...SEEN.frame, data: new Uint8ClampedArray(4).fill(9) };
    reply({ id: call.id, value: { ...SEEN, frame } as never });
  };

  it('one guides and the other examines; a frame goes from one to the other, and both forget', async () => {
    const made = makeWorkers(answerSeen, 2);
    const { engine, workers } = made;
    await engine.load({ ...WANT, roles: ALL });
    expect(workers.map(({ told }) => told)).toMatchObject([
      [{ roles: ['detect', 'landmarks', 'eye'] }],
      [{ roles: ['embedding', 'liveness'] }],
    ]);
    await engine.watch(makeFrame());
    expect(await engine.tie({ isAhead: true })).toBe('tied');
    expect(workers[1]?.told.at(-1)).toMatchObject({ name: 'tie', reading: SEEN.reading, isAhead: true });
    await engine.examine({ age: true, embedding: false });
    engine.forget();
    engine.close();
    expect(namesOf(made)).toEqual([
      ['load', 'watch', 'giveFrame', 'forget'],
      ['load', 'tie', 'examine', 'forget'],
    ]);
    expect(workers.map(({ terminated }) => terminated)).toEqual([true, true]);
  });

  it('a frame that is forgotten on its way is overwritten and not tied', async () => {
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
    expect(namesOf(made)[1]).toEqual(['load', 'forget']);
  });

  it('a document is read in one of them, with all that it needs', async () => {
    const { engine, workers } = makeWorkers(answerAll, 2);
    const roles = ['document_text', 'detect', 'landmarks', 'embedding'] as const;
    await engine.load({ ...WANT, roles });
    expect(workers.map(({ told }) => told)).toMatchObject([[], [{ roles }]]);
    await engine.lookAtDocument(makeFrame());
    expect(workers[1]?.told.at(-1)).toMatchObject({ name: 'lookAtDocument' });
  });

  it('what comes later is fetched once all is there that guidance needs, and progress is that of the slower one', async () => {
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
    expect(workers[1]?.told).toEqual([]);
    answerFirst({ id: 1, share: 0.99 });
    await later;
    expect(workers[1]?.told).toMatchObject([{ roles: ['embedding'] }]);
    expect(shares).toEqual([0.5, 0.99]);
    answerFirst({ id: 1, value: new Map() });
    await first;
  });

  it('they share the cores', async () => {
    const { engine, workers } = makeWorkers(answerAll, 2);
    await engine.load({ ...WANT, roles: ALL });
    expect(workers.map(({ told }) => told)).toMatchObject([[{ workers: 2 }], [{ workers: 2 }]]);
  });

  it.each([0, 1])(
    'one that died is replaced, the other stays, and whoever was known is known no more: %i',
    async (which) => {
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
      // The frame of before belongs to nobody.
      await engine.tie({ isAhead: true });
      expect(workers[which === 0 ? 2 : 0]?.told.at(-1)).toMatchObject({ name: 'giveFrame', watched: 0 });
      await engine.load({ ...WANT, roles: ALL });
      expect(engine.epoch()).toBe(before + 1);
    },
  );

  it('one that failed at its first go is replaced, however much the other has brought', async () => {
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
    // One that has brought something is kept, whatever fails later.
    fails = true;
    await expect(engine.load({ ...WANT, roles: ALL })).rejects.toMatchObject({ code: 'failed' });
    expect(workers.map(({ terminated }) => terminated)).toEqual([false, true, false]);
  });

  it('one that still brings its models has as long as ever, although the other one failed', async () => {
    const failure = { code: 'failed', message: '' } as const;
    const { engine, workers, passSeconds } = makeWorkers((call, reply) => {
      if (call.name === 'load' && call.roles.includes('embedding')) reply({ id: call.id, failure });
    }, 2);
    await expect(engine.load({ ...WANT, roles: ALL })).rejects.toMatchObject({ code: 'failed' });
    passSeconds(119);
    expect(workers.map(({ terminated }) => terminated)).toEqual([false, true]);
  });

  it('one whose models the service does not have yet is asked again, and the other guides on meanwhile', async () => {
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

  it('one that brings what was asked for first is not left for what waits until then', async () => {
    let tell = (_: number) => {};
    const { engine, workers, passSeconds } = makeWorkers((call, reply) => {
      if (call.id === 1) tell = (share) => reply({ id: call.id, share });
    }, 2);
    const loads = [['embedding'], ['liveness']] as const;
    const ends = loads.map((roles) => expect(engine.load({ ...WANT, roles })).rejects.toThrow('does not answer'));
    await expect.poll(() => workers[1]?.told).toHaveLength(2);
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

  it('what ran in both is told of both', async () => {
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

  it('one does for all where the second never came to life, and whoever waits is told', async () => {
    const made = makeWorkers((call, reply) => {
      if (call.name !== 'load' || call.roles.includes('detect')) answerAll(call, reply);
    }, 2);
    const loading = expect(made.engine.load({ ...WANT, roles: ALL })).rejects.toMatchObject({ code: 'unstarted' });
    await expect.poll(() => made.workers[1]?.told).toHaveLength(1);
    made.workers[1]?.emit('error');
    await loading;
    await made.engine.load({ ...WANT, roles: ALL });
    expect(namesOf(made)).toEqual([['load', 'load'], ['load']]);
    expect(made.workers[0]?.told.at(-1)).toMatchObject({ roles: ALL, workers: 1 });
  });

  it('one does for all also where it was asked for nothing before the second failed to come to life', async () => {
    const made = makeWorkers((call, reply) => {
      if (made.workers[1]?.terminated) answerAll(call, reply);
    }, 2);
    const loading = expect(made.engine.load({ ...WANT, roles: ['document_text'] })).rejects.toThrow('unstarted');
    await expect.poll(() => made.workers[1]?.told).toHaveLength(1);
    made.workers[1]?.emit('error');
    await loading;
    await made.engine.load({ ...WANT, roles: ['document_text'] });
    expect(namesOf(made)).toEqual([['load'], ['load']]);
  });

  it('one that dies before it is asked for anything says so when it is', async () => {
    const { engine, workers } = makeWorkers(answerAll, 2);
    const loading = engine.load({ ...WANT, roles: ALL });
    workers[1]?.emit('error');
    await expect(loading).rejects.toMatchObject({ name: 'ModelLoadError', code: 'unstarted' });
  });

  it('one that says nothing while it brings models is left, however well the other guides', async () => {
    const { engine, workers, passSeconds } = makeWorkers((call, reply) => {
      if (call.name !== 'load' || call.roles.includes('detect')) answerAll(call, reply);
    }, 2);
    const loading = expect(engine.load({ ...WANT, roles: ALL })).rejects.toThrow('does not answer');
    await expect.poll(() => workers[1]?.told).toHaveLength(1);
    expect(await engine.watch(makeFrame())).toEqual(REPORT);
    passSeconds(119);
    expect(workers[1]?.terminated).toBe(false);
    passSeconds(2);
    await loading;
    expect(workers.map(({ terminated }) => terminated)).toEqual([false, true]);
  });
});

describe('what is of a person', () => {
  it('is overwritten where nobody waits for it any more', async () => {
    const { engine, workers } = makeWorkers();
    await engine.load(WANT);
    const [embedding, selfie] = [Float32Array.of(1, 2), Uint8Array.of(3)];
    workers[0]?.emit('message', { id: 99, value: { liveness: 1, age: null, embedding, selfie } });
    expect([[...embedding], [...selfie]]).toEqual([[0, 0], [0]]);
  });

  it('is encrypted from a copy that is handed over, so that the worker has the only one', async () => {
    const { engine, workers } = makeWorkers();
    await engine.load(WANT);
    const face = Float32Array.of(1, 2);
    await engine.encrypt({ face, key: {} as never, modelId: '' });
    const told = workers[0]?.told.at(-1) as Call & { name: 'encrypt' };
    expect(told.face).toEqual(face);
    expect(workers[0]?.transferred).toEqual([told.face.buffer]);
    // The page overwrites its own once the answer is made.
    expect(told.face).not.toBe(face);
  });
});

describe('a worker that hangs', () => {
  const answerLoads: Answer = (call, reply) => void (call.name === 'load' && answerAll(call, reply));

  it.each([
    ['a frame', 10, (engine: FaceEngine) => engine.watch(makeFrame())],
    ['whose face it is', 10, (engine: FaceEngine) => engine.tie({ isAhead: true })],
    ['an examination', 30, (engine: FaceEngine) => engine.examine({ age: true, embedding: false })],
    // A file that stalls is given up after 119 seconds: those of five tries, and the pauses in between.
    ['what it has to fetch first', 125, (engine: FaceEngine) => engine.openEncryptor('')],
  ])('over %s is left after %i seconds, and another one is started', async (_, seconds, ask) => {
    const { engine, workers, timers, passSeconds } = makeWorkers(answerLoads);
    await engine.load(WANT);
    const refused = expect(ask(engine)).rejects.toThrow('does not answer');
    passSeconds(seconds - 1);
    expect(workers[0]?.terminated).toBe(false);
    passSeconds(1);
    await refused;
    expect(workers[0]?.terminated).toBe(true);
    await engine.load(WANT);
    expect(workers[1]?.told).toMatchObject([{ name: 'load' }]);
    expect(timers.size).toBe(0);
  });

  it('is not one that brings more models, for six times as long', async () => {
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

  it('is left as soon as ever where it is the other one that brings models', async () => {
    const { engine, workers, passSeconds } = makeWorkers((call, reply) => {
      if (call.name === 'load' && call.roles.includes('detect')) answerAll(call, reply);
    }, 2);
    engine.load({ ...WANT, roles: ['detect', 'embedding'] }).catch(() => undefined);
    await expect.poll(() => workers[1]?.told).toHaveLength(1);
    const refused = expect(engine.watch(makeFrame())).rejects.toThrow('does not answer');
    passSeconds(10);
    await refused;
    expect(workers.map(({ terminated }) => terminated)).toEqual([true, false]);
  });

  it('is not one that goes on from frame to frame, however long all of them take', async () => {
    let answer = (_: FromWorker) => {};
    const { engine, workers, passSeconds } = makeWorkers((call, reply) => {
      if (call.name === 'load') return answerAll(call, reply);
      answer = reply;
    });
    await engine.load(WANT);
    const examined = engine.examine({ age: true, embedding: false });
    const id = workers[0]!.told.flatMap((message) => ('id' in message ? [message.id] : [])).at(-1)!;
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

  it('is not one that answers in time', async () => {
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

  it.each(['error', 'messageerror'])('by %s fails all that wait, and the next load starts another', async (event) => {
    const { engine, workers } = makeWorkers(answerLoads);
    await engine.load(WANT);
    const waiting = Promise.allSettled([engine.watch(makeFrame()), engine.describe()]);
    workers[0]?.emit(event);
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(workers[0]?.terminated).toBe(true);
    await expect(engine.watch(makeFrame())).rejects.toThrow('not loaded');
    await engine.load(WANT);
    expect(workers).toHaveLength(2);
  });

  it('before its first word was never there', async () => {
    const { engine, workers } = makeWorkers(() => {});
    const loading = engine.load(WANT);
    workers[0]?.emit('error');
    await expect(loading).rejects.toMatchObject({ code: 'unstarted' });
  });

  it('on purpose, by close, fails all that wait', async () => {
    const { engine, workers } = makeWorkers(answerLoads);
    await engine.load(WANT);
    const watching = engine.watch(makeFrame());
    engine.close();
    await expect(watching).rejects.toThrow('closed');
    expect(workers[0]?.terminated).toBe(true);
  });
});
