// Jobs that a caller awaits, on a real database: retried here, passed on when the process dies,
// done once.

import { PATIENCE } from '@limen/testing/patience.ts';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import { createIds } from '../base/ids.ts';
import type { Database, Transaction } from '../database/database.ts';
import { openStorage, type Storage } from '../storage.ts';
import { defineJob, JobAbandonedError, JobFailedError, type JobHandler, LeaseLostError } from './job.ts';
import { Jobs } from './jobs.ts';
import { JobStore } from './store.ts';

const LEASE_MS = 30_000;
const common = { maxAttempts: 3, leaseMs: LEASE_MS, backoffMs: () => 0 };
const note = defineJob<{ text: string }, string>('note', { ...common, keepDead: false });
const keptNote = defineJob<{ text: string }, string>('kept-note', { ...common, keepDead: true });

interface Place {
  database: Database;
  clock: ManualClock;
  store: JobStore;
  /** Opens another process on the same database. */
  newProcess(handler?: JobHandler<{ text: string }, string>): Jobs;
  /** Adds the row of a job that a killed process was performing, and returns its id. */
  leaveBehind(): Promise<string>;
  /** Writes one row, so that running the handler twice or never shows. */
  write(trx: Transaction, text: string): Promise<void>;
  written(): Promise<string[]>;
}

let storage: Storage;
let place: TestDatabase;
beforeAll(async () => {
  place = await createTestDatabase();
  const clock = createManualClock();
  storage = await openStorage({ ...place, masterKey: Buffer.alloc(32, 1), clock, ids: createIds(clock) });
});
afterAll(async () => {
  await storage.database.close();
  await place.dispose();
});

async function prepare(): Promise<Place> {
  const { database, sealer } = storage;
  await database.queries.deleteFrom('jobs').execute();
  await database.queries.deleteFrom('strings').execute();
  const clock = createManualClock();
  const ids = createIds(clock);
  const store = new JobStore(database);
  const log = pino({ level: 'silent' });
  return {
    database,
    clock,
    store,
    newProcess(handler) {
      const jobs = new Jobs({ database, store, sealer, clock, ids, log });
      if (handler) jobs.handle(note, handler);
      return jobs;
    },
    async leaveBehind() {
      const id = ids.sortable();
      const payload = sealer.sealJson({ text: 'left behind' }, `jobs/payload/${id}`);
      const row = { id, kind: note.kind, payload, created_at: clock.now() };
      await store.insertLeased(row, 'killed', clock.now() + LEASE_MS);
      return id;
    },
    async write(trx, text) {
      const row = { owner: 'test', id: ids.sortable(), value: text, bytes: text.length, created_at: clock.now() };
      await trx.insertInto('strings').values(row).execute();
    },
    async written() {
      const rows = await database.queries.selectFrom('strings').select('value').orderBy('id').execute();
      return rows.map(({ value }) => value);
    },
  };
}

/** Returns the error that the caller of a job gets after its final failure. */
async function failureOf(performed: Promise<unknown>): Promise<JobFailedError> {
  const error = await performed.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(JobFailedError);
  return error as JobFailedError;
}

describe('a performed job', () => {
  it("returns the handler's result, and leaves no row", async () => {
    const { newProcess, store } = await prepare();
    let during: unknown;
    const jobs = newProcess(async ({ text }, { attempt, id }) => {
      during = await store.findById(id);
      return `${text}, attempt ${attempt}`;
    });
    expect(await jobs.perform(note, { text: 'Ada' })).toBe('Ada, attempt 1');
    expect(during).toMatchObject({ kind: 'note', state: 'running', attempts: 1 });
    expect(await store.countByState()).toEqual([]);
  });

  it("is not taken by another process, nor by this process's polling, while it runs", async () => {
    const { newProcess } = await prepare();
    let runs = 0;
    const handler = async () => {
      runs += 1;
      expect(await Promise.all([jobs.runDue(), other.runDue()])).toEqual([0, 0]);
      return 'done';
    };
    const jobs = newProcess(handler);
    const other = newProcess(handler);
    await jobs.perform(note, { text: 'Ada' });
    expect(runs).toBe(1);
  });

  it('is refused for a kind without a handler', async () => {
    const { newProcess, store } = await prepare();
    expect(() => newProcess().perform(note, { text: 'Ada' })).toThrow('there is no handler for note');
    expect(await store.countByState()).toEqual([]);
  });

  it('does not disturb the others if it fails', async () => {
    const { newProcess, store } = await prepare();
    const jobs = newProcess(async ({ text }) => {
      if (Number(text) % 2 === 0) throw new RangeError(text);
      return text;
    });
    const all = Array.from({ length: 12 }, (_, i) => jobs.perform(note, { text: `${i}` }));
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(outcomes.map((_, i) => i % 2 === 1));
    expect(await store.countByState()).toEqual([]);
  });
});

describe('a failing performed job', () => {
  it('is tried three times, then the caller gets the last error and nothing is kept', async () => {
    const { newProcess, store } = await prepare();
    const attempts: number[] = [];
    const rows: unknown[] = [];
    const jobs = newProcess(async (_payload, { attempt, id }) => {
      attempts.push(attempt);
      rows.push((await store.findById(id))?.attempts);
      throw new RangeError(`fault ${attempt}`);
    });
    const failure = await failureOf(jobs.perform(note, { text: 'Ada' }));
    expect(failure.cause).toEqual(new RangeError('fault 3'));
    expect(attempts).toEqual([1, 2, 3]);
    expect(rows).toEqual([1, 2, 3]);
    expect(await store.countByState()).toEqual([]);
  });

  it('ends with the first attempt that succeeds', async () => {
    const { newProcess, store } = await prepare();
    const jobs = newProcess(async (_payload, { attempt }) => {
      if (attempt < 3) throw new Error('not yet');
      return `attempt ${attempt}`;
    });
    expect(await jobs.perform(note, { text: 'Ada' })).toBe('attempt 3');
    expect(await store.countByState()).toEqual([]);
  });

  it('is kept with the dead jobs if its kind keeps them', async () => {
    const { newProcess, store } = await prepare();
    const jobs = newProcess();
    jobs.handle(keptNote, async () => {
      throw new RangeError('fault');
    });
    await failureOf(jobs.perform(keptNote, { text: 'Ada' }));
    expect(await store.listDead(10)).toMatchObject([{ kind: 'kept-note', attempts: 3, last_error: 'RangeError' }]);
  });

  it('ends at once if the handler gives up, and keeps the reason', async () => {
    const { newProcess, store } = await prepare();
    const jobs = newProcess(async () => {
      throw new JobAbandonedError('full');
    });
    let runs = 0;
    jobs.handle(keptNote, async () => {
      runs += 1;
      throw new JobAbandonedError('full');
    });
    expect((await failureOf(jobs.perform(keptNote, { text: 'Ada' }))).cause).toBeInstanceOf(JobAbandonedError);
    expect(runs).toBe(1);
    expect(await store.listDead(10)).toMatchObject([{ attempts: 1, last_error: 'full' }]);
    expect((await failureOf(jobs.perform(note, { text: 'Ada' }))).cause).toBeInstanceOf(JobAbandonedError);
    expect(await store.countByState()).toMatchObject([{ kind: 'kept-note', state: 'dead' }]);
  });
});

describe("completing in the handler's transaction", () => {
  it('ends the job and keeps the work together', async () => {
    const { database, newProcess, store, write, written } = await prepare();
    const jobs = newProcess(async ({ text }, run) => {
      await database.transact(async (trx) => {
        await write(trx, text);
        await run.complete(trx);
      });
      expect(await store.findById(run.id)).toBe(undefined);
      return text;
    });
    expect(await jobs.perform(note, { text: 'Ada' })).toBe('Ada');
    expect(await written()).toEqual(['Ada']);
  });

  it('undoes both on rollback, and the next attempt does the work once', async () => {
    const { database, newProcess, store, write, written } = await prepare();
    const states: unknown[] = [];
    const jobs = newProcess(async ({ text }, run) => {
      states.push((await store.findById(run.id))?.state);
      await database.transact(async (trx) => {
        await write(trx, text);
        await run.complete(trx);
        if (run.attempt < 3) throw new Error('the commit failed');
      });
      return text;
    });
    expect(await jobs.perform(note, { text: 'Ada' })).toBe('Ada');
    expect(states).toEqual(['running', 'running', 'running']);
    expect(await written()).toEqual(['Ada']);
    expect(await store.countByState()).toEqual([]);
  });

  it('is refused once the lease is lost, and rolls back the transaction', async () => {
    const { database, clock, newProcess, store, write, written } = await prepare();
    let runs = 0;
    const slow = newProcess(async ({ text }, run) => {
      runs += 1;
      clock.advance(LEASE_MS + 1);
      expect(await quick.runDue()).toBe(1);
      await database.transact(async (trx) => {
        await write(trx, `${text}, by the slow one`);
        await run.complete(trx);
      });
      return text;
    });
    const quick = newProcess(async ({ text }, run) => {
      await database.transact(async (trx) => {
        await write(trx, `${text}, by the quick one`);
        await run.complete(trx);
      });
      return text;
    });
    expect((await failureOf(slow.perform(note, { text: 'Ada' }))).cause).toBeInstanceOf(LeaseLostError);
    expect(runs).toBe(1);
    expect(await written()).toEqual(['Ada, by the quick one']);
    expect(await store.countByState()).toEqual([]);
  });
});

describe('a process that dies', () => {
  it('leaves its job to another process, which runs it once more and ends it', async () => {
    const { clock, newProcess, store, leaveBehind } = await prepare();
    await leaveBehind();
    const seen: unknown[] = [];
    const jobs = newProcess(async ({ text }, { attempt }) => {
      seen.push([text, attempt]);
      return text;
    });
    clock.advance(LEASE_MS);
    expect(await jobs.runDue()).toBe(0);
    clock.advance(1);
    expect(await jobs.runDue()).toBe(1);
    expect(await jobs.runDue()).toBe(0);
    expect(seen).toEqual([['left behind', 2]]);
    expect(await store.countByState()).toEqual([]);
  });

  it('counts as an attempt: after three dead processes the job is dead', async () => {
    const { clock, newProcess, store, leaveBehind } = await prepare();
    const id = await leaveBehind();
    for (const expected of [2, 3]) {
      clock.advance(LEASE_MS + 1);
      const now = clock.now();
      const claim = { kind: note.kind, now, leaseUntil: now + LEASE_MS, leaseToken: `killed ${expected}`, limit: 1 };
      expect(await store.claim(claim)).toMatchObject([{ id, attempts: expected }]);
    }
    let runs = 0;
    const jobs = newProcess(async () => {
      runs += 1;
      return '';
    });
    clock.advance(LEASE_MS + 1);
    expect(await jobs.runDue()).toBe(1);
    expect(runs).toBe(0);
    expect(await store.countByState()).toEqual([]);
  });

  it('leaves the next process only the remaining attempts', async () => {
    const { clock, newProcess, store, leaveBehind } = await prepare();
    await leaveBehind();
    const attempts: number[] = [];
    const jobs = newProcess(async (_payload, { attempt }) => {
      attempts.push(attempt);
      throw new Error('fault');
    });
    clock.advance(LEASE_MS + 1);
    while ((await jobs.runDue()) > 0);
    expect(attempts).toEqual([2, 3]);
    expect(await store.countByState()).toEqual([]);
  });
});

describe('stopping', () => {
  it('waits for the running job, whose caller still gets the result', async () => {
    const { newProcess, store } = await prepare();
    let finish = (_text: string) => {};
    let isAborted = () => false;
    const jobs = newProcess((_payload, { signal }) => {
      isAborted = () => signal.aborted;
      return new Promise((resolve) => (finish = resolve));
    });
    const performed = jobs.perform(note, { text: 'Ada' });
    await vi.waitFor(async () => expect(await store.countByState()).toMatchObject([{ state: 'running' }]), PATIENCE);
    let stopped = false;
    const stop = jobs.stop().then(() => (stopped = true));
    expect(isAborted()).toBe(true);
    // A stop that did not wait would be over after a few turns.
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(stopped).toBe(false);
    finish('done');
    expect(await performed).toBe('done');
    await stop;
    expect(await store.countByState()).toEqual([]);
  });

  it('leaves a job that fails during the stop to the next process, with its remaining attempts', async () => {
    const { newProcess, store } = await prepare();
    const ending = newProcess(async (_payload, { attempt }) => {
      if (attempt === 2) void ending.stop();
      throw new Error('cut short');
    });
    await expect(ending.perform(note, { text: 'Ada' })).rejects.toThrow('cut short');
    expect(await store.countByState()).toMatchObject([{ kind: 'note', state: 'ready' }]);
    const attempts: number[] = [];
    const next = newProcess(async (_payload, { attempt }) => {
      attempts.push(attempt);
      return '';
    });
    expect(await next.runDue()).toBe(1);
    expect(attempts).toEqual([2]);
    expect(await store.countByState()).toEqual([]);
  });
});
