// Opens database and keys in the one safe order: check the master key, migrate, open the keyring, and tell the others that this process
// is there. A wrong key stops it before the first change.
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, type DatabaseOptions, openDatabase } from './database/database.ts';
import { isLockedOut, isUnavailable, LOCKED_OUT } from './database/failures.ts';
import { LAST_MIGRATION, migrate, planMigrations } from './database/migrate.ts';
import { announceProcess, type Presence, type PresenceOptions } from './database/processes.ts';
import { StartError } from './errors.ts';
import { checkMasterKey, type Keyring, type KeyringOptions, keysForMigrations, openKeyring } from './keyring.ts';
import type { Sealer } from './sealing/sealer.ts';

export interface Storage {
  database: Database;
  sealer: Sealer;
  /** For changing keys. */
  keyring: KeyringOptions;
  /** Those that this process has. */
  keys: Omit<Keyring, 'sealer'>;
  /** Its row among the processes. */
  presence: Pick<Presence, 'id' | 'renew'>;
  /** Names of the migrations that were pending. */
  migrated: string[];
}

interface Patience {
  /** How long a PostgreSQL that does not answer yet is waited for. */
  forMs: number;
  /** Told once, when it turns out that there is something to wait for. */
  onWaiting(): void;
}

type ProcessOptions = Omit<KeyringOptions, 'database'> & Pick<PresenceOptions, 'onOutgrown'>;
type StorageOptions = DatabaseOptions & ProcessOptions & { patience?: Patience };

const RETRY_MS = 250;

export async function openStorage(options: StorageOptions): Promise<Storage> {
  const database = openDatabase(options);
  try {
    // Everything in it is one transaction or changes nothing: what broke half-way can be done again from the beginning.
    return await whenItAnswers(options, () => prepare(database, options));
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function prepare(
  database: Database,
  { dataDir, masterKey, clock, ids, onOutgrown }: ProcessOptions,
): Promise<Storage> {
  const keyring = { database, dataDir, masterKey, clock, ids };
  await checkMasterKey(keyring);
  const migrated = await migrate(database, clock, keysForMigrations(keyring));
  const checkSchema = () => planMigrations(database);
  const presence = await announceProcess({ database, clock, ids, knows: LAST_MIGRATION, checkSchema, onOutgrown });
  try {
    const { sealer, ...keys } = await openKeyring(keyring, presence.isCurrent);
    // Who ended an upgrade between our look at the schema and our announcement did not see us. Now, after a turn at the lock, they have either
    // done so, or will.
    await checkSchema();
    await presence.follow(keys);
    const close = async () => {
      await presence.end();
      await database.close();
    };
    return { database: { ...database, close }, sealer, keyring, keys, presence, migrated };
  } catch (error) {
    await presence.end();
    throw error;
  }
}

/** A database and its service are often started together, and the database takes longer. A file is there or not. */
async function whenItAnswers<T>({ url, patience }: StorageOptions, open: () => Promise<T>): Promise<T> {
  if (url === undefined || !patience) return open();
  const giveUpAt = performance.now() + patience.forMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return await open();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (performance.now() >= giveUpAt) {
        if (isLockedOut(error)) throw new StartError(LOCKED_OUT, { cause: error });
        const seconds = Math.round(patience.forMs / 1000);
        throw new StartError(
          `The database does not answer${seconds > 0 ? `; the start waited ${seconds} s for it` : ''}. ` +
            'Check DATABASE_URL and that the server is running; DATABASE_WAIT_SECONDS says how long to wait for it.',
          { cause: error },
        );
      }
      if (tries === 0) patience.onWaiting();
      await pause(RETRY_MS);
    }
  }
}
