// A key-holder's store in a folder, with a test clock and access to the file.
import { DatabaseSync } from 'node:sqlite';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import { keyHolderFile, openFileStore } from '../../src/faces/keyholder/store/file.ts';

export const MASTER_KEY = Buffer.alloc(32, 7);

export function openTestStore(folder: string, { clock = createManualClock() }: { clock?: ManualClock } = {}) {
  return openFileStore(folder, [MASTER_KEY], clock, clock.now);
}

/** Runs `work` on the file, as an attacker with access to it could. */
export function withFile<T>(folder: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(keyHolderFile(folder));
  try {
    return work(db);
  } finally {
    db.close();
  }
}
