// The write-ahead log as a file of its own, which a thread brings to the disk while the event loop goes on.
import { closeSync, fdatasync, openSync } from 'node:fs';
import type { SyncLog } from './sqlite-writer.ts';

export interface SqliteLog {
  sync: SyncLog;
  close(): void;
}

/**
 * SQLite deletes the log when the last connection closes and never before, so it is the same file for as long as one of ours is
 * open. It holds no locks of SQLite's, which closing a second descriptor would drop.
 */
export function openSqliteLog(file: string): SqliteLog {
  let descriptor: number | undefined;
  return {
    sync(done) {
      // There since the first commit; Windows syncs only what was opened for writing.
      descriptor ??= openSync(`${file}-wal`, 'r+');
      fdatasync(descriptor, done);
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}
