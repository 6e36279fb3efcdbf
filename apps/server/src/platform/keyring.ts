// The data keys, kept in the database under the master key: envelope encryption.
// Changing the master key re-wraps these few rows and touches no sealed value; running processes do not notice.
//
// Wrapped together with the look-up key, which nothing can do without, is the name of the last migration that was applied: see
// `migrate`. Who deletes or edits it has no look-up key any more.
import { randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';
import type { Database, Queries, Transaction } from './database/database.ts';
import { hasTable, LAST_MIGRATION, lockSchema, type MigrationKeys } from './database/migrate.ts';
import type { Schema } from './database/schema.ts';
import { StartError } from './errors.ts';
import type { Ids } from './ids.ts';
import { generateMasterKey, type MasterKeyFile, masterKeyFile, masterKeyId } from './sealing/master-key.ts';
import { createSealer, type Sealer } from './sealing/sealer.ts';
import { createXaes, KEY_BYTES } from './sealing/xaes-256-gcm.ts';

type DataKeyRow = Schema['data_keys'];
type Purpose = DataKeyRow['purpose'];

const VERSION = 1;
const MASTER_KEY_ID_BYTES = 8;
const HEADER_BYTES = 1 + MASTER_KEY_ID_BYTES;

export interface KeyringOptions {
  database: Database;
  dataDir: string;
  /** From the configuration; without it the file in `dataDir` is used. */
  masterKey: Buffer | undefined;
  clock: Clock;
  ids: Ids;
}

/**
 * Checks the master key against the data keys that are there, before anything is written. To be called before the
 * migrations: a start with the wrong key changes nothing at all. Returns the last migration that the keyring knows of.
 */
export async function checkMasterKey({ database, dataDir, masterKey }: KeyringOptions): Promise<string | undefined> {
  if (!(await hasTable(database, 'data_keys'))) return undefined;
  return database.transact(async (trx) => {
    await lockSchema(trx, database.engine); // otherwise a rotation could move rows and file between the two looks
    const rows = await selectDataKeys(trx);
    return rows.length > 0 ? migratedTo(unwrapAll(rows, masterKey, masterKeyFile(dataDir))) : undefined;
  });
}

/** Of rows that are not in a database: those of a backup. */
export function openDataKeys(
  rows: DataKeyRow[],
  { masterKey, dataDir }: Pick<KeyringOptions, 'masterKey' | 'dataDir'>,
): Sealer {
  return sealerOf(unwrapAll(rows, masterKey, masterKeyFile(dataDir)));
}

/** For those who only look: undefined where there are no keys yet. */
export async function readKeyring({ database, dataDir, masterKey }: KeyringOptions): Promise<Sealer | undefined> {
  return database.transact(async (trx) => {
    await lockSchema(trx, database.engine);
    const rows = await selectDataKeys(trx);
    return rows.length > 0 ? sealerOf(unwrapAll(rows, masterKey, masterKeyFile(dataDir))) : undefined;
  });
}

/** Opens the keyring, making master key file and data keys on the very first start. */
export async function openKeyring(options: KeyringOptions): Promise<Sealer> {
  const { database, masterKey, clock, ids } = options;
  const file = masterKeyFile(options.dataDir);
  const keys = await database.transact(async (trx) => {
    await lockSchema(trx, database.engine);
    const existing = await selectDataKeys(trx);
    if (existing.length > 0) return unwrapAndSettle(existing, masterKey, file);
    const firstKey = masterKey ?? file.read() ?? file.create();
    for (const purpose of ['seal', 'lookup'] as const) {
      const row = { id: ids.sortable(), purpose, created_at: clock.now() };
      const wrapped = wrap(firstKey, row, { key: randomBytes(KEY_BYTES), note: noteFor(row, LAST_MIGRATION) });
      await trx
        .insertInto('data_keys')
        .values({ ...row, wrapped })
        .execute();
    }
    return unwrapAll(await selectDataKeys(trx), masterKey, file);
  });
  return sealerOf(keys);
}

/** For the migrations: the keys that are there, and none is made. */
export function keysForMigrations({ database: { engine }, dataDir, masterKey }: KeyringOptions): MigrationKeys {
  const file = masterKeyFile(dataDir);
  return {
    openSealer: async (trx) => sealerOf(unwrapAll(await selectDataKeys(trx), masterKey, file)),
    async migratedTo(trx) {
      if (!(await hasTable({ engine, queries: trx }, 'data_keys'))) return undefined;
      const rows = await selectDataKeys(trx);
      return rows.length > 0 ? migratedTo(unwrapAll(rows, masterKey, file)) : undefined;
    },
    async setMigratedTo(trx, name) {
      const rows = await selectDataKeys(trx);
      if (rows.length === 0) return;
      const chosen = chooseKey(rows, masterKey, file);
      for (const { row, key } of unwrapAll(rows, masterKey, file)) {
        if (row.purpose === 'lookup') await rewrap(trx, chosen, { row, key, note: noteFor(row, name) });
      }
    },
  };
}

/**
 * Re-wraps all data keys under a new master key, in one transaction. With the file, the new key is staged on disk
 * first and put in place afterwards: an interruption at any point leaves a key that opens the database.
 */
export async function rotateMasterKey(options: KeyringOptions, nextKey: Buffer | undefined): Promise<void> {
  const { database, masterKey } = options;
  const file = masterKeyFile(options.dataDir);
  if (masterKey && !nextKey)
    throw new StartError('The current master key comes from MASTER_KEY, so the next one must be given.');
  const next = nextKey ?? generateMasterKey();
  await database.transact(async (trx) => {
    await lockSchema(trx, database.engine);
    const keys = unwrapAndSettle(await selectDataKeys(trx), masterKey, file);
    if (!masterKey) file.stageNext(next);
    for (const key of keys) await rewrap(trx, next, key);
  });
  if (masterKey) return;
  await database.transact(async (trx) => {
    await lockSchema(trx, database.engine);
    unwrapAndSettle(await selectDataKeys(trx), undefined, file);
  });
}

function selectDataKeys(db: Queries): Promise<DataKeyRow[]> {
  return db.selectFrom('data_keys').selectAll().orderBy('id', 'desc').execute();
}

async function rewrap(trx: Transaction, masterKey: Buffer, { row, ...contents }: DataKey): Promise<void> {
  await trx
    .updateTable('data_keys')
    .set({ wrapped: wrap(masterKey, row, contents) })
    .where('id', '=', row.id)
    .execute();
}

interface WrappedContents {
  key: Buffer;
  /** What is wrapped behind the key; empty but for the look-up key's. */
  note: string;
}

interface DataKey extends WrappedContents {
  row: DataKeyRow;
}

function noteFor({ purpose }: { purpose: Purpose }, lastMigration: string): string {
  return purpose === 'lookup' ? lastMigration : '';
}

/** Undefined in a keyring of a version that did not keep it. */
function migratedTo(keys: DataKey[]): string | undefined {
  return keys.find(({ row }) => row.purpose === 'lookup')?.note || undefined;
}

function sealerOf(keys: DataKey[]): Sealer {
  const lookup = keys.find(({ row }) => row.purpose === 'lookup');
  if (!lookup) throw new StartError('The database has lost its look-up key; restore a backup.');
  const sealKeys = keys.filter(({ row }) => row.purpose === 'seal').map(({ row, key }) => ({ id: row.id, key }));
  return createSealer({ sealKeys, lookupKey: lookup.key });
}

function wrap(masterKey: Buffer, row: { id: string; purpose: Purpose }, { key, note }: WrappedContents): Buffer {
  const header = Buffer.concat([Buffer.of(VERSION), masterKeyId(masterKey)]);
  const contents = Buffer.concat([key, Buffer.from(note)]);
  return Buffer.concat([header, createXaes(masterKey).seal(contents, wrapContext(header, row))]);
}

function unwrapAll(rows: DataKeyRow[], masterKey: Buffer | undefined, file: MasterKeyFile): DataKey[] {
  const chosen = chooseKey(rows, masterKey, file);
  return rows.map((row) => ({ row, ...unwrap(chosen, row) }));
}

function chooseKey(rows: DataKeyRow[], masterKey: Buffer | undefined, file: MasterKeyFile): Buffer {
  const chosen = masterKey ?? chooseFileKey(rows, file).key;
  if (!chosen) {
    throw new StartError(
      `The database is sealed and its master key is missing: set MASTER_KEY or restore the file ${file.path}. ` +
        'Nothing was changed.',
    );
  }
  return chosen;
}

/**
 * Puts a staged key in its place when the database has moved on to it. Only under the schema lock: two processes that
 * both did this could otherwise replace the one key that opens the database.
 */
function unwrapAndSettle(rows: DataKeyRow[], masterKey: Buffer | undefined, file: MasterKeyFile): DataKey[] {
  const keys = unwrapAll(rows, masterKey, file);
  if (!masterKey && chooseFileKey(rows, file).staged) file.promoteNext();
  return keys;
}

/**
 * The key in the file, or the staged one when a change-over was interrupted after the database had moved on. While the
 * present key fits, the staged file is not even read: it may be the torn rest of an interrupted write.
 */
function chooseFileKey(rows: DataKeyRow[], file: MasterKeyFile): { key: Buffer | undefined; staged: boolean } {
  const present = file.read();
  if (present && rows.every((row) => isWrappedWith(present, row))) return { key: present, staged: false };
  const staged = file.readNext();
  if (staged && rows.every((row) => isWrappedWith(staged, row))) return { key: staged, staged: true };
  return { key: present, staged: false };
}

function isWrappedWith(masterKey: Buffer, row: DataKeyRow): boolean {
  return masterKeyId(masterKey).equals(row.wrapped.subarray(1, HEADER_BYTES));
}

function unwrap(masterKey: Buffer, row: DataKeyRow): WrappedContents {
  if (!isWrappedWith(masterKey, row)) {
    const wanted = Buffer.from(row.wrapped.subarray(1, HEADER_BYTES)).toString('hex');
    throw new StartError(
      `The master key does not belong to this database: it was sealed with key ${wanted}, and the one given is ` +
        `${masterKeyId(masterKey).toString('hex')}; start with the key it was sealed with. Nothing was changed.`,
    );
  }
  try {
    const header = row.wrapped.subarray(0, HEADER_BYTES);
    const contents = createXaes(masterKey).open(row.wrapped.subarray(HEADER_BYTES), wrapContext(header, row));
    return { key: contents.subarray(0, KEY_BYTES), note: contents.subarray(KEY_BYTES).toString() };
  } catch (cause) {
    throw new StartError(`Data key ${row.id} is damaged and does not open; restore a backup. Nothing was changed.`, {
      cause,
    });
  }
}

function wrapContext(header: Uint8Array, row: { id: string; purpose: Purpose }): Buffer {
  return Buffer.concat([header, Buffer.from(`data_keys/wrapped/${row.id}/${row.purpose}`)]);
}
