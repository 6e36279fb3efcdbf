// Group commit on a real file: which writers share a commit, and what rollbacks and a failing disk
// undo.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SqliteWriter } from './sqlite-writer.ts';

let folder: string;
let db: DatabaseSync;
let outside: DatabaseSync;
let writer: SqliteWriter;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'limen-writer-'));
  db = new DatabaseSync(join(folder, 'test.db'));
  db.exec('pragma journal_mode = wal; create table t (n integer primary key)');
  outside = new DatabaseSync(join(folder, 'test.db'), { readOnly: true });
  writer = new SqliteWriter(db);
});

afterEach(() => {
  outside.close();
  db.close();
  rmSync(folder, { recursive: true });
});

const committed = () =>
  outside
    .prepare('select n from t order by n')
    .all()
    .map(({ n }) => n);

async function insert(n: number, savepoint = true): Promise<void> {
  const turn = await writer.begin(savepoint);
  try {
    writer.run(turn, () => db.prepare('insert into t values (?)').run(n));
  } catch (error) {
    await writer.rollback(turn);
    throw error;
  }
  await writer.commit(turn);
}

it('resolves a commit only when others can see it', async () => {
  const turn = await writer.begin(true);
  writer.run(turn, () => db.exec('insert into t values (1)'));
  const durable = writer.commit(turn);
  expect(committed()).toEqual([]);
  await durable;
  expect(committed()).toEqual([1]);
});

it('commits everything of one turn of the event loop together', async () => {
  const versions = new Set<unknown>();
  await Promise.all(
    [1, 2, 3, 4].map(async (n) => {
      await insert(n);
      versions.add(committed().join());
    }),
  );
  expect([...versions]).toEqual(['1,2,3,4']);
});

it('undoes only the member that rolled back', async () => {
  const results = await Promise.allSettled([insert(1), insert(1), insert(2), insert(2, false), insert(3)]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled']);
  expect(committed()).toEqual([1, 2, 3]);
});

it('lets a slow transaction finish and commits the next group after it', async () => {
  const slow = await writer.begin(true);
  writer.run(slow, () => db.exec('insert into t values (1)'));
  const waiting = insert(2);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(committed()).toEqual([]);
  await Promise.all([writer.commit(slow), waiting]);
  expect(committed()).toEqual([1, 2]);
});

it('reports a conflict only when others can see the conflicting row', async () => {
  const first = insert(1);
  await expect(insert(1).finally(() => expect(committed()).toEqual([1]))).rejects.toThrow('UNIQUE');
  await first;
});

it('reports to every member of the group when the database rolls it back', async () => {
  const first = await writer.begin(true);
  writer.run(first, () => db.exec('insert into t values (1)'));
  const acknowledged = writer.commit(first);
  const second = await writer.begin(true);
  // Simulates a full disk: SQLite ends the outer transaction by itself and reports an error.
  expect(() =>
    writer.run(second, () => {
      db.exec('rollback');
      throw new Error('disk full');
    }),
  ).toThrow('disk full');
  await expect(acknowledged).rejects.toThrow('disk full');
  expect(() => writer.run(second, () => db.exec('insert into t values (2)'))).toThrow('rolled back by the database');
  await expect(writer.commit(second)).rejects.toThrow('rolled back by the database');
  await insert(3);
  expect(committed()).toEqual([3]);
});

it('reports to every member when the commit itself fails', async () => {
  db.exec('pragma foreign_keys = on; create table parent (id integer primary key)');
  db.exec('create table child (id integer references parent (id) deferrable initially deferred)');
  const broken = await writer.begin(false);
  writer.run(broken, () => db.exec('insert into child values (7)'));
  const results = await Promise.allSettled([writer.commit(broken), insert(1)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(committed()).toEqual([]);
  await insert(2);
  expect(committed()).toEqual([2]);
});

it('runs work between two groups, with every earlier commit on disk', async () => {
  const before = insert(1);
  let seen: unknown[] = [];
  await writer.runBetweenGroups(() => {
    seen = committed();
    db.exec('pragma wal_checkpoint(truncate)');
  });
  await before;
  expect(seen).toEqual([1]);
});

it("waits for another process's lock without blocking the event loop", async () => {
  const foreign = new DatabaseSync(join(folder, 'test.db'));
  foreign.exec('begin immediate');
  db.exec('pragma busy_timeout = 0');
  const written = insert(1);
  let turns = 0;
  while (turns < 20) {
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  }
  expect(committed()).toEqual([]);
  foreign.exec('commit');
  foreign.close();
  await written;
  expect(committed()).toEqual([1]);
});

it('lets a running transaction finish before it closes, and refuses later ones', async () => {
  const turn = await writer.begin(true);
  writer.run(turn, () => db.exec('insert into t values (1)'));
  const closing = writer.close();
  const late = insert(9);
  await new Promise((resolve) => setImmediate(resolve));
  expect(committed()).toEqual([]);
  writer.run(turn, () => db.exec('insert into t values (2)'));
  await Promise.all([writer.commit(turn), closing]);
  await expect(late).rejects.toThrow('the database is closed');
  expect(committed()).toEqual([1, 2]);
});

it('acknowledges what is on disk even if a commit listener fails', async () => {
  const listened = new SqliteWriter(db, {
    onCommit: () => {
      throw new Error('a reader in trouble');
    },
  });
  const turn = await listened.begin(false);
  listened.run(turn, () => db.exec('insert into t values (1)'));
  const acknowledged = listened.commit(turn);
  expect(() => listened.flush()).toThrow('a reader in trouble');
  await acknowledged;
  expect(committed()).toEqual([1]);
});
