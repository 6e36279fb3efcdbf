// The pool with real threads: scheduling, crashes, and closing.
import { describe, expect, it, onTestFinished } from 'vitest';
import { borrowWorker } from '#testing/screening/borrowed-worker.ts';
import { buildTestIndex, createListedEntity, PLAN } from '#testing/screening/listed-people.ts';
import { CRASH, HOLD, STALL, startOddWorker } from '#testing/screening/odd-worker.ts';
import type { Edition, Task } from './messages.ts';
import { createRecentWork, LaneClosedError, ScreeningPool, WorkerError } from './pool.ts';

const edition: Edition = { id: 1, index: buildTestIndex([createListedEntity('a', 'Torvald Eskeland', '1961-04-09')]) };

interface PoolSettings {
  taskMs?: number;
  now?: () => number;
  /** Whether its threads obey CRASH, HOLD and STALL, which requires a new thread each */
  isOdd?: boolean;
}

function openPool(size: number, { taskMs, now, isOdd = false }: PoolSettings = {}) {
  let started = 0;
  const pool = new ScreeningPool({
    size,
    taskMs,
    now,
    startWorker() {
      started += 1;
      return isOdd ? startOddWorker() : borrowWorker();
    },
  });
  onTestFinished(() => pool.close());
  return { pool, started: () => started };
}

const known = (id: string) => ({ id, isStranger: false });

const screenTask = (csv: string) => (): Task & { kind: 'screen' } => ({
  kind: 'screen',
  from: 0,
  bytes: new TextEncoder().encode(csv),
  plan: PLAN,
});

describe('the pool', () => {
  it('screens with the index in shared memory and starts no more threads than it needs', async () => {
    const { pool, started } = openPool(3);
    const lane = pool.openLane([edition]);
    expect(started()).toBe(0);
    const { scores, matched } = await lane.run(screenTask('1,Torvald,Eskeland,1961-04-09\n2,Nobody,Known,\n'));
    expect([...scores]).toEqual([1, 0]);
    expect(matched).toBe(1);
    await lane.run(screenTask('1,a,b,c'));
    expect(started()).toBe(1);
    await Promise.all(Array.from({ length: 9 }, () => lane.run(screenTask('1,a,b,c'))));
    expect(started()).toBe(3);
  });

  it('alternates between lanes, however much each has queued', async () => {
    const { pool } = openPool(1);
    const ended: string[] = [];
    const [large, small] = [pool.openLane([edition]), pool.openLane([edition])];
    const run = (lane: typeof large, name: string) => lane.run(screenTask('1,a,b,c')).then(() => ended.push(name));
    const tasks = Array.from({ length: 6 }, () => run(large, 'large'));
    tasks.push(run(small, 'small'), run(small, 'small'));
    await Promise.all(tasks);
    expect(ended).toEqual(['large', 'large', 'small', 'large', 'small', 'large', 'large', 'large']);
  });

  it('prefers a light owner to the new calls of a heavy one', async () => {
    let time = 0;
    const { pool } = openPool(1, { now: () => time });
    const ended: string[] = [];
    const run = async (owner: string, costs = 0) => {
      const lane = pool.openLane([edition], known(owner));
      await lane.run(() => {
        time += costs;
        return screenTask('1,a,b,c')();
      });
      lane.close();
      ended.push(owner);
    };
    await run('flood'); // A worker's first task includes its start and is not counted.
    await run('flood', 5_000);
    await Promise.all(['other', 'flood', 'flood', 'flood', 'honest'].map((owner) => run(owner)));
    expect(ended.slice(2)).toEqual(['other', 'honest', 'flood', 'flood', 'flood']);
    time += 120_000;
    await Promise.all(['other', 'flood', 'flood', 'honest'].map((owner) => run(owner)));
    expect(ended.slice(7)).toEqual(['other', 'flood', 'honest', 'flood']);
  });

  it('reserves its last free thread for light owners as long as they keep coming', async () => {
    let time = 0;
    const { pool } = openPool(2, { now: () => time });
    const open: string[] = [];
    const run = async (owner: string, costs = 0) => {
      const lane = pool.openLane([edition], known(owner));
      await lane.run(() => {
        open.push(owner);
        time += costs;
        return screenTask('1,a,b,c')();
      });
      lane.close();
    };
    await Promise.all([run('warm'), run('warm')]);
    await run('flood', 5_000);
    await run('honest');
    open.length = 0;
    const flood = [run('flood'), run('flood')];
    expect(open).toEqual(['flood']);
    const honest = run('honest');
    expect(open).toEqual(['flood', 'honest']);
    await Promise.all([...flood, honest]);
    time += 11_000;
    open.length = 0;
    const again = [run('flood'), run('flood')];
    expect(open).toEqual(['flood', 'flood']);
    await Promise.all(again);
  });

  it('reserves a thread from anonymous callers, however many, while known owners call', async () => {
    let time = 0;
    const { pool } = openPool(2, { now: () => time });
    const open: string[] = [];
    const run = async (id: string, isStranger = true) => {
      const lane = pool.openLane([edition], { id, isStranger });
      await lane.run(() => {
        open.push(id);
        return screenTask('1,a,b,c')();
      });
      lane.close();
    };
    await run('known', false);
    open.length = 0;
    const strangers = ['a', 'b', 'c'].map((id) => run(id));
    expect(open).toEqual(['a']);
    const known = run('known', false);
    expect(open).toEqual(['a', 'known']);
    await Promise.all([...strangers, known]);
    time += 11_000;
    open.length = 0;
    const again = ['a', 'b', 'c'].map((id) => run(id));
    expect(open).toEqual(['a', 'b']);
    await Promise.all(again);
  });

  it('prefers a known owner to waiting anonymous callers, even on a single thread', async () => {
    const { pool } = openPool(1);
    const ended: string[] = [];
    const run = async (id: string, isStranger: boolean) => {
      await pool.openLane([edition], { id, isStranger }).run(screenTask('1,a,b,c'));
      ended.push(id);
    };
    const strangers = Array.from({ length: 40 }, (_, at) => run(`s${at}`, true));
    await Promise.all([...strangers, run('known', false)]);
    expect(ended.indexOf('known')).toBe(1);
  });

  it('replaces a crashed worker, and fails only its task', async () => {
    const { pool, started } = openPool(1, { isOdd: true });
    const lane = pool.openLane([edition]);
    const tasks = [CRASH, 'Torvald', CRASH, 'Torvald'].map((name) =>
      lane.run(screenTask(`1,${name},Eskeland,1961-04-09`)).then(
        ({ matched }) => matched,
        (error) => error,
      ),
    );
    const [first, second, third, fourth] = await Promise.all(tasks);
    expect(first).toBeInstanceOf(WorkerError);
    expect(third).toBeInstanceOf(WorkerError);
    expect((first as WorkerError).failure).toEqual({ error: 'exit', errorCode: 7 });
    expect([second, fourth]).toEqual([1, 1]);
    expect(started()).toBe(3);
  });

  it('replaces a worker that hangs, and fails only its task', async () => {
    const { pool, started } = openPool(1, { taskMs: 5_000, isOdd: true }); // Starting a thread counts, so the limit must not be much shorter.
    const lane = pool.openLane([edition]);
    const stuck = lane.run(screenTask(`1,${STALL},b,c`));
    const next = pool.openLane([edition]).run(screenTask('1,Torvald,Eskeland,1961-04-09'));
    await expect(stuck).rejects.toBeInstanceOf(WorkerError);
    await expect(stuck).rejects.toMatchObject({ failure: { error: 'timeout', errorCode: 5_000 } });
    expect((await next).matched).toBe(1);
    expect(started()).toBe(2);
  });

  it('reports a task that throws, and continues with the same worker', async () => {
    const { pool, started } = openPool(1);
    const stranger = pool.openLane([]); // Its plan names an edition that the worker does not have.
    await expect(stranger.run(screenTask('1,a,b,c'))).rejects.toMatchObject({ failure: { error: 'Error' } });
    expect((await pool.openLane([edition]).run(screenTask('1,a,b,c'))).matched).toBe(0);
    expect(started()).toBe(1);
  });

  it('releases an edition and takes it again', async () => {
    const { pool } = openPool(1);
    const lane = pool.openLane([edition]);
    await lane.run(screenTask('1,a,b,c'));
    pool.forget(edition);
    await expect(pool.openLane([]).run(screenTask('1,a,b,c'))).rejects.toBeInstanceOf(WorkerError);
    expect((await lane.run(screenTask('1,Torvald,Eskeland,1961-04-09'))).matched).toBe(1);
  });

  it('discards the queue of a closed lane without reading its bytes', async () => {
    const { pool } = openPool(1, { isOdd: true });
    const lane = pool.openLane([edition]);
    const begun = lane.run(screenTask(`1,${HOLD},b,c`));
    const waiting = lane.run(() => {
      throw new Error('it was made');
    });
    lane.close();
    await expect(waiting).rejects.toBeInstanceOf(LaneClosedError);
    await expect(lane.run(screenTask('1,a,b,c'))).rejects.toBeInstanceOf(LaneClosedError);
    expect((await begun).matched).toBe(0);
  });

  it('closes with work in progress, and accepts none afterwards', async () => {
    const { pool } = openPool(1, { isOdd: true });
    const lane = pool.openLane([edition]);
    const outcomes = [HOLD, 'a', 'b'].map((name) => lane.run(screenTask(`1,${name},b,c`)).catch((error) => error));
    await pool.close();
    for (const error of await Promise.all(outcomes)) expect(error).toBeInstanceOf(LaneClosedError);
    await expect(lane.run(screenTask('1,a,b,c'))).rejects.toBeInstanceOf(LaneClosedError);
  });
});

it('counts the last minute only', () => {
  let now = 30_000;
  const recent = createRecentWork(() => now);
  recent.add(1_000);
  expect(recent.ms).toBe(1_000);
  now = 60_000;
  expect(recent.ms).toBe(1_000);
  now = 90_000;
  recent.add(200);
  expect(recent.ms).toBe(700);
  now = 150_000;
  expect(recent.ms).toBe(100);
  now = 180_000;
  expect(recent.ms).toBe(0);
  recent.add(1);
  now = 600_000;
  expect(recent.ms).toBe(0);
});
