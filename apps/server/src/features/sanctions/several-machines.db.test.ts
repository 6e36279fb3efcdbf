// A machine that comes to a database that others use screens against their lists, without having loaded any.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dataset } from '@limen/contract';
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { startTestApp } from '#testing/test-app.ts';
import { listed, storeList } from '../../core/screening/testing/listed-people.ts';

it.skipIf(engine === 'sqlite')('has the lists of the others before it is ready', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.dispose());
  const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
  const startMachine = async (dataDir: string) => {
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const app = await startTestApp({ database, environment: { DATA_DIR: dataDir, MASTER_KEY } });
    await app.listen();
    await expect.poll(async () => (await app.http.inject('/ready')).json().checks.datasets).toMatch(/^ready/);
    const { datasets } = (await app.http.inject('/v2/open-sanctions/datasets')).json() as { datasets: Dataset[] };
    return datasets.filter(({ kind }) => kind === 'list').map(({ name, version }) => `${name} ${version}`);
  };
  const [one, other] = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'limen-machine-'))) as [string, string];
  await storeList(one, 'north', [listed('inv-1', 'Torvald Eskeland', '1961-04-09')], '7');
  expect(await startMachine(one)).toContain('north 7');
  expect(await startMachine(other)).toContain('north 7');
});
