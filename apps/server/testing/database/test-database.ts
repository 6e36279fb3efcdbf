// A separate database for one test: a fresh folder, and on PostgreSQL a fresh database. Its tables
// are copied from a template that each worker migrates once, ten times faster than migrating.
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

/** Whether engine-independent tests are skipped, because they ran on SQLite as `engineBlind` */
export const SKIPS_ENGINE_BLIND = engine === 'postgres' && !IS_LONG;

/** Whether tests that also run on PostgreSQL are skipped on SQLite */
export const IS_SHOWN_ON_POSTGRES =
  engine === 'sqlite' && !IS_LONG && process.env['LIMEN_TEST_POSTGRES_URL'] !== undefined;

export interface TestDatabase {
  dataDir: string;
  /** Undefined on SQLite */
  url: string | undefined;
  /** Environment of a server that uses this database */
  environment: Record<string, string>;
  /** Generous, because a hundred concurrent queries may wait long on a slow machine. */
  timeouts?: PostgresTimeouts;
  dispose(): Promise<void>;
}

const timeouts = { ...DEFAULT_TIMEOUTS, connectMs: PATIENCE_MS, lockMs: PATIENCE_MS };

interface TestDatabaseOptions {
  /** Whether the database is empty, for tests of migrations and of a first start */
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

/** Removed together with the cluster. */
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
  // Copying files takes half the time of copying through the log.
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
