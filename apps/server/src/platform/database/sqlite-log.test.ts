// What a process left in the log that ended over a failed fsync: written again, and brought to the disk, before anything else.
import fs, { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { openSqlite } from './sqlite-dialect.ts';

/** As it was left by a process that did not close it. */
function leftBehind(rows: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'limen-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const db = new DatabaseSync(join(folder, 'first.db'));
  db.exec(
    'pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table t (n integer primary key, filler blob)',
  );
  const insert = db.prepare('insert into t values (?, randomblob(3000))');
  for (let n = 1; n <= rows; n += 1) insert.run(n);
  const file = join(folder, 'left.db');
  for (const end of ['', '-wal']) copyFileSync(join(folder, `first.db${end}`), `${file}${end}`);
  db.close();
  return file;
}

/** A system that has forgotten of every file what it has not written, and counts it as written: only what comes from now on gets there. */
function watchDisk(file: string) {
  const { openSync, writeSync, fdatasyncSync } = fs;
  const size = readFileSync(file).length;
  const [onDisk, written] = [Buffer.alloc(size), new Map<number, Buffer>()];
  let descriptor: number | undefined;
  const use = (calls: object) => {
    Object.assign(fs, calls);
    syncBuiltinESMExports();
  };
  use({
    openSync: (...args: Parameters<typeof openSync>) => {
      const opened = openSync(...args);
      // The last one under this number: others are closed before.
      if (args[0] === file) descriptor ??= opened;
      return opened;
    },
    writeSync: (fd: number, bytes: Buffer, from: number, length: number, at: number) => {
      const done = writeSync(fd, bytes, from, Math.min(length, 100_000), at);
      if (fd === descriptor) written.set(at, Buffer.from(bytes.subarray(from, from + done)));
      return done;
    },
    fdatasyncSync: (fd: number) => {
      fdatasyncSync(fd);
      if (fd !== descriptor) return;
      for (const [at, bytes] of written) bytes.copy(onDisk, at);
      written.clear();
    },
  });
  onTestFinished(() => use({ openSync, writeSync, fdatasyncSync }));
  return onDisk;
}

it('a log that another process is writing to right now is left alone, and not waited for', async () => {
  const file = leftBehind(1);
  const other = new DatabaseSync(file);
  other.exec('begin immediate');
  const onDisk = watchDisk(`${file}-wal`);
  const handle = openSqlite(file, { reserveBytes: 0, onRoomChange: () => {} });
  expect(onDisk.every((byte) => byte === 0)).toBe(true);
  other.exec('rollback');
  other.close();
  await handle.close();
});

it.each([1, 1_000])('the log of %i rows is on disk once the database is open, the same as before', async (rows) => {
  const file = leftBehind(rows);
  const before = readFileSync(`${file}-wal`);
  const onDisk = watchDisk(`${file}-wal`);
  const handle = openSqlite(file, { reserveBytes: 0, onRoomChange: () => {} });
  expect(onDisk.equals(before)).toBe(true);
  expect(readFileSync(`${file}-wal`).equals(before)).toBe(true);
  const reader = new DatabaseSync(file, { readOnly: true });
  expect(reader.prepare('select count(*) as n from t').get()).toEqual({ n: rows });
  reader.close();
  await handle.close();
});
