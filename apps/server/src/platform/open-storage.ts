// Opens database and keys in the one safe order: check the master key, migrate, open the keyring.
// A wrong key stops it before the first change.
import { type Database, type DatabaseOptions, openDatabase } from './database/database.ts';
import { migrate } from './database/migrate.ts';
import { checkMasterKey, type KeyringOptions, openKeyring } from './sealing/keyring.ts';
import type { Sealer } from './sealing/sealer.ts';

export interface Storage {
  database: Database;
  sealer: Sealer;
  /** For changing keys. */
  keyring: KeyringOptions;
  /** Names of the migrations that were pending. */
  migrated: string[];
}

type StorageOptions = DatabaseOptions & Omit<KeyringOptions, 'database'>;

export async function openStorage(options: StorageOptions): Promise<Storage> {
  const database = openDatabase(options);
  try {
    const { dataDir, masterKey, clock, ids } = options;
    const keyring = { database, dataDir, masterKey, clock, ids };
    await checkMasterKey(keyring);
    const migrated = await migrate(database, clock);
    const sealer = await openKeyring(keyring);
    return { database, sealer, keyring, migrated };
  } catch (error) {
    await database.close();
    throw error;
  }
}
