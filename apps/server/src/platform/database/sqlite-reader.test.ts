// One snapshot per turn of the event loop, shared by its reads, dropped at the end and at each own
// commit.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSnapshots } from './sqlite-dialect.ts';
import { SqliteWriter } from './sqlite-writer.ts';

let folder: string;
let ours: DatabaseSync;
let reading: DatabaseSync;
let foreign: DatabaseSync;
let snapshots: ReturnType<typeof openSnapshots>;
let writer: SqliteWriter;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'limen-reader-'));
  const file = join(folder, 'test.db');
  ours = new DatabaseSync(file);
  ours.exec('pragma journal_mode = wal; create table t (n integer primary key)');
  reading = new DatabaseSync(file, { readOnly: true });
  foreign = new DatabaseSync(file);
  snapshots = openSnapshots(reading);
  writer = new SqliteWriter(ours, { onCommit: snapshots.end });
});

afterEach(() => {
  snapshots.end();
  for (const db of [reading, ours, foreign]) db.close();
  rmSync(folder, { recursive: true });
});

const count = () => snapshots.read(() => Number(reading.prepare('select count(*) as c from t').get()?.['c']));
const nextTurn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

it('gives the reads of one turn the same snapshot, and the next turn a new one', async () => {
  expect(count()).toBe(0);
  foreign.exec('insert into t values (1)');
  expect(count()).toBe(0);
  await nextTurn();
  expect(count()).toBe(1);
});

it("shows this process's commits from the moment they are acknowledged", async () => {
  expect(count()).toBe(0);
  const turn = await writer.begin(false);
  writer.run(turn, () => ours.exec('insert into t values (1)'));
  const seen: number[] = [];
  const durable = writer.commit(turn).then(() => seen.push(count()));
  seen.push(count());
  await durable;
  expect(seen).toEqual([0, 1]);
});

it('holds no snapshot while nothing reads', async () => {
  count();
  await nextTurn();
  foreign.exec('insert into t values (1)');
  const [result] = foreign.prepare('pragma wal_checkpoint(truncate)').all();
  expect(result).toMatchObject({ busy: 0 });
});
