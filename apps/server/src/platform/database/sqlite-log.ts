// Treats SQLite's write-ahead log as a file: a thread fsyncs it while the event loop goes on.
import { closeSync, fdatasync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isBusy, type SyncLog } from './sqlite-writer.ts';

const PIECE_BYTES = 2 ** 20;

/**
 * Brings the whole log to the disk before it is read or appended to. After a failed fsync, the system may show pages that never
 * reached the disk and count them as written: a later fsync would succeed over the hole, and after a power cut SQLite would stop
 * reading there. Writing the log over itself makes the pages dirty again. `begin immediate` keeps other writers out; readers see the
 * same bytes. If another process holds the lock, the log was rewritten when that process or an earlier one opened the file.
 */
export function rewriteLog(db: DatabaseSync, file: string): void {
  try {
    db.exec('begin immediate');
  } catch (error) {
    if (isBusy(error)) return;
    throw error;
  }
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

/** Opens the log, which stays the same file while a connection is open. SQLite holds no locks on it that a second descriptor would drop. */
export function openSqliteLog(file: string): { sync: SyncLog; close(): void } {
  // Opened at the start, because there may be no descriptor left later. Windows syncs only files opened for writing.
  const descriptor = openSync(`${file}-wal`, 'r+');
  return {
    sync: (done) => fdatasync(descriptor, done),
    close: () => closeSync(descriptor),
  };
}
