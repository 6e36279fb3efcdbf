// Inserts many rows without the query builder, which would dominate the time: prepared statements
// on SQLite, COPY on PostgreSQL.
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CompiledQuery } from 'kysely';
import { type Database, sqliteFile } from '../../../apps/server/src/platform/database/database.ts';
import type { Schema } from '../../../apps/server/src/platform/database/schema.ts';

type Value = string | number | null | Uint8Array;

export interface Bulk {
  write<Table extends keyof Schema>(table: Table, rows: readonly Schema[Table][]): Promise<void>;
  /** Updates the database's statistics and flushes everything to disk. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface Place {
  /** PostgreSQL's URL. Without it, a file in the folder is used. */
  url: string | undefined;
  dataDir: string;
}

export function openBulk(database: Database, { url, dataDir }: Place): Bulk {
  return url === undefined ? openSqlite(dataDir) : openPostgres(database, dataDir);
}

function openSqlite(dataDir: string): Bulk {
  const file = new DatabaseSync(sqliteFile(dataDir));
  file.exec('pragma synchronous = off');
  return {
    async write(table, rows) {
      const names = Object.keys(rows[0] ?? {});
      if (names.length === 0) return;
      const insert = file.prepare(`insert into ${table} (${names.join()}) values (${names.map(() => '?').join()})`);
      file.exec('begin');
      for (const row of rows) insert.run(...(Object.values(row) as Value[]));
      file.exec('commit');
    },
    async settle() {
      file.exec('analyze; pragma wal_checkpoint(truncate)');
      // Otherwise the first measured commits wait for gigabytes of writes.
      const written = openSync(sqliteFile(dataDir), 'r+');
      fsyncSync(written);
      closeSync(written);
    },
    close: async () => file.close(),
  };
}

function openPostgres({ queries }: Database, dataDir: string): Bulk {
  const run = (statement: string) => queries.executeQuery(CompiledQuery.raw(statement));
  const folder = join(dataDir, 'copy');
  mkdirSync(folder);
  // The server reads the pipe by name.
  for (const open of [dataDir, folder]) chmodSync(open, 0o755);
  const path = join(folder, 'rows.csv');
  return {
    async write(table, rows) {
      const names = Object.keys(rows[0] ?? {});
      if (names.length === 0) return;
      writeFileSync(path, rows.map((row) => `${(Object.values(row) as Value[]).map(textOf).join()}\n`).join(''));
      await run(`copy ${table} (${names.join()}) from '${path}' (format csv)`);
    },
    async settle() {
      await run('vacuum analyze');
      await run('checkpoint');
    },
    close: async () => rmSync(folder, { recursive: true }),
  };
}

function textOf(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `"${value.replaceAll('"', '""')}"`;
  return `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}`;
}
