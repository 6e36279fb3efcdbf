// The write-ahead log as a file of its own, which a thread brings to the disk while the event loop goes on.
import { closeSync, fdatasync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isBusy, type SyncLog } from './sqlite-writer.ts';

export interface SqliteLog {
  sync: SyncLog;
  close(): void;
}

const PIECE_BYTES = 2 ** 20;

/**
 * Brings to the disk whatever the log holds, before anything is read from it or appended. Where a process ended over a failed fsync, the
 * system may go on showing what never reached the disk, and count it as written: a later fsync would succeed over the hole, and
 * after a power cut SQLite reads up to there and no further. Written over itself it is to be written again. `begin immediate` keeps
 * every other writer out meanwhile; who only reads sees the same bytes. Where another writer is at work right now, that one is alive and has
 * done this, or whoever was there before it: nothing is waited for.
 */
export function writeLogAnew(db: DatabaseSync, file: string): void {
  if (!tryLock(db)) return;
  try {
    const descriptor = openSync(`${file}-wal`, 'r+');
    try {
      writeOverItself(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } finally {
    db.exec('rollback');
  }
}

function writeOverItself(descriptor: number): void {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  let at = 0;
  for (;;) {
    const length = readSync(descriptor, piece, 0, PIECE_BYTES, at);
    if (length === 0) break;
    for (let done = 0; done < length; ) done += writeSync(descriptor, piece, done, length - done, at + done);
    at += length;
  }
  if (at > 0) fdatasyncSync(descriptor);
}

function tryLock(db: DatabaseSync): boolean {
  try {
    db.exec('begin immediate');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/**
 * Of a database that has been read from already: the log is there from then on. SQLite deletes it when the last connection closes and
 * never before, so it is the same file for as long as one of ours is open. It holds no locks of SQLite's, which closing a second
 * descriptor would drop.
 */
export function openSqliteLog(file: string): SqliteLog {
  // At the start, and not when it is needed: there may be no descriptor left by then. Windows syncs only what was opened for writing.
  const descriptor = openSync(`${file}-wal`, 'r+');
  return {
    sync: (done) => fdatasync(descriptor, done),
    close: () => closeSync(descriptor),
  };
}
