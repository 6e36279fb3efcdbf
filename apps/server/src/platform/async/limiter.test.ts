// Limits the number of concurrent tasks, schedules them fairly, and loses none.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Limiter, type LimiterOptions, LimiterPerKey, QueueFullError, type TaskOptions } from './limiter.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Records the start order of tasks that end on request. */
function record(run: (work: () => Promise<void>, options: TaskOptions) => Promise<void>) {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  return {
    started,
    add: (key: string, options: TaskOptions = {}) =>
      run(
        () => {
          started.push(key);
          return new Promise<void>((resolve) => ends.push(resolve));
        },
        { key, ...options },
      ),
    async endOne() {
      ends.shift()?.();
      await settle();
    },
    async endAll() {
      for (await settle(); ends.length > 0; await settle()) ends.shift()!();
    },
  };
}

const recordLimiter = (options: LimiterOptions) => {
  const limiter = new Limiter(options);
  return { limiter, ...record((work, task) => limiter.run(work, task)) };
};

describe('a limiter', () => {
  it('starts the tasks of one key in order, and continues after a failure', async () => {
    const limiter = new Limiter({ maxRunning: 1 });
    const started: number[] = [];
    const outcomes = [0, 1, 2].map((task) =>
      limiter.run(async () => {
        started.push(task);
        if (task === 1) throw new Error('failed');
        return task;
      }),
    );
    expect(await Promise.allSettled(outcomes)).toMatchObject([
      { value: 0 },
      { reason: new Error('failed') },
      { value: 2 },
    ]);
    expect(started).toEqual([0, 1, 2]);
    expect(limiter.isIdle).toBe(true);
  });

  it('alternates between keys', async () => {
    const { started, add, endAll } = recordLimiter({ maxRunning: 2 });
    const tasks = ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'c'].map((key) => add(key));
    await endAll();
    await Promise.all(tasks);
    expect(started).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a', 'a']);
  });

  it('delays a task by the running task only, however many tasks another key has queued', async () => {
    const { started, add, endOne, endAll } = recordLimiter({ maxRunning: 1 });
    const tasks = [...Array.from({ length: 101 }, () => add('crowd')), add('other')];
    await settle();
    await endOne();
    expect(started).toEqual(['crowd', 'other']);
    await endAll();
    await Promise.all(tasks);
    expect(started).toHaveLength(102);
  });

  it('rejects a task if the queue of its key or the whole queue is full', async () => {
    const { limiter, add, endAll } = recordLimiter({ maxRunning: 1, maxWaiting: 3, maxWaitingOfKey: 2 });
    const tasks = [add('a'), add('a'), add('a'), add('b')];
    await expect(add('a')).rejects.toBeInstanceOf(QueueFullError);
    await expect(add('b')).rejects.toBeInstanceOf(QueueFullError);
    expect(limiter).toMatchObject({ running: 1, waiting: 3 });
    await endAll();
    await Promise.all(tasks);
    await expect(limiter.run(async () => 'started')).resolves.toBe('started');
  });

  it('stops waiting for an aborted task, but does not interrupt a running one', async () => {
    const { limiter, started, add, endAll } = recordLimiter({ maxRunning: 1 });
    const [running, waiting] = [new AbortController(), new AbortController()];
    const tasks = [add('a', { signal: running.signal }), add('b', { signal: waiting.signal }), add('c')];
    const reason = new Error('gone');
    running.abort(reason);
    waiting.abort(reason);
    await expect(tasks[1]).rejects.toBe(reason);
    await expect(add('d', { signal: waiting.signal })).rejects.toBe(reason);
    await settle();
    expect(limiter).toMatchObject({ running: 1, waiting: 1 });
    await endAll();
    await Promise.all([tasks[0], tasks[2]]);
    expect(started).toEqual(['a', 'c']);
    expect(limiter.isIdle).toBe(true);
  });

  it('starts light tasks when the heavy task ahead of them is aborted', async () => {
    const { started, add, endAll } = recordLimiter({ maxWeight: 100 });
    const gone = new AbortController();
    const first = add('first', { weight: 90 });
    const heavy = add('heavy', { weight: 50, signal: gone.signal });
    const light = add('light', { weight: 10 });
    await settle();
    expect(started).toEqual(['first']);
    gone.abort();
    await expect(heavy).rejects.toBe(gone.signal.reason);
    await settle();
    expect(started).toEqual(['first', 'light']);
    await endAll();
    await Promise.all([first, light]);
  });

  it('releases the weight of a slot only once, however often it is returned', async () => {
    const limiter = new Limiter({ maxWeight: 100 });
    const slot = await limiter.acquire({ weight: 1_000 });
    slot.shrink(900);
    expect(limiter.weight).toBe(100);
    slot.shrink(400);
    expect(limiter.weight).toBe(0);
    slot.release();
    slot.release();
    slot.shrink(100);
    expect(limiter).toMatchObject({ weight: 0, running: 0, isIdle: true });
  });

  it('keeps its limits and loses no task under random starts, failures and aborts', async () => {
    const tasks = fc.array(
      fc.record({
        key: fc.constantFrom('a', 'b', 'c'),
        weight: fc.integer({ min: 1, max: 12 }),
        outcome: fc.constantFrom('returns', 'throws', 'leaves'),
        delay: fc.integer({ min: 0, max: 4 }),
      }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(tasks, async (plan) => {
        const limiter = new Limiter({ maxRunning: 3, maxWeight: 10 });
        const startedOf = new Map<string, number[]>();
        let weights: number[] = [];
        const ended = plan.map(async ({ key, weight, outcome, delay }, at) => {
          const gone = new AbortController();
          const leave = async () => {
            for (let turn = 0; turn < delay; turn += 1) await settle();
            gone.abort();
          };
          if (outcome === 'leaves') void leave();
          await limiter.run(
            async () => {
              startedOf.set(key, [...(startedOf.get(key) ?? []), at]);
              weights.push(weight);
              expect(weights.length).toBeLessThanOrEqual(3);
              if (weights.length > 1) expect(weights.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(10);
              for (let turn = 0; turn < delay; turn += 1) await settle();
              weights = weights.toSpliced(weights.indexOf(weight), 1);
              if (outcome === 'throws') throw new Error('failed');
            },
            { key, weight, signal: gone.signal },
          );
        });
        const outcomes = await Promise.allSettled(ended);
        expect(limiter).toMatchObject({ running: 0, waiting: 0, weight: 0, isIdle: true });
        for (const order of startedOf.values()) expect(order).toEqual(order.toSorted((a, b) => a - b));
        outcomes.forEach(({ status }, at) => {
          if (plan[at]!.outcome === 'returns') expect(status).toBe('fulfilled');
          if (plan[at]!.outcome === 'throws') expect(status).toBe('rejected');
        });
      }),
      { numRuns: 40 },
    );
  });
});

it('limits each key separately, even right after its last task ended', async () => {
  const perKey = new LimiterPerKey({ maxRunning: 1, maxWaiting: 1 });
  const { started, add, endAll } = record((work, task) => perKey.run(task.key!, work, task));
  const tasks = [add('a'), add('a'), add('b')];
  await expect(add('a')).rejects.toBeInstanceOf(QueueFullError);
  await settle();
  expect(started).toEqual(['a', 'b']);
  await endAll();
  await Promise.all(tasks);
});

it('never runs two tasks of one key when one task starts as another ends', async () => {
  const perKey = new LimiterPerKey({ maxRunning: 1 });
  let [running, most, done] = [0, 0, 0];
  const enter = async (ticks: number) => {
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
    await perKey.run('a', async () => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      done += 1;
    });
  };
  await Promise.all(Array.from({ length: 60 }, (_, ticks) => enter(ticks)));
  expect([most, done]).toEqual([1, 60]);
});
