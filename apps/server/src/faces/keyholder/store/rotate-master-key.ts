// Moves the data key of a key-holder under another master key, in one transaction. At any moment, one of the two keys opens the store.
// Running key-holders go on, because the data key does not change.
import type { Clock } from '../../../platform/base/clock.ts';
import { openFileStore } from './file.ts';
import { openPostgresRows, requireKeyHolder } from './postgres.ts';
import { type MasterKeys, rewrapVault } from './vault.ts';

/** Returns false if the store is already sealed under the first of the master keys. */
export async function rotateFolder(folder: string, masterKeys: MasterKeys, clock: Clock): Promise<boolean> {
  const store = await openFileStore(folder, masterKeys, clock);
  try {
    const hasChanged = await store.transact((rows) => rewrapVault(rows, masterKeys, 'folder'));
    // Empties the write-ahead log, which still has the row under the old key.
    await store.eraseFreed();
    return hasChanged;
  } finally {
    await store.close();
  }
}

/** Returns false if the store is already sealed under the first of the master keys. */
export async function rotateDatabase(url: string, masterKeys: MasterKeys): Promise<boolean> {
  const opened = openPostgresRows(url, () => {});
  try {
    return await opened.transact(async (rows) => {
      await requireKeyHolder(rows);
      return rewrapVault(rows, masterKeys, 'database');
    });
  } finally {
    await opened.close();
  }
}
