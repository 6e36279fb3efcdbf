// The write-ahead log as a file of its own, which a thread brings to the disk while the event loop goes on.
import { closeSync, fdatasync, openSync } from 'node:fs';
import type { SyncLog } from './sqlite-writer.ts';

export interface SqliteLog {
  sync: SyncLog;
  close(): void;
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
