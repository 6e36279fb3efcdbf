// Reads a backup, checks it against its manifest and the master key, and puts it into an empty database.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { areBeforeBaseline, createTablesAsOf, hasTable, isKnownMigration } from '../../platform/database/migrate.ts';
import type { Schema } from '../../platform/database/schema.ts';
import type { SnapshotRow } from '../../platform/database/snapshot.ts';
import { readLines } from '../../platform/files/lines.ts';
import { type KeyringOptions, openDataKeys } from '../../platform/sealing/keyring.ts';
import { MAX_BACKUP_LINE_BYTES } from '../limits.ts';
import {
  BACKUP_TABLES,
  type BackupManifest,
  BackupRefused,
  isGenuine,
  MANIFEST_FILE,
  readManifest,
  readRow,
  type TableName,
  tableFile,
} from './format.ts';

export type OnProgress = (table: string, rows: number) => void;

/** PostgreSQL takes 65,535 values in a statement, SQLite half as many. */
const VALUES_AT_ONCE = 10_000;

/** Reads all of it: every file is whole, as it was written, and opens with the master key. */
export async function checkBackup(
  folder: string,
  keys: Pick<KeyringOptions, 'masterKey' | 'dataDir'>,
  onProgress: OnProgress,
): Promise<BackupManifest> {
  const text = await readFile(join(folder, MANIFEST_FILE), 'utf8').catch(() => undefined);
  const manifest = text === undefined ? undefined : readManifest(text);
  if (!manifest) {
    throw new BackupRefused(
      `There is no backup in ${folder}: ${MANIFEST_FILE} is ${text === undefined ? 'missing, as after one that was interrupted' : 'damaged'}.`,
    );
  }
  if (!isKnownMigration(manifest.migratedTo)) {
    const isOlder = areBeforeBaseline(await readMigrations(folder));
    throw new BackupRefused(
      isOlder
        ? `The backup was taken by a version before 0.1.0 (migration ${manifest.migratedTo}), which this version cannot restore; restore it with the version that took it.`
        : `The backup was taken by a newer Limen (${manifest.limen}, migration ${manifest.migratedTo}); restore it with that version.`,
    );
  }
  const unknown = manifest.tables.find(({ table }) => !BACKUP_TABLES.includes(table as TableName));
  if (unknown) throw new BackupRefused(`The backup has a table that is not known: ${unknown.table}.`);
  const dataKeys: SnapshotRow[] = [];
  for (const listed of manifest.tables) {
    let rows = 0;
    const hash = createHash('sha256');
    await readTable(
      join(folder, tableFile(listed.table)),
      (chunk) => hash.update(chunk),
      async (some) => {
        rows += some.length;
        if (listed.table === 'data_keys') dataKeys.push(...some);
        onProgress(listed.table, rows);
      },
    );
    if (hash.digest('hex') !== listed.sha256 || rows !== listed.rows)
      throw new BackupRefused(`The file ${tableFile(listed.table)} is not as it was written; take another backup.`);
  }
  if (!isGenuine(manifest, openDataKeys(dataKeys as unknown as Schema['data_keys'][], keys)))
    throw new BackupRefused(`${MANIFEST_FILE} was changed after the backup was taken; take another backup.`);
  return manifest;
}

/** What was checked before; in one transaction, into a database that has no tables of ours yet. */
export async function restoreBackup(
  folder: string,
  { migratedTo, tables }: BackupManifest,
  database: Database,
  onProgress: OnProgress,
): Promise<void> {
  if (await hasTable(database, 'schema_migrations'))
    throw new BackupRefused('There is a database already; a backup is restored into an empty one.');
  await database.transact(async (trx) => {
    await createTablesAsOf(trx, database.engine, migratedTo);
    for (const table of inOrder(tables)) {
      let rows = 0;
      await trx.deleteFrom(table).execute(); // what a migration has put there
      await readTable(
        join(folder, tableFile(table)),
        () => {},
        async (some) => {
          await insertRows(trx, table, some);
          rows += some.length;
          onProgress(table, rows);
        },
      );
    }
  });
}

async function readMigrations(folder: string): Promise<string[]> {
  const names: string[] = [];
  const take = async (rows: SnapshotRow[]) => void names.push(...rows.map(({ name }) => String(name)));
  await readTable(join(folder, tableFile('schema_migrations')), () => {}, take);
  return names;
}

function inOrder(tables: BackupManifest['tables']): TableName[] {
  return BACKUP_TABLES.filter((table) => tables.some((listed) => listed.table === table));
}

async function insertRows(trx: Transaction, table: TableName, rows: readonly SnapshotRow[]): Promise<void> {
  const atOnce = Math.max(1, Math.floor(VALUES_AT_ONCE / Object.keys(rows[0] ?? {}).length));
  for (let from = 0; from < rows.length; from += atOnce) {
    await trx
      .insertInto(table)
      .values(rows.slice(from, from + atOnce) as never)
      .execute();
  }
}

const ROWS_AT_ONCE = 500;

async function readTable(
  file: string,
  onBytes: (chunk: Buffer) => void,
  take: (rows: SnapshotRow[]) => Promise<void>,
): Promise<void> {
  let columns: string[] | undefined;
  let rows: SnapshotRow[] = [];
  const refuse = (cause?: unknown) =>
    new BackupRefused(`The file ${file} is missing or damaged; take another backup.`, { cause });
  try {
    await pipeline(
      createReadStream(file),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          onBytes(chunk);
          yield chunk;
        }
      },
      createGunzip(),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const { bytes } of readLines(chunks, MAX_BACKUP_LINE_BYTES)) {
          if (!bytes) throw refuse();
          if (!columns) {
            columns = JSON.parse(bytes.toString()) as string[];
            continue;
          }
          rows.push(readRow(bytes.toString(), columns));
          if (rows.length < ROWS_AT_ONCE) continue;
          await take(rows);
          rows = [];
        }
        if (rows.length > 0) await take(rows);
      },
    );
  } catch (error) {
    throw isDamage(error) ? refuse(error) : error;
  }
}

/** Not what the database says. */
function isDamage(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof SyntaxError || code === 'ENOENT' || (typeof code === 'string' && code.startsWith('Z_'));
}
