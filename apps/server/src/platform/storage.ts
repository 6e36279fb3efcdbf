// Opens database and keys in the one safe order: check the master key, migrate, open the keyring, and tell the others that this process
// is there. A wrong key stops it before the first change.
import { type Database, type DatabaseOptions, openDatabase } from './database/database.ts';
import { LAST_MIGRATION, migrate, planMigrations } from './database/migrate.ts';
import { announceProcess, type Presence, type PresenceOptions } from './database/processes.ts';
import { type Patience, whenItAnswers } from './database/when-it-answers.ts';
import { checkMasterKey, type Keyring, type KeyringOptions, migrationNote, openKeyring } from './sealing/keyring.ts';
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

type ProcessOptions = Omit<KeyringOptions, 'database'> &
  Pick<PresenceOptions, 'onOutgrown'> & { onHeartbeat?: ((database: Database) => Promise<void>) | undefined };
type StorageOptions = Omit<DatabaseOptions, 'refusesReadOnly'> & ProcessOptions & { patience?: Patience };

export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { url, patience } = options;
  const database = openDatabase({ ...options, refusesReadOnly: true });
  const open = () => prepare(database, options);
  try {
    // A file is there or not.
    if (url === undefined || !patience) return await open();
    // Everything in it is one transaction or changes nothing: what broke half-way can be done again from the beginning.
    return await whenItAnswers(patience, { url: 'DATABASE_URL', wait: 'DATABASE_WAIT_SECONDS' }, open);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function prepare(
  database: Database,
  { dataDir, masterKey, clock, ids, onOutgrown, onHeartbeat }: ProcessOptions,
): Promise<Storage> {
  const keyring = { database, dataDir, masterKey, clock, ids };
  await checkMasterKey(keyring);
  const migrated = await migrate(database, clock, migrationNote(keyring));
  const checkSchema = () => planMigrations(database);
  const presence = await announceProcess({
    ...{ database, clock, ids, knows: LAST_MIGRATION, checkSchema, onOutgrown },
    onHeartbeat: onHeartbeat && (() => onHeartbeat(database)),
  });
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
