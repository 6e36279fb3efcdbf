// Stores the data keys in the database, wrapped under the master key (envelope encryption).
// A change of the master key re-wraps these few rows and touches no sealed value.
//
// Each data key is wrapped together with a note. The note of the look-up key is the name of the last applied migration, so removing it
// destroys the look-up key (see `migrate`). The note of other keys is their `KeyStage`: without the master key, no one can put an earlier
// key back into use.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { StartError } from '../base/errors.ts';
import { createIds, type Ids } from '../base/ids.ts';
import type { Database, Queries, Transaction } from '../database/database.ts';
import { hasTable, lastApplied, lockSchema, type MigrationNote } from '../database/migrate.ts';
import type { Schema } from '../database/schema.ts';
import { generateMasterKey, masterKeyFile, masterKeyId } from './master-key.ts';
import { createChangingSealer, createSealer, type Sealer, type SealerKeys } from './sealer.ts';
import { createXaes, KEY_BYTES } from './xaes-256-gcm.ts';

const VERSION = 1;
const MASTER_KEY_ID_BYTES = 8;
const HEADER_BYTES = 1 + MASTER_KEY_ID_BYTES;

type DataKeyRow = Schema['data_keys'];
type UnwrappedRow = Omit<DataKeyRow, 'wrapped'>;
type Purpose = DataKeyRow['purpose'];

interface DataKey {
  row: DataKeyRow;
  key: Buffer;
  note: string;
}

/**
 * Stage of a key that seals values or rows. `next`: processes learn it, none seals with it yet. Empty: in use; the newest of them seals.
 * `alone`: all earlier ones were destroyed, and no row is sealed with the look-up key anymore.
 */
type KeyStage = 'next' | '' | 'alone';

export interface KeyringOptions {
  database: Database;
  dataDir: string;
  /**
   * Key from the configuration; by default the file in `dataDir`. During a change there are two
   * keys: the database opens with either, and an empty database is sealed under the first.
   */
  masterKey: Buffer | readonly Buffer[] | undefined;
  clock: Clock;
  ids: Ids;
}

type MasterKeySource = Pick<KeyringOptions, 'masterKey' | 'dataDir'>;

/** Checks the master key before the migrations, so that a wrong key changes nothing. Returns the last migration of the keyring. */
export async function checkMasterKey(options: KeyringOptions): Promise<string | undefined> {
  const { database } = options;
  if (!(await hasTable(database, 'data_keys'))) return undefined;
  // Locked, because a rotation could otherwise change rows and file between the two reads.
  return withDataKeys(database, async (rows) => readLastMigration(rows, options));
}

/** Opens the data keys of a backup. */
export function openDataKeys(rows: DataKeyRow[], source: MasterKeySource): Sealer {
  return createSealer(selectSealerKeys(unwrapAll(rows, source)));
}

/** Opens the data keys for readers. Returns undefined if there are none. `write` runs while no other process can change the keys. */
export async function readKeyring(
  options: KeyringOptions,
  write?: (trx: Transaction, sealer: Sealer) => Promise<void>,
): Promise<Sealer | undefined> {
  return withDataKeys(options.database, async (rows, trx) => {
    if (rows.length === 0) return undefined;
    const sealer = openDataKeys(rows, options);
    await write?.(trx, sealer);
    return sealer;
  });
}

/** Opens the keyring, and creates its keys on the first start. `isCurrent` returns false if the database may have other keys by now. */
export async function openKeyring(options: KeyringOptions, isCurrent?: () => boolean) {
  const { database, clock, ids } = options;
  let keys = await withDataKeys(database, async (rows, trx) => {
    if (rows.length > 0) return unwrapAndSettle(rows, options);
    const file = masterKeyFile(options.dataDir);
    const firstKey = [options.masterKey].flat()[0] ?? file.read() ?? file.create();
    const migrated = await lastApplied(trx);
    for (const purpose of ['seal', 'lookup'] as const) {
      const row = { id: ids.sortable(), purpose, created_at: clock.now() };
      await insertDataKey(trx, firstKey, row, purpose === 'lookup' ? migrated : '');
    }
    return unwrapAll(await selectDataKeys(trx), options);
  });
  const { sealer, change } = createChangingSealer(selectSealerKeys(keys), isCurrent);
  const readChanges = async () => {
    const rows = await selectDataKeys(database.queries);
    if (rows.length === 0 || areSame(rows, keys)) return;
    const next = unwrapAll(rows, options);
    change(selectSealerKeys(next));
    keys = next;
  };
  let reading: Promise<void> = Promise.resolve();
  return {
    sealer,
    /** Returns the ids of the newest key that this process can open with, and of the one it seals with. */
    held() {
      const usable = excludeDestroyedKeys(keys);
      const newest = usable.find(({ row }) => row.purpose === 'seal')!;
      return { opensWith: newest.row.id, sealsWith: sortForUse(usable, 'seal')[0]!.row.id };
    },
    /** Reads changed keys from the database. Throws a StartError if the master key of this process no longer opens them. */
    refresh(): Promise<void> {
      // One at a time: a late result must not replace a newer one.
      const next = reading.then(readChanges);
      reading = next.catch(() => {});
      return next;
    },
  };
}

/** Compares wrapped keys, which differ each time they are wrapped. */
function areSame(rows: readonly DataKeyRow[], keys: readonly DataKey[]): boolean {
  return (
    rows.length === keys.length &&
    rows.every(({ id, wrapped }, at) => keys[at]!.row.id === id && Buffer.compare(keys[at]!.row.wrapped, wrapped) === 0)
  );
}

export function migrationNote(options: KeyringOptions): MigrationNote {
  const { engine } = options.database;
  return {
    async read(trx) {
      if (!(await hasTable({ engine, queries: trx }, 'data_keys'))) return undefined;
      return readLastMigration(await selectDataKeys(trx), options);
    },
    async write(trx, name) {
      const rows = await selectDataKeys(trx);
      if (rows.length === 0) return;
      const masterKey = chooseKey(rows, options);
      const lookup = unwrapAll(rows, options).find(({ row }) => row.purpose === 'lookup');
      if (lookup) await rewrap(trx, masterKey, { ...lookup, note: name });
    },
  };
}

function readLastMigration(rows: DataKeyRow[], source: MasterKeySource): string | undefined {
  if (rows.length === 0) return undefined;
  return unwrapAll(rows, source).find(({ row }) => row.purpose === 'lookup')?.note;
}

export async function findMasterKey(options: KeyringOptions): Promise<Buffer> {
  return chooseKey(await selectDataKeys(options.database.queries), options);
}

/** Re-wraps all data keys. A key file is staged before and replaced after the transaction, so an interruption leaves a fitting key. */
export async function rotateMasterKey(options: KeyringOptions, nextKey: Buffer | undefined): Promise<void> {
  const { database, masterKey, dataDir } = options;
  if (masterKey && !nextKey)
    throw new StartError('The current master key comes from MASTER_KEY, so the next one must be given.');
  const next = nextKey ?? generateMasterKey();
  await withDataKeys(database, async (rows, trx) => {
    const keys = unwrapAndSettle(rows, options);
    if (!masterKey) masterKeyFile(dataDir).stageNext(next);
    for (const key of keys) await rewrap(trx, next, key);
  });
  if (!masterKey) await withDataKeys(database, async (rows) => unwrapAndSettle(rows, options));
}

/** Returns the id of the newest key that encrypts values, whether it is not used yet, and whether earlier keys are left to destroy. */
export async function readDataKeyState(options: KeyringOptions) {
  const keys = excludeDestroyedKeys(unwrapAll(await selectDataKeys(options.database.queries), options));
  const [newest, ...earlier] = keys.filter(({ row }) => row.purpose === 'seal');
  return { newest: newest!.row.id, isNext: newest!.note === 'next', hasEarlier: earlier.length > 0 };
}

/** Creates the next data keys, for processes to learn. No process seals with them yet. */
export function addDataKeys(options: KeyringOptions): Promise<void> {
  return changeDataKeys(options, async (trx, keys, masterKey) => {
    if (keys.some(({ note }) => note === 'next')) return; // another process was faster
    // Ids must sort after those of earlier keys, even if the clock was set back.
    const now = Math.max(options.clock.now(), ...keys.map(({ row }) => row.created_at + 1));
    const ids = createIds({ now: () => now });
    for (const purpose of ['seal', 'row'] as const) {
      const row = { id: ids.sortable(), purpose, created_at: now };
      await insertDataKey(trx, masterKey, row, 'next' satisfies KeyStage);
    }
  });
}

export function useNextDataKeys(options: KeyringOptions): Promise<void> {
  return changeDataKeys(options, async (trx, keys, masterKey) => {
    for (const key of keys.filter(({ note }) => note === 'next'))
      await rewrap(trx, masterKey, { ...key, note: '' satisfies KeyStage });
  });
}

/** Destroys the earlier keys and all values sealed with them. Throws unless `sealsWith`, under which everything was found, still seals. */
export function destroyEarlierDataKeys(options: KeyringOptions, sealsWith: string): Promise<void> {
  return changeDataKeys(options, async (trx, keys, masterKey) => {
    const [sealKey, rowKey] = [sortForUse(keys, 'seal')[0], sortForUse(keys, 'row')[0]];
    if (sealKey?.row.id !== sealsWith || !rowKey)
      throw new StartError('Another process changed the data keys. No key was destroyed; run the command again.');
    for (const key of [sealKey, rowKey]) await rewrap(trx, masterKey, { ...key, note: 'alone' satisfies KeyStage });
    const kept = [sealKey, rowKey, ...keys.filter(({ note }) => note === 'next')].map(({ row }) => row.id);
    await trx.deleteFrom('data_keys').where('purpose', 'in', ['seal', 'row']).where('id', 'not in', kept).execute();
  });
}

function changeDataKeys(
  options: KeyringOptions,
  change: (trx: Transaction, keys: DataKey[], masterKey: Buffer) => Promise<void>,
): Promise<void> {
  return withDataKeys(options.database, (rows, trx) => change(trx, unwrapAll(rows, options), chooseKey(rows, options)));
}

/** Runs `work` while no other process can change the keys. */
function withDataKeys<T>(database: Database, work: (rows: DataKeyRow[], trx: Transaction) => Promise<T>): Promise<T> {
  return database.transact(async (trx) => {
    await lockSchema(trx, database.engine);
    return work(await selectDataKeys(trx), trx);
  });
}

function selectDataKeys(db: Queries): Promise<DataKeyRow[]> {
  return db.selectFrom('data_keys').selectAll().orderBy('id', 'desc').execute();
}

async function insertDataKey(trx: Transaction, masterKey: Buffer, row: UnwrappedRow, note: string): Promise<void> {
  const wrapped = wrap(masterKey, row, randomBytes(KEY_BYTES), note);
  await trx
    .insertInto('data_keys')
    .values({ ...row, wrapped })
    .execute();
}

async function rewrap(trx: Transaction, masterKey: Buffer, { row, key, note }: DataKey): Promise<void> {
  const wrapped = wrap(masterKey, row, key, note);
  await trx.updateTable('data_keys').set({ wrapped }).where('id', '=', row.id).execute();
}

/** Leaves out destroyed keys that someone put back into the table, so that values forged with a stolen old key are not accepted. */
function excludeDestroyedKeys(keys: readonly DataKey[]): DataKey[] {
  const alone = keys.filter(({ note }) => note === 'alone');
  return keys.filter(({ row }) => !alone.some((later) => later.row.purpose === row.purpose && later.row.id > row.id));
}

function selectSealerKeys(all: readonly DataKey[]): SealerKeys {
  const keys = excludeDestroyedKeys(all);
  const lookup = keys.find(({ row }) => row.purpose === 'lookup');
  if (!lookup) throw new StartError('The database has lost its look-up key; restore a backup.');
  const plain = ({ row, key }: DataKey) => ({ id: row.id, key });
  const rowKeys = sortForUse(keys, 'row');
  const has = (stage: KeyStage) => rowKeys.some(({ note }) => note === stage);
  return {
    sealKeys: sortForUse(keys, 'seal').map(plain),
    lookupKey: lookup.key,
    rowKeys: rowKeys.map(plain),
    rowsByLookup: has('alone') ? 'neither' : has('') ? 'holds' : 'seals',
  };
}

/** Returns the newest key in use first, then all others. */
function sortForUse(keys: readonly DataKey[], purpose: Purpose): DataKey[] {
  const ofPurpose = keys.filter(({ row }) => row.purpose === purpose);
  return [...ofPurpose.filter(({ note }) => note !== 'next'), ...ofPurpose.filter(({ note }) => note === 'next')];
}

function wrap(masterKey: Buffer, row: UnwrappedRow, key: Buffer, note: string): Buffer {
  const header = Buffer.concat([Buffer.of(VERSION), masterKeyId(masterKey)]);
  const contents = Buffer.concat([key, Buffer.from(note)]);
  return Buffer.concat([header, createXaes(masterKey).seal(contents, wrapContext(header, row))]);
}

function unwrapAll(rows: DataKeyRow[], source: MasterKeySource): DataKey[] {
  const masterKey = chooseKey(rows, source);
  return rows.map((row) => ({ row, ...unwrap(masterKey, row) }));
}

function unwrap(masterKey: Buffer, row: DataKeyRow) {
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

function wrapContext(header: Uint8Array, row: UnwrappedRow): Buffer {
  return Buffer.concat([header, Buffer.from(`data_keys/wrapped/${row.id}/${row.purpose}`)]);
}

function chooseKey(rows: DataKeyRow[], { masterKey, dataDir }: MasterKeySource): Buffer {
  const masterKeys = [masterKey ?? chooseFileKey(rows, dataDir).key].flat().filter((key) => key !== undefined);
  if (masterKeys.length === 0) {
    throw new StartError(
      `The database is sealed and its master key is missing: set MASTER_KEY or restore the file ${masterKeyFile(dataDir).path}. ` +
        'Nothing was changed.',
    );
  }
  const chosen = masterKeys.find((key) => rows.every((row) => isWrappedWith(key, row)));
  if (chosen) return chosen;
  const strange = rows.find((row) => !masterKeys.some((key) => isWrappedWith(key, row))) ?? rows[0]!;
  const wanted = Buffer.from(strange.wrapped.subarray(1, HEADER_BYTES)).toString('hex');
  const ids = masterKeys.map((key) => masterKeyId(key).toString('hex'));
  throw new StartError(
    `The master key does not belong to this database: it was sealed with key ${wanted}, and the ` +
      `${ids.length > 1 ? 'ones given are' : 'one given is'} ${ids.join(' and ')}; start with the key it was sealed with ` +
      '(limen master-key id names a key). Nothing was changed.',
  );
}

/** Puts a staged key in place if the database uses it. Needs the schema lock: two processes could otherwise replace the only good key. */
function unwrapAndSettle(rows: DataKeyRow[], source: MasterKeySource): DataKey[] {
  const keys = unwrapAll(rows, source);
  const { masterKey, dataDir } = source;
  if (!masterKey && chooseFileKey(rows, dataDir).isStaged) masterKeyFile(dataDir).promoteNext();
  return keys;
}

/** Returns the key in the file, or the staged key of an interrupted rotation. Reads a staged key, which may be incomplete, only if needed. */
function chooseFileKey(rows: DataKeyRow[], dataDir: string): { key: Buffer | undefined; isStaged: boolean } {
  const file = masterKeyFile(dataDir);
  const fits = (key: Buffer | undefined) => key !== undefined && rows.every((row) => isWrappedWith(key, row));
  const present = file.read();
  if (fits(present)) return { key: present, isStaged: false };
  const staged = file.readNext();
  return fits(staged) ? { key: staged, isStaged: true } : { key: present, isStaged: false };
}

function isWrappedWith(masterKey: Buffer, row: DataKeyRow): boolean {
  return masterKeyId(masterKey).equals(row.wrapped.subarray(1, HEADER_BYTES));
}
