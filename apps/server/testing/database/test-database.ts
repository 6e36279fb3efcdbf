// A database of its own for one test: a fresh folder, and on PostgreSQL a fresh database in the test cluster. It has our tables,
// copied from one that was migrated once per worker: that takes a tenth of the time the migrations do.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATIENCE_MS } from '@limen/testing/patience.ts';
import { IS_LONG } from '@limen/testing/rounds.ts';
import pg from 'pg';
import { systemClock } from '../../src/platform/base/clock.ts';
import { type DatabaseOptions, type Engine, openDatabase, sqliteFile } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { DEFAULT_TIMEOUTS, type PostgresTimeouts } from '../../src/platform/database/postgres-connections.ts';

export const engine: Engine = process.env['LIMEN_TEST_ENGINE'] === 'postgres' ? 'postgres' : 'sqlite';

/** Whether tests of what does not depend on the engine are skipped: they ran on SQLite, as the files of `engineBlind`. */
export const SKIPS_ENGINE_BLIND = engine === 'postgres' && !IS_LONG;

/** Whether what is shown on PostgreSQL too need not be shown on SQLite. */
export const IS_SHOWN_ON_POSTGRES =
  engine === 'sqlite' && !IS_LONG && process.env['LIMEN_TEST_POSTGRES_URL'] !== undefined;

export interface TestDatabase {
  dataDir: string;
  /** Undefined on SQLite. */
  url: string | undefined;
  /** What a server needs in its environment to use it. */
  environment: Record<string, string>;
  /** As nobody waits for an answer: on a slow machine it is no fault that a hundred at once wait long for their turn. */
  timeouts?: PostgresTimeouts;
  dispose(): Promise<void>;
}

const timeouts = { ...DEFAULT_TIMEOUTS, connectMs: PATIENCE_MS, lockMs: PATIENCE_MS };

interface TestDatabaseOptions {
  /** Whether there is nothing in it, for tests of the migrations and of a very first start. */
  empty?: boolean;
}

export async function createTestDatabase({ empty = false }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  return engine === 'sqlite' ? createSqlite(empty) : createPostgres(empty);
}

async function createSqlite(empty: boolean): Promise<TestDatabase> {
  const { dataDir, removeFolder } = createFolder();
  if (!empty) {
    migratedFile ??= makeMigratedFile();
    writeFileSync(sqliteFile(dataDir), await migratedFile);
  }
  return { dataDir, url: undefined, environment: { DATA_DIR: dataDir }, dispose: async () => removeFolder() };
}

async function createPostgres(empty: boolean): Promise<TestDatabase> {
  if (!empty) migratedTemplate ??= makeMigratedTemplate();
  const name = await createOnCluster(empty ? 'template0' : await migratedTemplate!);
  const { dataDir, removeFolder } = createFolder();
  const url = urlOnCluster(name);
  return {
    dataDir,
    url,
    environment: { DATA_DIR: dataDir, DATABASE_URL: url },
    timeouts,
    async dispose() {
      await runOnCluster(`drop database ${name} with (force)`);
      removeFolder();
    },
  };
}

function createFolder() {
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-test-'));
  return { dataDir, removeFolder: () => rmSync(dataDir, { recursive: true, force: true }) };
}

let migratedFile: Promise<Buffer> | undefined;

async function makeMigratedFile(): Promise<Buffer> {
  const { dataDir, removeFolder } = createFolder();
  await migrateOnce({ url: undefined, dataDir });
  const contents = readFileSync(sqliteFile(dataDir));
  removeFolder();
  return contents;
}

let migratedTemplate: Promise<string> | undefined;

/** It goes with the cluster. */
async function makeMigratedTemplate(): Promise<string> {
  const name = await createOnCluster('template0');
  await migrateOnce({ url: urlOnCluster(name), dataDir: '' });
  return name;
}

async function migrateOnce(place: DatabaseOptions): Promise<void> {
  const database = openDatabase(place);
  await migrate(database, systemClock);
  await database.close();
}

async function createOnCluster(template: string): Promise<string> {
  const name = `limen_${randomUUID().replaceAll('-', '')}`;
  // Files are copied in half the time of pages that go through the log.
  await runOnCluster(`create database ${name} template ${template} strategy file_copy`);
  return name;
}

function urlOnCluster(name: string): string {
  const url = clusterUrl();
  url.pathname = name;
  return url.href;
}

function clusterUrl(): URL {
  const url = process.env['LIMEN_TEST_POSTGRES_URL'];
  if (!url) throw new Error('LIMEN_TEST_POSTGRES_URL is not set: run the tests with npm test');
  return new URL(url);
}

async function runOnCluster(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: clusterUrl().href });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
