// Machines that share a database screen against the same lists, whichever machine loaded them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dataset } from '@limen/contract';
import { PATIENCE } from '@limen/testing/patience.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import { createListedEntity, storeList } from '#testing/screening/listed-people.ts';
import { startTestApp } from '#testing/test-app.ts';

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
const TORVALD = createListedEntity('inv-1', 'Torvald Eskeland', '1961-04-09');

/** Starts two machines, the first of which has a list. */
async function prepareMachines() {
  const database = await createTestDatabase();
  onTestFinished(() => database.dispose());
  const folders = Array.from({ length: 2 }, () => mkdtempSync(join(tmpdir(), 'limen-machine-')));
  onTestFinished(() => folders.forEach((folder) => void rmSync(folder, { recursive: true, force: true })));
  const [one, other] = folders as [string, string];
  await storeList(one, 'north', [TORVALD], '7');
  const start = async (dataDir: string, reaches = /^ready/) => {
    const sanctionsTuning = { lookEveryMs: 20, shareEveryMs: 20 };
    const app = await startTestApp({ database, environment: { DATA_DIR: dataDir, MASTER_KEY }, sanctionsTuning });
    await app.listen();
    const said = async () => (await app.http.inject('/ready')).json().checks.datasets;
    await expect.poll(said, PATIENCE).toMatch(reaches);
    return { ...app, said };
  };
  return { one, other, start };
}

type Machine = Awaited<ReturnType<Awaited<ReturnType<typeof prepareMachines>>['start']>>;

const listsOf = async ({ http }: Machine) =>
  ((await http.inject('/v2/open-sanctions/datasets')).json() as { datasets: Dataset[] }).datasets
    .filter(({ kind }) => kind === 'list')
    .map(({ name, version, status }) => [name, status, version]);

describe.skipIf(engine === 'sqlite')('a machine that joins an existing database', () => {
  it('has the lists of the others before it is ready', async () => {
    const { one, other, start } = await prepareMachines();
    expect(await listsOf(await start(one))).toContainEqual(['north', 'ready', '7']);
    expect(await listsOf(await start(other))).toContainEqual(['north', 'ready', '7']);
  });

  it('is not ready until it has compared its lists, clears no one until then, and recovers by itself', async () => {
    const { one, other, start } = await prepareMachines();
    const { queries } = (await start(one)).database;
    await queries.schema.alterTable('shared_lists').renameTo('away').execute();
    const without = await start(other, /^comparing lists with other machines/);
    expect((await without.http.inject('/ready')).statusCode).toBe(503);
    const match = (dataset: string) => {
      const payload = { dataset, subjects: [{ id: 'a', name: 'Torvald Eskeland' }] };
      return without.http.inject({ method: 'POST', url: '/v2/screening/match', payload });
    };
    expect((await match('north')).statusCode).toBe(503);
    expect((await match('default')).json().warning).toContain('have not been compared');
    await queries.schema.alterTable('away').renameTo('shared_lists').execute();
    await expect.poll(without.said, PATIENCE).toMatch(/^ready/);
    expect((await match('north')).json()).toMatchObject({ datasetVersion: '7', results: [{ match: true }] });
    expect((await match('default')).json().warning).toBeUndefined();
  });

  it('clears no one by a list of the others that it cannot fetch', async () => {
    const { one, other, start } = await prepareMachines();
    await start(one);
    // A file at the path of the folder prevents its creation, as a full disk does.
    mkdirSync(join(other, 'datasets'));
    writeFileSync(join(other, 'datasets/north'), '');
    const without = await start(other);
    expect(await without.said()).toContain('cannot be read: north');
    expect(await listsOf(without)).toContainEqual(['north', 'failed', undefined]);
    const match = (dataset: string) => {
      const payload = { dataset, subjects: [{ id: 'a', name: 'Torvald Eskeland' }] };
      return without.http.inject({ method: 'POST', url: '/v2/screening/match', payload });
    };
    expect((await match('north')).statusCode).toBe(503);
    expect((await match('default')).json().warning).toContain('north');
  });

  it('reports a newer version that it cannot fetch, and searches the one it has', async () => {
    const { one, other, start } = await prepareMachines();
    const first = await start(one);
    await (await start(other)).close();
    await storeList(one, 'north', [TORVALD, createListedEntity('inv-2', 'Quorvina Belzanfer')], '8');
    const hasNew = async () => (await listsOf(first)).some(([, , version]) => version === '8');
    await expect.poll(hasNew, PATIENCE).toBe(true);
    await first.close();
    await (await start(one)).close(); // Has the new version active.
    // Another process seems to be writing it.
    mkdirSync(join(other, 'datasets/.incoming/north.lock'), { recursive: true });
    const old = await start(other);
    expect(await old.said()).toContain('the newest version of north');
    const payload = { dataset: 'north', subjects: [{ id: 'a', name: 'Torvald Eskeland' }] };
    const reply = (await old.http.inject({ method: 'POST', url: '/v2/screening/match', payload })).json();
    expect(reply).toMatchObject({
      datasetVersion: '7',
      warning: expect.stringContaining('older version'),
      results: [{ match: true }],
    });
  });
});
