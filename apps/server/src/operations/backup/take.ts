// Takes a backup while the service runs: everything as it was at one moment.
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { createGzip } from 'node:zlib';
import type { Clock } from '../../platform/base/clock.ts';
import { isLockedOut } from '../../platform/base/database-failures.ts';
import { VERSION } from '../../platform/base/version.ts';
import type { Database } from '../../platform/database/database.ts';
import { hasTable } from '../../platform/database/migrate.ts';
import { type Snapshot, withSnapshot } from '../../platform/database/snapshot.ts';
import { fillBackupFolder } from '../../platform/files/backup-folder.ts';
import { type FileSum, syncFolder, writeDurably } from '../../platform/files/durable.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import {
  BACKUP_TABLES,
  type BackupManifest,
  BackupRefused,
  MANIFEST_FILE,
  type TableName,
  tableFile,
  writeManifest,
  writeRow,
} from './format.ts';

export interface BackupParts {
  url: string | undefined;
  dataDir: string;
  database: Database;
  sealer: Sealer;
  clock: Clock;
  /** Called now and then with the rows of a table so far. */
  onProgress(table: string, rows: number): void;
}

/** Most of it is sealed and does not get smaller; the rest does at once. */
const COMPRESSION = { level: 1 };

/** The folder must be new or empty, and is empty where this fails. */
export function takeBackup(folder: string, options: BackupParts): Promise<BackupManifest['tables']> {
  return fillBackupFolder(folder, () => writeBackup(folder, options));
}

/** Without the manifest, which is written last, it is no backup. */
async function writeBackup(folder: string, options: BackupParts): Promise<BackupManifest['tables']> {
  const { database, sealer, clock, onProgress } = options;
  return withSnapshot(options, async (snapshot) => {
    const takenAt = new Date(clock.now()).toISOString();
    const migrations = await migrationsOf(snapshot);
    const tables: BackupManifest['tables'] = [];
    try {
      for (const table of BACKUP_TABLES) {
        if (!(await hasTable(database, table))) continue; // of a later version than the database
        const file = join(folder, tableFile(table));
        const written = await writeTable(snapshot, table, file, (rows) => onProgress(table, rows));
        tables.push({ table, ...written });
      }
    } catch (error) {
      await refuseIfMigrated(database, migrations);
      if (!isLockedOut(error)) throw error;
      throw new BackupRefused(
        'Tables were being changed while the backup was taken, as by a migration, and it could not wait for the end of that. Take it again, once that is done.',
        { cause: error },
      );
    }
    await refuseIfMigrated(database, migrations);
    const migratedTo = migrations.at(-1) ?? '';
    const manifest = writeManifest(
      { format: 1, limen: VERSION, engine: database.engine, takenAt, migratedTo, tables },
      sealer,
    );
    await writeDurably(join(folder, MANIFEST_FILE), [Buffer.from(manifest)]);
    await syncFolder(folder);
    return tables;
  });
}

async function writeTable(
  snapshot: Snapshot,
  table: TableName,
  file: string,
  onRows: (rows: number) => void,
): Promise<FileSum & { rows: number }> {
  let rows = 0;
  let sum: FileSum | undefined;
  await pipeline(
    async function* () {
      let columns: string[] | undefined;
      for await (const some of snapshot.rowsOf(table)) {
        if (!columns) {
          columns = Object.keys(some[0]!);
          yield `${JSON.stringify(columns)}\n`;
        }
        const named = columns;
        yield some.map((row) => `${writeRow(row, named)}\n`).join('');
        rows += some.length;
        onRows(rows);
      }
    },
    createGzip(COMPRESSION),
    async (compressed: AsyncIterable<Buffer>) => {
      sum = await writeDurably(file, compressed);
    },
  );
  return { rows, ...sum! };
}

/** On PostgreSQL a moment covers rows, and not which tables and columns there are: what was added since is in the backup, or breaks it. */
async function refuseIfMigrated(database: Database, before: readonly string[]): Promise<void> {
  const rows = await database.queries.selectFrom('schema_migrations').select('name').execute();
  if (isDeepStrictEqual(rows.map(({ name }) => name).sort(), before)) return;
  throw new BackupRefused(
    'The database was brought to another version while the backup was taken, so that it is none. Take it again, into another folder.',
  );
}

async function migrationsOf(snapshot: Snapshot): Promise<string[]> {
  const names: string[] = [];
  for await (const rows of snapshot.rowsOf('schema_migrations')) names.push(...rows.map(({ name }) => String(name)));
  return names.sort();
}
