// A log left by a process that ended over a failed fsync is rewritten and fsynced before anything
// else.
import fs, { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { openSqlite } from './sqlite-dialect.ts';

/** Returns a database file that its process did not close. */
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

/**
 * Simulates a system that dropped its dirty pages but counts them as written: only new writes reach
 * the disk.
 */
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
      // The last file with this descriptor. Earlier ones are closed before.
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

it('skips a log that another process is writing to, without waiting', async () => {
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

it.each([1, 1_000])('puts an unchanged log of %i rows on disk before the database is open', async (rows) => {
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
