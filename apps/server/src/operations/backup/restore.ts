// Reads a backup, checks it against its manifest and the master key, and restores it into an empty
// database.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { areBeforeBaseline, createTablesUpTo, hasTable, isKnownMigration } from '../../platform/database/migrate.ts';
import type { Schema } from '../../platform/database/schema.ts';
import type { SnapshotRow } from '../../platform/database/snapshot.ts';
import { readLines } from '../../platform/files/lines.ts';
import { type KeyringOptions, openDataKeys } from '../../platform/sealing/keyring.ts';
import { MAX_BACKUP_LINE_BYTES } from '../limits.ts';
import {
  BACKUP_TABLES,
  BackupError,
  type BackupManifest,
  isGenuine,
  MANIFEST_FILE,
  readManifest,
  readRow,
  tableFile,
} from './format.ts';

type RestoreProgress = (table: string, rows: number) => void;

const ROWS_AT_ONCE = 500;
/** PostgreSQL takes 65,535 values in a statement, SQLite half as many. */
const VALUES_AT_ONCE = 10_000;

/** Requires that every file is complete, unchanged, and opens with the master key. */
export async function checkBackup(
  folder: string,
  keys: Pick<KeyringOptions, 'masterKey' | 'dataDir'>,
  onProgress: RestoreProgress,
): Promise<BackupManifest> {
  const text = await readFile(join(folder, MANIFEST_FILE), 'utf8').catch(() => undefined);
  const manifest = text === undefined ? undefined : readManifest(text);
  if (!manifest) {
    throw new BackupError(
      `There is no backup in ${folder}: ${MANIFEST_FILE} is ${text === undefined ? 'missing, as after one that was interrupted' : 'damaged'}.`,
    );
  }
  const { migratedTo, limen, tables } = manifest;
  if (!isKnownMigration(migratedTo)) {
    const migrations: string[] = [];
    for await (const rows of readTable(folder, 'schema_migrations'))
      migrations.push(...rows.map(({ name }) => String(name)));
    throw new BackupError(
      areBeforeBaseline(migrations)
        ? `The backup was taken by a version before 0.1.0 (migration ${migratedTo}), which this version cannot restore; restore it with the version that took it.`
        : `The backup was taken by a newer Limen (${limen}, migration ${migratedTo}); restore it with that version.`,
    );
  }
  const unknown = tables.find(({ table }) => !BACKUP_TABLES.includes(table as keyof Schema));
  if (unknown) throw new BackupError(`The backup has an unknown table: ${unknown.table}.`);
  const dataKeys: SnapshotRow[] = [];
  for (const listed of tables) {
    let count = 0;
    const hash = createHash('sha256');
    for await (const rows of readTable(folder, listed.table, (chunk) => hash.update(chunk))) {
      count += rows.length;
      if (listed.table === 'data_keys') dataKeys.push(...rows);
      onProgress(listed.table, count);
    }
    if (hash.digest('hex') !== listed.sha256 || count !== listed.rows)
      throw new BackupError(
        `The file ${tableFile(listed.table)} was changed after the backup was taken; take another backup.`,
      );
  }
  if (!isGenuine(manifest, openDataKeys(dataKeys as unknown as Schema['data_keys'][], keys)))
    throw new BackupError(`${MANIFEST_FILE} was changed after the backup was taken; take another backup.`);
  return manifest;
}

/** Restores a checked backup in one transaction, into a database without tables. */
export async function restoreBackup(
  folder: string,
  { migratedTo, tables }: BackupManifest,
  database: Database,
  onProgress: RestoreProgress,
): Promise<void> {
  if (await hasTable(database, 'schema_migrations'))
    throw new BackupError('The database is not empty; restore into an empty one.');
  const listed = new Set(tables.map(({ table }) => table));
  await database.transact(async (trx) => {
    await createTablesUpTo(trx, database.engine, migratedTo);
    for (const table of BACKUP_TABLES.filter((name) => listed.has(name))) {
      let count = 0;
      await trx.deleteFrom(table).execute(); // Rows that a migration inserted.
      for await (const rows of readTable(folder, table)) {
        await insertRows(trx, table, rows);
        count += rows.length;
        onProgress(table, count);
      }
    }
  });
}

async function insertRows(trx: Transaction, table: keyof Schema, rows: readonly SnapshotRow[]): Promise<void> {
  const atOnce = Math.max(1, Math.floor(VALUES_AT_ONCE / Object.keys(rows[0] ?? {}).length));
  for (let from = 0; from < rows.length; from += atOnce) {
    const page = rows.slice(from, from + atOnce);
    await trx
      .insertInto(table)
      .values(page as never)
      .execute();
  }
}

/** Yields the rows of a table in batches. `onBytes` receives the sizes of the file's chunks. */
async function* readTable(folder: string, table: string, onBytes: (chunk: Buffer) => void = () => {}) {
  const file = join(folder, tableFile(table));
  const refuse = (cause?: unknown) =>
    new BackupError(`The file ${file} is missing or damaged; take another backup.`, { cause });
  const source = createReadStream(file).on('data', (chunk) => onBytes(chunk as Buffer));
  const unpacked = pipeline(source, createGunzip(), () => {}); // the loop below receives all errors
  let columns: string[] | undefined;
  let rows: SnapshotRow[] = [];
  try {
    for await (const { bytes } of readLines(unpacked, MAX_BACKUP_LINE_BYTES)) {
      if (!bytes) throw refuse();
      if (columns) rows.push(readRow(bytes.toString(), columns));
      else columns = JSON.parse(bytes.toString()) as string[];
      if (rows.length < ROWS_AT_ONCE) continue;
      yield rows;
      rows = [];
    }
    if (rows.length > 0) yield rows;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isDamaged = error instanceof SyntaxError || code === 'ENOENT' || code?.startsWith('Z_');
    throw isDamaged ? refuse(error) : error;
  }
}
