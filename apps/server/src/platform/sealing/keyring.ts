// The data keys, kept in the database under the master key: envelope encryption.
// Changing the master key re-wraps these few rows and touches no sealed value; running processes do not notice.
//
// Wrapped together with the look-up key, which nothing can do without, is the name of the last migration that was applied: see
// `migrate`. Who deletes or edits it has no look-up key any more. Behind the other keys stands how far they are in use (`KeyStage`):
// nobody without the master key can have an earlier one used again.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { StartError } from '../base/errors.ts';
import { createIds, type Ids } from '../base/ids.ts';
import type { Database, Queries, Transaction } from '../database/database.ts';
import { hasTable, lastApplied, lockSchema, type MigrationNote } from '../database/migrate.ts';
import type { Schema } from '../database/schema.ts';
import { generateMasterKey, type MasterKeyFile, masterKeyFile, masterKeyId } from './master-key.ts';
import { createChangingSealer, createSealer, type Sealer, type SealerKeys } from './sealer.ts';
import { createXaes, KEY_BYTES } from './xaes-256-gcm.ts';

type DataKeyRow = Schema['data_keys'];
type Purpose = DataKeyRow['purpose'];

const VERSION = 1;
const MASTER_KEY_ID_BYTES = 8;
const HEADER_BYTES = 1 + MASTER_KEY_ID_BYTES;

export interface KeyringOptions {
  database: Database;
  dataDir: string;
  /**
   * From the configuration; without it the file in `dataDir` is used. Several while one replaces another: the database opens with
   * whichever fits, and an empty one is sealed under the first.
   */
  masterKey: Buffer | readonly Buffer[] | undefined;
  clock: Clock;
  ids: Ids;
}

/**
 * Checks the master key against the data keys that are there, before anything is written. To be called before the
 * migrations: a start with the wrong key changes nothing at all. Returns the last migration that the keyring knows of.
 */
export async function checkMasterKey({ database, dataDir, masterKey }: KeyringOptions): Promise<string | undefined> {
  if (!(await hasTable(database, 'data_keys'))) return undefined;
  // Locked, because otherwise a rotation could move rows and file between the two looks.
  return withDataKeys(database, async (rows) => {
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

/**
 * For those who only look, and whom a change of keys therefore does not wait for: undefined where there are no keys yet. What has to be
 * sealed all the same is sealed in `write`, while nobody can change them.
 */
export async function readKeyring(
  { database, dataDir, masterKey }: KeyringOptions,
  write?: (trx: Transaction, sealer: Sealer) => Promise<void>,
): Promise<Sealer | undefined> {
  return withDataKeys(database, async (rows, trx) => {
    if (rows.length === 0) return undefined;
    const sealer = sealerOf(unwrapAll(rows, masterKey, masterKeyFile(dataDir)));
    await write?.(trx, sealer);
    return sealer;
  });
}

/** The data keys that a process holds, by the ids of those that encrypt values. */
export interface KeysHeld {
  /** The newest that it can open with. */
  opensWith: string;
  sealsWith: string;
}

export type Keyring = Awaited<ReturnType<typeof openKeyring>>;

/**
 * Opens the keyring, making master key file and data keys on the very first start. `isCurrent` says whether its keys are those that the
 * database has, as far as one can know; a process that nobody waits for need not.
 */
export async function openKeyring(options: KeyringOptions, isCurrent?: () => boolean) {
  const { database, masterKey, clock, ids } = options;
  const file = masterKeyFile(options.dataDir);
  const keys = await withDataKeys(database, async (existing, trx) => {
    if (existing.length > 0) return unwrapAndSettle(existing, masterKey, file);
    const firstKey = [masterKey].flat()[0] ?? file.read() ?? file.create();
    const migrated = await lastApplied(trx);
    for (const purpose of ['seal', 'lookup'] as const) {
      const row = { id: ids.sortable(), purpose, created_at: clock.now() };
      await insertDataKey(trx, firstKey, row, noteFor(row, migrated));
    }
    return unwrapAll(await selectDataKeys(trx), masterKey, file);
  });
  let held = keys;
  const { sealer, change } = createChangingSealer(sealerKeysOf(keys), isCurrent);
  const look = async () => {
    const rows = await selectDataKeys(database.queries);
    if (rows.length === 0 || isSame(rows, held)) return;
    const next = unwrapAll(rows, masterKey, file);
    change(sealerKeysOf(next));
    held = next;
  };
  let looking: Promise<void> = Promise.resolve();
  return {
    /** One object for all keys, present and later */
    sealer,
    held: (): KeysHeld => heldKeys(held),
    /** Takes over what has changed in the database. Throws a StartError if this process's master key does not open it any more. */
    refresh(): Promise<void> {
      // One after the other: an answer that was long on its way must not take the place of a later one.
      const next = looking.then(look);
      looking = next.catch(() => {});
      return next;
    },
  };
}

/** A wrapped key is another one each time it is wrapped. */
function isSame(rows: readonly DataKeyRow[], held: readonly DataKey[]): boolean {
  return (
    rows.length === held.length &&
    rows.every(({ id, wrapped }, at) => held[at]!.row.id === id && Buffer.compare(held[at]!.row.wrapped, wrapped) === 0)
  );
}

function heldKeys(all: readonly DataKey[]): KeysHeld {
  const keys = notDestroyed(all);
  const sealing = keys.filter(({ row }) => row.purpose === 'seal');
  return { opensWith: sealing[0]!.row.id, sealsWith: inOrderOfUse(keys, 'seal')[0]!.row.id };
}

/** Reads and writes the last migration in the keys that are there; makes none. */
export function migrationNote({ database: { engine }, dataDir, masterKey }: KeyringOptions): MigrationNote {
  const file = masterKeyFile(dataDir);
  return {
    async read(trx) {
      if (!(await hasTable({ engine, queries: trx }, 'data_keys'))) return undefined;
      const rows = await selectDataKeys(trx);
      return rows.length > 0 ? migratedTo(unwrapAll(rows, masterKey, file)) : undefined;
    },
    async write(trx, name) {
      const rows = await selectDataKeys(trx);
      if (rows.length === 0) return;
      const chosen = chooseKey(rows, masterKey, file);
      for (const { row, key } of unwrapAll(rows, masterKey, file)) {
        if (row.purpose === 'lookup') await rewrap(trx, chosen, { row, key, note: noteFor(row, name) });
      }
    },
  };
}

/** Returns the key that opens the database, of those that the configuration or the file has. */
export async function findMasterKey({ database, dataDir, masterKey }: KeyringOptions): Promise<Buffer> {
  return chooseKey(await selectDataKeys(database.queries), masterKey, masterKeyFile(dataDir));
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
  await withDataKeys(database, async (rows, trx) => {
    const keys = unwrapAndSettle(rows, masterKey, file);
    if (!masterKey) file.stageNext(next);
    for (const key of keys) await rewrap(trx, next, key);
  });
  if (masterKey) return;
  await withDataKeys(database, async (rows) => unwrapAndSettle(rows, undefined, file));
}

/** The newest keys, as they stand in the database. */
export interface DataKeyState {
  /** Of the newest key that encrypts values. */
  newest: string;
  /** Whether it is known and not used yet. */
  isNext: boolean;
  /** Whether there are earlier keys, which are to be destroyed once nothing needs them. */
  hasEarlier: boolean;
}

export async function readDataKeyState({ database, dataDir, masterKey }: KeyringOptions): Promise<DataKeyState> {
  const keys = notDestroyed(unwrapAll(await selectDataKeys(database.queries), masterKey, masterKeyFile(dataDir)));
  const [newest, ...earlier] = keys.filter(({ row }) => row.purpose === 'seal');
  return { newest: newest!.row.id, isNext: newest!.note === 'next', hasEarlier: earlier.length > 0 };
}

/** Makes the next data keys, for processes to learn. Nothing is sealed with them yet. */
export function addDataKeys(options: KeyringOptions): Promise<void> {
  return changeDataKeys(options, async (trx, keys, chosen) => {
    if (keys.some(({ note }) => note === 'next')) return; // somebody else was faster
    // Ids say which keys are newer, also where the clock was set back since.
    const now = Math.max(options.clock.now(), ...keys.map(({ row }) => row.created_at + 1));
    const ids = createIds({ now: () => now });
    for (const purpose of ['seal', 'row'] as const) {
      const row = { id: ids.sortable(), purpose, created_at: now };
      await insertDataKey(trx, chosen, row, 'next' satisfies KeyStage);
    }
  });
}

/** From now on the next ones seal, and those before only open. */
export function useNextDataKeys(options: KeyringOptions): Promise<void> {
  return changeDataKeys(options, async (trx, keys, chosen) => {
    for (const key of keys.filter(({ note }) => note === 'next'))
      await rewrap(trx, chosen, { ...key, note: '' satisfies KeyStage });
  });
}

/**
 * Destroys those before the ones that seal now. What is still sealed with them is lost: so only if it is the key `sealsWith` under which
 * everything was found, and not one that somebody else has begun to use since.
 */
export function destroyEarlierDataKeys(options: KeyringOptions, sealsWith: string): Promise<void> {
  return changeDataKeys(options, async (trx, keys, chosen) => {
    const [sealing, rows] = [inOrderOfUse(keys, 'seal')[0], inOrderOfUse(keys, 'row')[0]];
    if (sealing?.row.id !== sealsWith || !rows)
      throw new StartError('Somebody else has changed the data keys meanwhile. No key was destroyed; run it again.');
    for (const key of [sealing, rows]) await rewrap(trx, chosen, { ...key, note: 'alone' satisfies KeyStage });
    const next = keys.filter(({ note }) => note === 'next');
    await trx
      .deleteFrom('data_keys')
      .where('purpose', 'in', ['seal', 'row'])
      .where(
        'id',
        'not in',
        [sealing, rows, ...next].map(({ row }) => row.id),
      )
      .execute();
  });
}

function changeDataKeys(
  { database, dataDir, masterKey }: KeyringOptions,
  change: (trx: Transaction, keys: DataKey[], masterKey: Buffer) => Promise<void>,
): Promise<void> {
  const file = masterKeyFile(dataDir);
  return withDataKeys(database, async (rows, trx) => {
    await change(trx, unwrapAll(rows, masterKey, file), chooseKey(rows, masterKey, file));
  });
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

async function insertDataKey(
  trx: Transaction,
  masterKey: Buffer,
  row: Omit<DataKeyRow, 'wrapped'>,
  note: string,
): Promise<void> {
  const wrapped = wrap(masterKey, row, { key: randomBytes(KEY_BYTES), note });
  await trx
    .insertInto('data_keys')
    .values({ ...row, wrapped })
    .execute();
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
  /** What is wrapped behind the key: with the look-up key the last migration, with others their stage. */
  note: string;
}

/**
 * Of a key that seals values or rows. `next`: processes learn it, none seals with it yet. Empty: in use, the newest of them seals.
 * `alone`: all before it were destroyed, and no row holds any more that the look-up key has sealed.
 */
type KeyStage = 'next' | '' | 'alone';

interface DataKey extends WrappedContents {
  row: DataKeyRow;
}

function noteFor({ purpose }: { purpose: Purpose }, lastMigration: string): string {
  return purpose === 'lookup' ? lastMigration : '';
}

function migratedTo(keys: DataKey[]): string | undefined {
  return keys.find(({ row }) => row.purpose === 'lookup')?.note;
}

function sealerOf(keys: DataKey[]): Sealer {
  return createSealer(sealerKeysOf(keys));
}

/** Without those that somebody has put back into the table: who has got hold of one from before could have what it sealed taken for ours. */
function notDestroyed(keys: readonly DataKey[]): DataKey[] {
  const alone = keys.filter(({ note }) => note === 'alone');
  const isDestroyed = ({ row }: DataKey) =>
    alone.some((later) => later.row.purpose === row.purpose && later.row.id > row.id);
  return keys.filter((key) => !isDestroyed(key));
}

function sealerKeysOf(all: readonly DataKey[]): SealerKeys {
  const keys = notDestroyed(all);
  const lookup = keys.find(({ row }) => row.purpose === 'lookup');
  if (!lookup) throw new StartError('The database has lost its look-up key; restore a backup.');
  const plain = ({ row, key }: DataKey) => ({ id: row.id, key });
  const rowKeys = inOrderOfUse(keys, 'row');
  const isThrough = rowKeys.some(({ note }) => note === 'alone');
  return {
    sealKeys: inOrderOfUse(keys, 'seal').map(plain),
    lookupKey: lookup.key,
    rowKeys: rowKeys.map(plain),
    rowsByLookup: isThrough ? 'neither' : rowKeys.some(({ note }) => note === '') ? 'holds' : 'seals',
  };
}

/** The newest in use first, then all others. */
function inOrderOfUse(keys: readonly DataKey[], purpose: Purpose): DataKey[] {
  const [inUse, next] = [keys.filter(({ note }) => note !== 'next'), keys.filter(({ note }) => note === 'next')];
  return [...inUse, ...next].filter(({ row }) => row.purpose === purpose);
}

function wrap(masterKey: Buffer, row: { id: string; purpose: Purpose }, { key, note }: WrappedContents): Buffer {
  const header = Buffer.concat([Buffer.of(VERSION), masterKeyId(masterKey)]);
  const contents = Buffer.concat([key, Buffer.from(note)]);
  return Buffer.concat([header, createXaes(masterKey).seal(contents, wrapContext(header, row))]);
}

type GivenKeys = KeyringOptions['masterKey'];

function unwrapAll(rows: DataKeyRow[], masterKey: GivenKeys, file: MasterKeyFile): DataKey[] {
  const chosen = chooseKey(rows, masterKey, file);
  return rows.map((row) => ({ row, ...unwrap(chosen, row) }));
}

/** Throws a StartError if no key opens all rows. */
function chooseKey(rows: DataKeyRow[], masterKey: GivenKeys, file: MasterKeyFile): Buffer {
  const given = [masterKey ?? chooseFileKey(rows, file).key].flat().filter((key) => key !== undefined);
  if (given.length === 0) {
    throw new StartError(
      `The database is sealed and its master key is missing: set MASTER_KEY or restore the file ${file.path}. ` +
        'Nothing was changed.',
    );
  }
  const chosen = given.find((key) => rows.every((row) => isWrappedWith(key, row)));
  if (chosen) return chosen;
  const strange = rows.find((row) => !given.some((key) => isWrappedWith(key, row))) ?? rows[0]!;
  const wanted = Buffer.from(strange.wrapped.subarray(1, HEADER_BYTES)).toString('hex');
  const ids = given.map((key) => masterKeyId(key).toString('hex'));
  throw new StartError(
    `The master key does not belong to this database: it was sealed with key ${wanted}, and the ` +
      `${ids.length > 1 ? 'ones given are' : 'one given is'} ${ids.join(' and ')}; start with the key it was sealed with ` +
      '(limen master-key id names a key). Nothing was changed.',
  );
}

/**
 * Puts a staged key in its place when the database has moved on to it. Only under the schema lock: two processes that
 * both did this could otherwise replace the one key that opens the database.
 */
function unwrapAndSettle(rows: DataKeyRow[], masterKey: GivenKeys, file: MasterKeyFile): DataKey[] {
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
