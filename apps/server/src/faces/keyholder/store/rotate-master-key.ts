// Puts the data key of a key-holder under another master key, in one transaction: a store that is opened at any moment opens with one of
// the two. Running key-holders have the data key, which does not change, and go on.
import type { Clock } from '../../../platform/base/clock.ts';
import { openFileStore } from './file.ts';
import { openPostgresRows, requireKeyHolder } from './postgres.ts';
import { type MasterKeys, rewrapVault } from './vault.ts';

/** Returns false if the store is already sealed under the first of the master keys. */
export async function rotateFolder(folder: string, masterKeys: MasterKeys, clock: Clock): Promise<boolean> {
  const store = await openFileStore(folder, masterKeys, clock);
  try {
    const hasChanged = await store.transact((rows) => rewrapVault(rows, masterKeys, 'folder'));
    // The row as the old key sealed it is in the write-ahead log until that is emptied.
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
