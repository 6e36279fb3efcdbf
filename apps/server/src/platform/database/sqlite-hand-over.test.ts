// Concurrent writers leave the fsync to a thread. A commit is acknowledged and visible only once it
// is on disk.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SqliteWriter, type SyncLog } from './sqlite-writer.ts';

const FULL = 2;
const NORMAL = 1;

interface Stage {
  writer: SqliteWriter;
  db: DatabaseSync;
  /** Pending fsyncs */
  syncs: Parameters<SyncLog>[0][];
  insert(n: number): Promise<void>;
  /** Inserts an existing number; resolves when the failure is reported. */
  insertAgain(n: number): Promise<void>;
  /** Returns the rows that others can see. */
  read(): Promise<number[]>;
  /** Returns the rows that survive a power cut: those before the last completed fsync. */
  left(): number[];
}

async function onStage(play: (stage: Stage) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'limen-hand-over-'));
  const file = join(folder, 'test.db');
  const db = new DatabaseSync(file);
  db.exec('pragma journal_mode = wal; pragma synchronous = full; create table t (n integer primary key)');
  const reading = new DatabaseSync(file, { readOnly: true });
  const syncs: Stage['syncs'] = [];
  let cut = copy();
  const writer = new SqliteWriter(db, {
    onCommit: () => {
      if (levelOf(db) === FULL) cut = copy();
    },
    syncLog: (done) => {
      const covered = copy();
      syncs.push((failure) => {
        if (!failure) cut = covered;
        done(failure);
      });
    },
  });
  try {
    await play({ writer, db, syncs, insert, insertAgain, read, left: () => rowsOf(cut) });
  } finally {
    await someTurns(); // Even a group of failures has a commit.
    for (const connection of [reading, db]) connection.close();
    rmSync(folder, { recursive: true });
  }

  async function insert(n: number): Promise<void> {
    const turn = await writer.begin(true);
    try {
      writer.run(turn, () => db.prepare('insert into t values (?)').run(n));
    } catch (error) {
      await writer.rollback(turn);
      throw error;
    }
    await writer.commit(turn);
  }

  function insertAgain(n: number): Promise<void> {
    return expect(insert(n)).rejects.toThrow('UNIQUE');
  }

  async function read(): Promise<number[]> {
    const seen = numbers(reading);
    await writer.untilOnDisk;
    return seen;
  }

  function copy(): string {
    const to = mkdtempSync(join(folder, 'cut-'));
    for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, join(to, `test.db${end}`));
    return join(to, 'test.db');
  }
}

function rowsOf(file: string): number[] {
  const left = new DatabaseSync(file);
  try {
    return numbers(left);
  } finally {
    left.close();
  }
}

const numbers = (db: DatabaseSync) =>
  db
    .prepare('select n from t order by n')
    .all()
    .map(({ n }) => Number(n));
const levelOf = (db: DatabaseSync) => Number(db.prepare('pragma synchronous').get()?.['synchronous']);
const someTurns = async () => {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** Returns whether the promise is settled. */
async function isOver(work: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([work, someTurns().then(() => pending)])) !== pending;
}

describe('concurrent writers', () => {
  it('see their commit acknowledged, as readers do, once the log is on disk', () =>
    onStage(async ({ insert, read, syncs, left }) => {
      await Promise.all([insert(1), insert(2)]);
      expect(syncs).toHaveLength(0); // SQLite itself commits the first group.
      const told = insert(3);
      expect(await isOver(told)).toBe(false);
      const seen = read();
      expect(await isOver(seen)).toBe(false);
      expect(left()).toEqual([1, 2]);
      syncs[0]!(null);
      await told;
      expect(await seen).toEqual([1, 2, 3]);
      expect(left()).toEqual([1, 2, 3]);
    }));

  it('learn of a conflicting row only after that row is on disk', () =>
    onStage(async ({ insert, insertAgain, syncs, left }) => {
      await Promise.all([insert(1), insert(2)]);
      const inOneGroup = [insert(3), insertAgain(3)];
      await someTurns();
      const behind = insertAgain(3);
      for (const write of [...inOneGroup, behind]) expect(await isOver(write)).toBe(false);
      syncs[0]!(null);
      await Promise.all([...inOneGroup, behind]);
      expect(left()).toEqual([1, 2, 3]);
    }));

  it('form the next group during the current fsync, and share one fsync', () =>
    onStage(async ({ insert, read, syncs }) => {
      await Promise.all([insert(1), insert(2)]);
      const before = insert(3);
      await someTurns();
      const next = Promise.all([insert(4), insert(5), insert(6)]);
      expect(await isOver(next)).toBe(false);
      expect(syncs).toHaveLength(1);
      syncs[0]!(null);
      await before;
      await someTurns();
      expect(syncs).toHaveLength(2);
      const seen = read();
      syncs[1]!(null);
      await next;
      expect(await seen).toEqual([1, 2, 3, 4, 5, 6]);
    }));

  it('leave the fsync to SQLite when they arrive one by one', () =>
    onStage(async ({ db, insert, syncs }) => {
      expect(levelOf(db)).toBe(FULL);
      await Promise.all([insert(1), insert(2)]);
      let alone = 3;
      do {
        const told = insert(alone);
        await someTurns();
        syncs[alone - 3]?.(null);
        await told;
        alone += 1;
      } while (levelOf(db) === NORMAL && alone < 50);
      expect(alone).toBeLessThan(50);
      expect(syncs.length).toBeGreaterThan(2);
    }));

  it('finish before the log is emptied and before the file is closed', () =>
    onStage(async ({ writer, insert, syncs, left }) => {
      await Promise.all([insert(1), insert(2)]);
      const told = insert(3);
      await someTurns();
      let held: number[] = [];
      const between = writer.runBetweenGroups(() => {
        held = left();
      });
      expect(await isOver(between)).toBe(false);
      syncs[0]!(null);
      await Promise.all([told, between]);
      expect(held).toEqual([1, 2, 3]);
      const last = insert(4);
      await someTurns();
      const closing = writer.close();
      expect(await isOver(closing)).toBe(false);
      syncs[1]!(null);
      await Promise.all([last, closing]);
    }));

  it('get no reply if the disk failed: the fsync throws, which ends the process', () =>
    onStage(async ({ insert, read, syncs, left }) => {
      await Promise.all([insert(1), insert(2)]);
      const told = insert(3);
      await someTurns();
      const seen = read();
      expect(() => syncs[0]!(new Error('EIO: i/o error, fdatasync'))).toThrow('EIO');
      const behind = insert(4);
      expect(await isOver(Promise.race([told, seen, behind]))).toBe(false);
      expect(left()).toEqual([1, 2]);
    }));
});

it('lose nothing acknowledged in a power cut, in any order of writers, readers and fsyncs', async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant('write') },
    { weight: 2, arbitrary: fc.constant('read') },
    { weight: 2, arbitrary: fc.constant('write again') },
    { weight: 3, arbitrary: fc.constant('sync') },
    { weight: 3, arbitrary: fc.constant('turn') },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), (steps) =>
      onStage(async ({ insert, insertAgain, read, syncs, left }) => {
        const all: Promise<void>[] = [];
        let written = 0;
        for (const what of steps) {
          if (what === 'write') {
            const n = ++written;
            all.push(insert(n).then(() => expect(left()).toContain(n)));
          } else if (what === 'write again') {
            const n = written;
            if (n > 0) all.push(insertAgain(n).then(() => expect(left()).toContain(n)));
          } else if (what === 'read')
            all.push(read().then((seen) => expect(left()).toEqual(expect.arrayContaining(seen))));
          else if (what === 'sync') syncs.shift()?.(null);
          else await new Promise((resolve) => setImmediate(resolve));
        }
        const over = Promise.all(all);
        while (!(await isOver(over))) syncs.shift()?.(null);
        expect(left()).toHaveLength(written);
      }),
    ),
    { numRuns: onlyWhenLong(500, 25) },
  );
});
