// Takes a backup from one snapshot while the service runs.
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { createGzip } from 'node:zlib';
import type { Clock } from '../../platform/base/clock.ts';
import { isLockedOut } from '../../platform/base/database-failures.ts';
import { VERSION } from '../../platform/base/version.ts';
import type { Database } from '../../platform/database/database.ts';
import { hasTable } from '../../platform/database/migrate.ts';
import type { Schema } from '../../platform/database/schema.ts';
import { type Snapshot, withSnapshot } from '../../platform/database/snapshot.ts';
import { fillBackupFolder } from '../../platform/files/backup-folder.ts';
import { syncFolder, writeDurably } from '../../platform/files/durable.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import {
  BACKUP_TABLES,
  BackupError,
  type BackupManifest,
  MANIFEST_FILE,
  tableFile,
  writeManifest,
  writeRow,
} from './format.ts';

interface BackupParts {
  url: string | undefined;
  dataDir: string;
  database: Database;
  sealer: Sealer;
  clock: Clock;
  onProgress(table: string, rows: number): void;
}

/** Sealed values, which are most of a backup, do not get smaller at any level. */
const COMPRESSION = { level: 1 };

/** Requires a new or empty folder, and leaves it empty after a failure. */
export function takeBackup(folder: string, options: BackupParts): Promise<BackupManifest['tables']> {
  return fillBackupFolder(folder, () => writeBackup(folder, options));
}

/** Writes the manifest last. A folder without it is no backup. */
async function writeBackup(folder: string, options: BackupParts): Promise<BackupManifest['tables']> {
  const { database, sealer, clock, onProgress } = options;
  return withSnapshot(options, async (snapshot) => {
    const takenAt = new Date(clock.now()).toISOString();
    const migrations: string[] = [];
    for await (const rows of snapshot.rowsOf('schema_migrations'))
      migrations.push(...rows.map(({ name }) => String(name)));
    migrations.sort();
    const tables: BackupManifest['tables'] = [];
    try {
      for (const table of BACKUP_TABLES) {
        if (!(await hasTable(database, table))) continue; // A table of a later version than the database.
        const file = join(folder, tableFile(table));
        tables.push(await writeTable(snapshot, table, file, onProgress));
      }
    } catch (error) {
      await refuseIfMigrated(database, migrations);
      if (!isLockedOut(error)) throw error;
      throw new BackupError(
        'Tables changed while the backup was taken, such as by a migration. Take it again after the change has finished.',
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
  table: keyof Schema,
  file: string,
  onProgress: BackupParts['onProgress'],
) {
  let count = 0;
  async function* writeLines() {
    let columns: string[] | undefined;
    for await (const rows of snapshot.rowsOf(table)) {
      const names = columns ?? Object.keys(rows[0]!);
      if (!columns) yield `${JSON.stringify(names)}\n`;
      columns = names;
      yield rows.map((row) => `${writeRow(row, names)}\n`).join('');
      count += rows.length;
      onProgress(table, count);
    }
  }
  let sum: Awaited<ReturnType<typeof writeDurably>> | undefined;
  // Ends only after its reader of the table has ended, because the snapshot closes next.
  await pipeline(writeLines, createGzip(COMPRESSION), async (packed: AsyncIterable<Buffer>) => {
    sum = await writeDurably(file, packed);
  });
  return { table, rows: count, ...sum! };
}

/** PostgreSQL's snapshots cover rows, but not changes of tables and columns. */
async function refuseIfMigrated(database: Database, before: readonly string[]): Promise<void> {
  const rows = await database.queries.selectFrom('schema_migrations').select('name').execute();
  if (isDeepStrictEqual(rows.map(({ name }) => name).sort(), before)) return;
  throw new BackupError(
    'The database was migrated while the backup was taken, so the backup is unusable. Take it again, into another folder.',
  );
}
