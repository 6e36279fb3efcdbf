// Jobs on a real database: never lost after commit, never run after rollback, fenced once a lease
// is lost.
import { PATIENCE } from '@limen/testing/patience.ts';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import { override } from '#testing/override.ts';
import { createIds } from '../base/ids.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { openKeyring } from '../sealing/keyring.ts';
import { defineJob, defineRecurringJob, JobAbandonedError } from './job.ts';
import { Jobs } from './jobs.ts';
import { JobStore } from './store.ts';

const LEASE_MS = 30_000;
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
const greet = defineJob<{ name: string }>('greet', { maxAttempts: 3, leaseMs: LEASE_MS, backoffMs: (n) => n * 1_000 });

interface Place {
  database: Database;
  clock: ManualClock;
  store: JobStore;
  /** Opens another process on the same database. */
  newProcess(through?: JobStore): Jobs;
}

async function prepare(): Promise<Place> {
  const place = await createTestDatabase();
  const database = openDatabase(place);
  onTestFinished(async () => {
    await database.close();
    await place.dispose();
  });
  const clock = createManualClock();
  const ids = createIds(clock);
  const masterKey = Buffer.alloc(32, 1);
  const { sealer } = await openKeyring({ database, dataDir: place.dataDir, masterKey, clock, ids });
  const store = new JobStore(database);
  const log = pino({ level: 'silent' });
  const newProcess = (through = store) => new Jobs({ database, store: through, sealer, clock, ids, log });
  return { database, clock, store, newProcess };
}

/**
 * Creates a handler that reports its start and runs until released. The row alone shows
 * neither.
 */
function createHeldWork() {
  const begun = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  const run = () => {
    begun.resolve();
    return finished.promise;
  };
  return { run, begun: begun.promise, finish: finished.resolve };
}

describe('looking for due jobs', () => {
  it('reports by kind what a claim would find, and claims nothing', async () => {
    const { database, clock, newProcess, store } = await prepare();
    const jobs = newProcess();
    const kinds = ['greet', 'other'];
    await database.transact((trx) => jobs.enqueue(trx, greet, { name: 'Ada' }, { runAt: clock.now() + 5 }));
    const look = () => store.listDue(kinds, clock.now());
    expect(await look()).toEqual([]);
    clock.advance(5);
    expect(await look()).toEqual(['greet']);
    await store.claim({ kind: 'greet', now: clock.now(), leaseUntil: clock.now() + 9, leaseToken: 'x', limit: 1 });
    expect(await look()).toEqual([]);
    clock.advance(10);
    expect(await look()).toEqual(['greet']);
    expect(await store.listDue([], clock.now())).toEqual([]);
  });

  it('finds jobs that another process added or that a dead one left', async () => {
    const { database, clock, newProcess, store } = await prepare();
    const [jobs, other] = [newProcess(), newProcess()];
    const greeted: string[] = [];
    jobs.handle(greet, async ({ name }) => void greeted.push(name));
    await database.transact((trx) => other.enqueue(trx, greet, { name: 'left behind' }));
    await store.claim({ kind: 'greet', now: clock.now(), leaseUntil: clock.now(), leaseToken: 'killed', limit: 1 });
    clock.advance(1);
    await jobs.start();
    await expect.poll(() => greeted, PATIENCE).toEqual(['left behind']);
    await database.transact((trx) => other.enqueue(trx, greet, { name: 'of another' }));
    await expect.poll(() => greeted, PATIENCE).toEqual(['left behind', 'of another']);
    await jobs.stop();
  });
});

describe('enqueueing', () => {
  it('runs a job whose transaction committed, with its payload', async () => {
    const { database, newProcess } = await prepare();
    const jobs = newProcess();
    const greeted: string[] = [];
    jobs.handle(greet, async ({ name }) => void greeted.push(name));
    await database.transact((trx) => jobs.enqueue(trx, greet, { name: 'Ada' }));
    expect(await jobs.runDue()).toBe(1);
    expect(greeted).toEqual(['Ada']);
    expect(await jobs.runDue()).toBe(0);
  });

  it('never runs a job whose transaction rolled back', async () => {
    const { database, newProcess, store } = await prepare();
    const jobs = newProcess();
    jobs.handle(greet, async () => {
      throw new Error('must not run');
    });
    const work = database.transact(async (trx) => {
      await jobs.enqueue(trx, greet, { name: 'Ada' });
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await jobs.runDue()).toBe(0);
    expect(await store.countByState()).toEqual([]);
  });

  it('waits until the job is due', async () => {
    const { database, clock, newProcess } = await prepare();
    const jobs = newProcess();
    jobs.handle(greet, async () => {});
    const runAt = clock.now() + 5_000;
    await database.transact((trx) => jobs.enqueue(trx, greet, { name: 'Ada' }, { runAt }));
    expect(await jobs.runDue()).toBe(0);
    clock.advance(5_000);
    expect(await jobs.runDue()).toBe(1);
  });

  it('keeps one pending job per unique key, and accepts the next once it is done', async () => {
    const { database, newProcess } = await prepare();
    const jobs = newProcess();
    jobs.handle(greet, async () => {});
    const enqueue = () => database.transact((trx) => jobs.enqueue(trx, greet, { name: 'A' }, { uniqueKey: 'u' }));
    expect((await Promise.all([enqueue(), enqueue(), enqueue()])).filter(Boolean)).toHaveLength(1);
    expect(await jobs.runDue()).toBe(1);
    expect(await enqueue()).toBe(true);
  });

  it('seals the payload', async () => {
    const { database, newProcess } = await prepare();
    await database.transact((trx) => newProcess().enqueue(trx, greet, { name: 'a name nobody may read' }));
    const [row] = await database.queries.selectFrom('jobs').selectAll().execute();
    expect(Buffer.from(row!.payload).toString('latin1')).not.toContain('nobody');
  });

  it('wakes the running process as soon as the transaction has committed', async () => {
    const { database, newProcess } = await prepare();
    const jobs = newProcess();
    const ran = new Promise<string>((resolve) => {
      jobs.handle(greet, async ({ name }) => resolve(name));
    });
    await jobs.start();
    await database.transact((trx) => jobs.enqueue(trx, greet, { name: 'Ada' }));
    expect(await ran).toBe('Ada');
    await jobs.stop();
  });
});

describe('jobs that a running process adds itself', () => {
  const single = defineJob<{ name: string }>('single', { concurrency: 1, leaseMs: LEASE_MS });
  const statesOf = async ({ queries }: Database) =>
    (await queries.selectFrom('jobs').select(['state', 'attempts']).orderBy('id').execute()).map(
      ({ state, attempts }) => `${state} ${attempts}`,
    );

  it('are written as running, or as waiting if all slots are taken', async () => {
    const { database, newProcess, store } = await prepare();
    const jobs = newProcess();
    const [first, second] = [createHeldWork(), createHeldWork()];
    jobs.handle(single, ({ name }) => (name === 'first' ? first : second).run());
    await jobs.start();
    const seen = await database.transact(async (trx) => {
      for (const name of ['first', 'second']) await jobs.enqueue(trx, single, { name });
      return trx.selectFrom('jobs').select('state').orderBy('id').execute();
    });
    expect(seen.map(({ state }) => state)).toEqual(['running', 'ready']);
    await first.begun;
    expect(await statesOf(database)).toEqual(['running 1', 'ready 0']);
    first.finish();
    await second.begun;
    second.finish();
    await expect.poll(() => store.countByState(), PATIENCE).toEqual([]);
    await jobs.stop();
  });

  it('wait while a concurrent claim has reserved the slots', async () => {
    const { database, newProcess, store } = await prepare();
    const asked = Promise.withResolvers<void>();
    const reply = Promise.withResolvers<void>();
    const jobs = newProcess(
      override(store, {
        async claim(claim) {
          const rows = await store.claim(claim);
          asked.resolve();
          await reply.promise;
          return rows;
        },
      }),
    );
    const work = createHeldWork();
    const names: string[] = [];
    jobs.handle(single, ({ name }) => {
      names.push(name);
      return work.run();
    });
    await database.transact((trx) => newProcess().enqueue(trx, single, { name: 'of another' }));
    await jobs.start();
    await asked.promise;
    await database.transact((trx) => jobs.enqueue(trx, single, { name: 'own' }));
    reply.resolve();
    await work.begun;
    expect(names).toEqual(['of another']);
    expect(await statesOf(database)).toEqual(['running 1', 'ready 0']);
    work.finish();
    await expect.poll(() => names, PATIENCE).toEqual(['of another', 'own']);
    await jobs.stop();
  });

  it('never run and take no slot if their transaction rolls back', async () => {
    const { database, newProcess } = await prepare();
    const jobs = newProcess();
    const names: string[] = [];
    const work = createHeldWork();
    jobs.handle(single, ({ name }) => {
      names.push(name);
      return work.run();
    });
    await jobs.start();
    const undone = database.transact(async (trx) => {
      await jobs.enqueue(trx, single, { name: 'undone' });
      throw new Error('changed my mind');
    });
    await expect(undone).rejects.toThrow('changed my mind');
    await database.transact(async (trx) => {
      await jobs.enqueue(trx, single, { name: 'kept' });
    });
    expect(await statesOf(database)).toEqual(['running 1']);
    await work.begun;
    expect(names).toEqual(['kept']);
    work.finish();
    await jobs.stop();
  });

  it('take no slot if their transaction ended before the write', async () => {
    const { database, newProcess } = await prepare();
    const jobs = newProcess();
    const work = createHeldWork();
    jobs.handle(single, work.run);
    await jobs.start();
    const undone = database.transact((trx) =>
      Promise.all([jobs.enqueue(trx, single, { name: 'undone' }), Promise.reject(new Error('the other failed'))]),
    );
    await expect(undone).rejects.toThrow('the other failed');
    await database.ping();
    await database.transact((trx) => jobs.enqueue(trx, single, { name: 'kept' }));
    expect(await statesOf(database)).toEqual(['running 1']);
    work.finish();
    await jobs.stop();
  });

  it('are awaited on stop, even if they began after it', async () => {
    const { database, newProcess, store } = await prepare();
    const jobs = newProcess();
    const [inside, last] = [createHeldWork(), createHeldWork()];
    jobs.handle(greet, (_payload, { complete }) =>
      database.transact(async (trx) => {
        await jobs.enqueue(trx, single, { name: 'last' });
        await inside.run();
        await complete(trx);
      }),
    );
    jobs.handle(single, last.run);
    await jobs.start();
    await database.transact((trx) => jobs.enqueue(trx, greet, { name: 'Ada' }));
    await inside.begun;
    let hasStopped = false;
    const stopped = jobs.stop().then(() => {
      hasStopped = true;
    });
    inside.finish();
    await last.begun;
    await database.ping(); // A stop that waits for nothing would be over by now.
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasStopped).toBe(false);
    last.finish();
    await stopped;
    expect(await store.countByState()).toEqual([]);
  });

  it('are left to the process that takes them over if their lease expired before the commit', async () => {
    const { database, clock, newProcess, store } = await prepare();
    const jobs = newProcess();
    const attempts: number[] = [];
    jobs.handle(greet, async (_payload, { attempt }) => void attempts.push(attempt));
    await jobs.start();
    await database.transact(async (trx) => {
      await jobs.enqueue(trx, greet, { name: 'Ada' });
      clock.advance(LEASE_MS + 1);
    });
    await jobs.runDue();
    await expect.poll(() => store.countByState(), PATIENCE).toEqual([]);
    expect(attempts).toEqual([2]);
    await jobs.stop();
  });

  it('are taken over once their lease has expired', async () => {
    const { database, clock, newProcess, store } = await prepare();
    const [gone, other] = [newProcess(), newProcess()];
    const work = createHeldWork();
    gone.handle(single, work.run);
    const attempts: number[] = [];
    other.handle(single, async (_payload, { attempt }) => void attempts.push(attempt));
    await gone.start();
    await database.transact((trx) => gone.enqueue(trx, single, { name: 'Ada' }));
    expect(await other.runDue()).toBe(0);
    clock.advance(LEASE_MS + 1);
    expect(await other.runDue()).toBe(1);
    expect(attempts).toEqual([2]);
    work.finish();
    await gone.stop();
    expect(await store.countByState()).toEqual([]);
  });
});

describe('a failing job', () => {
  it('is retried after its backoff, then is dead and can be revived', async () => {
    const { database, clock, newProcess, store } = await prepare();
    const jobs = newProcess();
    const attempts: number[] = [];
    let broken = true;
    jobs.handle(greet, async (_payload, { attempt }) => {
      attempts.push(attempt);
      if (broken) throw new TypeError('holds the name of a person');
    });
    await database.transact((trx) => jobs.enqueue(trx, greet, { name: 'Ada' }));
    await jobs.runDue();
    clock.advance(999);
    expect(await jobs.runDue()).toBe(0);
    clock.advance(1);
    expect(await jobs.runDue()).toBe(1);
    clock.advance(2_000);
    expect(await jobs.runDue()).toBe(1);
    clock.advance(1_000_000);
    expect(await jobs.runDue()).toBe(0);
    expect(attempts).toEqual([1, 2, 3]);
    const [dead] = await store.listDead(10);
    expect(dead).toMatchObject({ kind: 'greet', state: 'dead', attempts: 3, last_error: 'TypeError' });

    broken = false;
    expect(await store.revive(dead!.id, clock.now())).toBe(true);
    expect(await jobs.runDue()).toBe(1);
    expect(await store.countByState()).toEqual([]);
  });

  it('is dead at once if the handler gives up', async () => {
    const { database, newProcess, store } = await prepare();
    const jobs = newProcess();
    jobs.handle(greet, async () => {
      throw new JobAbandonedError('gone');
    });
    await database.transact((trx) => jobs.enqueue(trx, greet, { name: 'Ada' }));
    await jobs.runDue();
    expect(await store.listDead(10)).toMatchObject([{ attempts: 1, last_error: 'gone' }]);
  });
});

describe('leases', () => {
  it('give every job to exactly one of several processes', async () => {
    const { database, newProcess } = await prepare();
    const runs: string[] = [];
    const processes = Array.from({ length: 4 }, () => {
      const jobs = newProcess();
      jobs.handle(greet, async ({ name }) => void runs.push(name));
      return jobs;
    });
    const names = Array.from({ length: 40 }, (_, index) => `${index}`);
    await database.transact(async (trx) => {
      for (const name of names) await processes[0]!.enqueue(trx, greet, { name });
    });
    let begun = 1;
    while (begun > 0) {
      const counts = await Promise.all(processes.map((jobs) => jobs.runDue()));
      begun = counts.reduce((sum, count) => sum + count, 0);
    }
    expect(runs.toSorted()).toEqual(names.toSorted());
  });

  it('pass on the job of a dead process, and count the attempt', async () => {
    const { database, clock, newProcess, store } = await prepare();
    const jobs = newProcess();
    const attempts: number[] = [];
    jobs.handle(greet, async (_payload, { attempt }) => void attempts.push(attempt));
    await database.transact((trx) => jobs.enqueue(trx, greet, { name: 'Ada' }));
    // The process that took the job was killed. Its lease remains.
    const leaseUntil = clock.now() + LEASE_MS;
    await store.claim({ kind: 'greet', now: clock.now(), leaseUntil, leaseToken: 'killed', limit: 1 });
    expect(await jobs.runDue()).toBe(0);
    clock.advance(LEASE_MS + 1);
    expect(await jobs.runDue()).toBe(1);
    expect(attempts).toEqual([2]);
  });

  it("keep a run that lost its lease from finishing another run's job", async () => {
    const { database, clock, newProcess, store } = await prepare();
    const [slow, quick] = [newProcess(), newProcess()];
    const [slowWork, quickWork] = [createHeldWork(), createHeldWork()];
    slow.handle(greet, slowWork.run);
    quick.handle(greet, quickWork.run);
    await database.transact((trx) => slow.enqueue(trx, greet, { name: 'Ada' }));
    const slowRun = slow.runDue();
    await slowWork.begun;
    clock.advance(LEASE_MS + 1);
    const quickRun = quick.runDue();
    await quickWork.begun;
    slowWork.finish();
    await slowRun;
    expect(await store.countByState()).toMatchObject([{ state: 'running' }]);
    quickWork.finish();
    await quickRun;
    expect(await store.countByState()).toEqual([]);
  });

  it('declare a job dead if every run ended with its process', async () => {
    const { database, clock, newProcess, store } = await prepare();
    const jobs = newProcess();
    let runs = 0;
    jobs.handle(greet, async () => void runs++);
    await database.transact((trx) => jobs.enqueue(trx, greet, { name: 'Ada' }));
    for (let round = 0; round < greet.maxAttempts; round++) {
      const now = clock.now();
      await store.claim({ kind: 'greet', now, leaseUntil: now, leaseToken: `${round}`, limit: 1 });
      clock.advance(1);
    }
    await jobs.runDue();
    expect(runs).toBe(0);
    expect(await store.listDead(1)).toMatchObject([{ last_error: 'NeverFinished' }]);
  });

  it('are returned without a counted attempt by a process that stops', async () => {
    const { database, newProcess, store } = await prepare();
    const jobs = newProcess();
    jobs.handle(greet, (_payload, { signal }) => {
      // The process may stop between the lease and this line.
      signal.throwIfAborted();
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    await database.transact((trx) => jobs.enqueue(trx, greet, { name: 'Ada' }));
    await jobs.start();
    await expect.poll(() => store.countByState()).toMatchObject([{ state: 'running' }]);
    await jobs.stop();
    const [row] = await database.queries.selectFrom('jobs').selectAll().execute();
    expect(row).toMatchObject({ state: 'ready', attempts: 0, lease_token: null });
  });
});

const anyJob = (database: Database) => database.queries.selectFrom('jobs').select('id').executeTakeFirstOrThrow();

describe('recurring jobs', () => {
  const sweep = defineRecurringJob('sweep', 60_000);

  it('run again after their interval, on success and failure, once for all processes', async () => {
    const { clock, newProcess } = await prepare();
    let runs = 0;
    const processes = [newProcess(), newProcess()];
    for (const jobs of processes) {
      jobs.handle(sweep, async () => {
        runs += 1;
        if (runs === 2) throw new Error('once');
      });
      await jobs.start();
      await jobs.stop();
    }
    const fresh = newProcess();
    fresh.handle(sweep, async () => {
      runs += 1;
      if (runs === 2) throw new Error('once');
    });
    for (const expected of [1, 2, 3]) {
      await fresh.runDue();
      expect(runs).toBe(expected);
      clock.advance(60_000);
    }
  });

  it('run within their interval even if a clock that was ahead postponed them', async () => {
    const { clock, database, newProcess } = await prepare();
    let runs = 0;
    const begin = async () => {
      const jobs = newProcess();
      jobs.handle(sweep, async () => {
        runs += 1;
      });
      await jobs.start();
      return jobs;
    };
    const runAt = async () => (await database.queries.selectFrom('jobs').select('run_at').executeTakeFirst())!.run_at;
    clock.advance(YEAR_MS);
    const ahead = await begin();
    await expect.poll(async () => (await runAt()) > clock.now(), PATIENCE).toBe(true);
    await ahead.stop();
    clock.advance(-YEAR_MS);
    const right = await begin();
    await expect.poll(() => runs, PATIENCE).toBe(2);
    await right.stop();
    expect(await runAt()).toBe(clock.now() + 60_000);
  });

  it('of a process that died while its clock was ahead are taken over', async () => {
    const { clock, database, store, newProcess } = await prepare();
    const first = newProcess();
    first.handle(sweep, async () => {});
    await first.start();
    await expect.poll(() => store.countByState(), PATIENCE).toMatchObject([{ state: 'ready' }]);
    await first.stop();
    const lost = { state: 'running' as const, lease_token: 'of nobody', lease_until: clock.now() + YEAR_MS };
    await database.queries.updateTable('jobs').set(lost).execute();
    let runs = 0;
    const next = newProcess();
    next.handle(sweep, async () => {
      runs += 1;
    });
    await next.start();
    await expect
      .poll(
        async () => (await store.findById((await anyJob(database)).id))!.lease_until! < clock.now() + YEAR_MS,
        PATIENCE,
      )
      .toBe(true);
    clock.advance(600_001);
    await expect.poll(() => runs, PATIENCE).toBe(1);
    await next.stop();
  });
});

describe('one-time jobs', () => {
  it('are retried at once only if a clock that was ahead postponed them beyond the maximum', async () => {
    const { clock, database, newProcess } = await prepare();
    const DAY_MS = 24 * 60 * 60 * 1000;
    const quick = defineJob<string>('quick');
    const slow = defineJob<string>('slow', { longestWaitMs: DAY_MS });
    const put = (jobs: Jobs, job: typeof slow, payload: string, inMs: number) =>
      database.transact((trx) => jobs.enqueue(trx, job, payload, { runAt: clock.now() + inMs }));
    await put(newProcess(), slow, 'in a day', DAY_MS);
    await put(newProcess(), slow, 'in two days', 2 * DAY_MS);

    clock.advance(2 * DAY_MS);
    const ahead = newProcess();
    ahead.handle(quick, () => Promise.reject(new Error('not now')));
    await ahead.start();
    await put(ahead, quick, 'failed', 0);
    const errors = database.queries.selectFrom('jobs').select('last_error').where('kind', '=', 'quick');
    await expect.poll(() => errors.execute(), PATIENCE).toEqual([{ last_error: 'Error' }]);
    await ahead.stop();
    clock.advance(-2 * DAY_MS);

    const ran: string[] = [];
    const right = newProcess();
    for (const job of [quick, slow]) right.handle(job, async (payload) => void ran.push(payload));
    await right.start();
    await expect.poll(() => ran.toSorted(), PATIENCE).toEqual(['failed', 'in two days']);
    clock.advance(DAY_MS);
    await expect.poll(() => ran, PATIENCE).toHaveLength(3);
    await right.stop();
  });

  it('are not brought forward while the clock is wrong', async () => {
    const { clock, database, store, newProcess } = await prepare();
    const looked = Promise.withResolvers<void>();
    const listDue: JobStore['listDue'] = (kinds, now) => {
      looked.resolve();
      return store.listDue(kinds, now);
    };
    const greeted: string[] = [];
    const newGreeter = (through?: JobStore) => {
      const jobs = newProcess(through);
      jobs.handle(greet, async ({ name }) => void greeted.push(name));
      return jobs;
    };
    const wrong = newGreeter(override(store, { listDue }));
    const runAt = clock.now() + YEAR_MS;
    await database.transact((trx) => wrong.enqueue(trx, greet, { name: 'Ada' }, { runAt }));
    clock.isWrong = () => true;
    await wrong.start();
    await looked.promise;
    await wrong.stop();
    expect(await database.queries.selectFrom('jobs').select('run_at').execute()).toEqual([{ run_at: runAt }]);

    clock.isWrong = () => false;
    const right = newGreeter();
    await right.start();
    await expect.poll(() => greeted, PATIENCE).toEqual(['Ada']);
    await right.stop();
  });
});
