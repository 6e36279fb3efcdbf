// Opens the database for read-only commands: nothing is created, migrated or left behind, and no
// master key is needed.
import { statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Kysely, SqliteDialect } from 'kysely';
import type { Config } from '../config.ts';
import { type Database, openDatabase, sqliteFile } from '../platform/database/database.ts';
import { createPrepare } from '../platform/database/prepare-query.ts';
import type { Schema } from '../platform/database/schema.ts';
import { type Cli, requireConfig } from './command.ts';

const BUSY_TIMEOUT_MS = 5_000;

export function openForReading(config: Config): Database | undefined {
  if (config.DATABASE_URL !== undefined) return openDatabase({ url: config.DATABASE_URL, dataDir: config.DATA_DIR });
  const file = sqliteFile(config.DATA_DIR);
  return hasFile(file) ? openSqliteForReading(file) : undefined;
}

/** Runs `look` on the database and closes it. `look` gets undefined if there is none yet. */
export async function withDatabaseForReading<T>(cli: Cli, look: (database: Database | undefined) => Promise<T>) {
  const database = openForReading(requireConfig(cli));
  try {
    return await look(database);
  } finally {
    await database?.close();
  }
}

/** Throws if the folder cannot be read, because it may not be empty. */
export function hasFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function openSqliteForReading(file: string): Database {
  // Even a read-only connection creates the files of the WAL and leaves them there. Without a WAL no process has the database
  // open, so the file can be read as immutable.
  const location = pathToFileURL(file);
  if (!hasFile(`${file}-wal`)) location.searchParams.set('immutable', '1');
  const connection = new DatabaseSync(location, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  const queries = new Kysely<Schema>({ dialect: new SqliteDialect({ database: asKyselyExpects(connection) }) });
  const readOnly = () => Promise.reject(new Error('this connection only reads'));
  return {
    engine: 'sqlite',
    queries,
    ...createPrepare((query) => queries.executeQuery(query)),
    transact: (work) => queries.transaction().execute(work),
    ping: async () => void (await queries.selectFrom('schema_migrations').select('name').limit(1).execute()),
    checkpoint: readOnly,
    isFull: () => false,
    reserveBytes: () => 0,
    close: () => queries.destroy(),
  };
}

/** Offers the part of better-sqlite3's interface that Kysely's dialect calls. */
function asKyselyExpects(connection: DatabaseSync) {
  return {
    close: () => connection.close(),
    prepare(text: string) {
      const statement = connection.prepare(text);
      return {
        reader: statement.columns().length > 0,
        all: (parameters: readonly unknown[]) => statement.all(...(parameters as SQLInputValue[])),
        run(parameters: readonly unknown[]) {
          const { changes, lastInsertRowid } = statement.run(...(parameters as SQLInputValue[]));
          return { changes, lastInsertRowid };
        },
        iterate: (parameters: readonly unknown[]) => statement.iterate(...(parameters as SQLInputValue[])),
      };
    },
  };
}
