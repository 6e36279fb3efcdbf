// `limen keys rotate-data` as an operator runs it.
import { expect, it } from 'vitest';
import { listActs, prepareDatabase, runLimenHere } from '#testing/run-limen.ts';
import { openDatabase } from '../../platform/database/database.ts';

async function prepare() {
  const place = await prepareDatabase();
  const run = (...args: string[]) => runLimenHere(['keys', ...args], { environment: place.environment });
  await run('create', '--label', 'Shop');
  const idsOfKeys = async () => {
    const database = openDatabase(place);
    const rows = await database.queries.selectFrom('data_keys').select(['id', 'purpose']).execute();
    await database.close();
    return rows.filter(({ purpose }) => purpose === 'seal').map(({ id }) => id);
  };
  return { place, run, idsOfKeys };
}

it('leaves one new key and an audit record', async () => {
  const { place, run, idsOfKeys } = await prepare();
  const [before] = await idsOfKeys();
  const { code, stdout, stderr } = await run('rotate-data');
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'Made new data keys.\n' });
  expect(stdout).toMatch(/^Resealed \d+ values and rows; the old data keys are destroyed\.\n$/);
  const after = await idsOfKeys();
  expect(after).toHaveLength(1);
  expect(after).not.toContain(before);
  expect((await listActs(place.environment)).map(([act]) => act)).toEqual(['key.create', 'data-keys.rotate']);
});

it('keeps the old key for a value that does not open, and names its location', async () => {
  const { place, run, idsOfKeys } = await prepare();
  const database = openDatabase(place);
  await database.queries.updateTable('audit_lines').set({ act: 'key.revoke' }).execute();
  await database.close();
  const { code, stdout, stderr } = await run('rotate-data');
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('the old data keys are kept.') });
  expect(stderr).toContain('because they are damaged or were edited in the database: 1 in audit_lines.');
  expect(await idsOfKeys()).toHaveLength(2);
  const doctor = async () => (await runLimenHere(['doctor'], { environment: place.environment })).stdout;
  expect(await doctor()).toMatch(/opens all 4 data keys; a change of the data keys was begun and has not ended$/m);
  expect(await run('rotate-data', '--leave-unreadable')).toMatchObject({ code: 0 });
  expect(await idsOfKeys()).toHaveLength(1);
  expect(await doctor()).toMatch(/opens all \d data keys$/m);
});

it('keeps the old key for an edited API key, and continues despite a missing one', async () => {
  const { place, run } = await prepare();
  const database = openDatabase(place);
  await database.queries.updateTable('api_keys').set({ label: 'Edited' }).execute();
  const { id } = await database.queries.selectFrom('api_keys').select('id').executeTakeFirstOrThrow();
  await database.close();
  expect(await run('rotate-data')).toMatchObject({ code: 1, stderr: expect.stringContaining('1 in api_keys.') });
  expect(await run('rotate-data', '--leave-unreadable')).toMatchObject({ code: 0 });
  await runLimenHere(['rows', 'accept', 'api_keys', id], { environment: place.environment });
  expect(await run('rotate-data')).toMatchObject({ code: 1, stderr: expect.stringContaining('1 in api_keys.') });
});
