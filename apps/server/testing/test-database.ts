// A database of its own for one test: a fresh folder, and on PostgreSQL a fresh schema in the test cluster.
// (A schema is made in a hundredth of the time a database takes.)
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IS_LONG } from '@limen/testing/rounds.ts';
import pg from 'pg';
import type { Engine } from '../src/platform/database/database.ts';

export const engine: Engine = process.env['LIMEN_TEST_ENGINE'] === 'postgres' ? 'postgres' : 'sqlite';

/** Whether tests of what does not depend on the engine are skipped: they ran on SQLite, as the files of `engineBlind`. */
export const SKIPS_ENGINE_BLIND = engine === 'postgres' && !IS_LONG;

export interface TestDatabase {
  dataDir: string;
  /** Undefined on SQLite. */
  url: string | undefined;
  /** What a server needs in its environment to use it. */
  environment: Record<string, string>;
  dispose(): Promise<void>;
}

export async function createTestDatabase(): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'limen-test-'));
  const removeFolder = () => rmSync(dataDir, { recursive: true, force: true });
  if (engine === 'sqlite') {
    return { dataDir, url: undefined, environment: { DATA_DIR: dataDir }, dispose: async () => removeFolder() };
  }
  const name = `limen_${randomUUID().replaceAll('-', '')}`;
  await runOnCluster(`create schema ${name}`);
  const url = clusterUrl();
  url.searchParams.set('options', `-c search_path=${name}`);
  return {
    dataDir,
    url: url.href,
    environment: { DATA_DIR: dataDir, DATABASE_URL: url.href },
    async dispose() {
      await runOnCluster(`drop schema ${name} cascade`);
      removeFolder();
    },
  };
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
