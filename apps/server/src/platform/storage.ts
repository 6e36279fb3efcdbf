// Opens database and keys in the only safe order: checks the master key, migrates, announces this process, and opens the keyring.
// A wrong key stops it before the first change.
import { type Database, type DatabaseOptions, openDatabase } from './database/database.ts';
import { LAST_MIGRATION, migrate, planMigrations } from './database/migrate.ts';
import { announceProcess, type PresenceOptions } from './database/processes.ts';
import { type Patience, whenItAnswers } from './database/when-it-answers.ts';
import { checkMasterKey, type KeyringOptions, migrationNote, openKeyring } from './sealing/keyring.ts';

export type Storage = Awaited<ReturnType<typeof openStorage>>;

type ProcessOptions = Omit<KeyringOptions, 'database'> &
  Pick<PresenceOptions, 'onOutgrown'> & { onHeartbeat?: ((database: Database) => Promise<void>) | undefined };
export type StorageOptions = Omit<DatabaseOptions, 'refusesReadOnly'> & ProcessOptions & { patience?: Patience };

export async function openStorage(options: StorageOptions) {
  const { url, patience } = options;
  const database = openDatabase({ ...options, refusesReadOnly: true });
  const open = () => prepare(database, options);
  try {
    if (url === undefined || !patience) return await open();
    // Each step is one transaction or changes nothing, so a retry can start over.
    return await whenItAnswers(patience, { url: 'DATABASE_URL', wait: 'DATABASE_WAIT_SECONDS' }, open);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function prepare(
  database: Database,
  { dataDir, masterKey, clock, ids, onOutgrown, onHeartbeat }: ProcessOptions,
) {
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
    // An upgrade may have ended without seeing this process. The keyring waited for its lock, so its migrations are visible now.
    await checkSchema();
    await presence.follow(keys);
    const announced: Database = {
      ...database,
      async close() {
        await presence.end();
        await database.close();
      },
    };
    return { database: announced, sealer, keyring, keys, presence, migrated };
  } catch (error) {
    await presence.end();
    throw error;
  }
}
