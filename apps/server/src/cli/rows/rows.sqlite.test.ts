// `limen rows` and the doctor on rows that were edited, and on those of a gallery that an earlier version went on to change.
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../platform/database/database.ts';
import { PRIVACY_MAP } from '../../platform/database/privacy-map.ts';
import { SEALED_TABLE_NAMES } from '../../platform/sealing/sealed-tables.ts';
import { prepareDatabase, runLimenHere } from '../testing/run-limen.ts';

async function prepareEdited() {
  const place = await prepareDatabase();
  const { environment } = place;
  const made: { id: string }[] = [];
  for (const label of ['one', 'two'])
    made.push(JSON.parse((await runLimenHere(['keys', 'create', '--label', label, '--json'], { environment })).stdout));
  const run = (...args: string[]) => runLimenHere(args, { environment });
  expect((await run('rows', 'list')).stdout).toBe('All 2 rows are as they were written.\n');
  const database = openDatabase(place);
  await database.queries.updateTable('api_keys').set({ label: 'edited' }).where('id', '=', made[1]!.id).execute();
  await database.close();
  return { run, id: made[1]!.id };
}

describe('a row that was edited', () => {
  it('is found by the doctor, listed, and counts again once an operator accepts it', async () => {
    const { run, id } = await prepareEdited();
    const ill = await run('doctor');
    expect(ill.code).toBe(1);
    expect(ill.stdout).toMatch(/^✗ rows +of all 2, some were edited .* count as absent: 1 of api_keys$/m);
    const listed = await run('rows', 'list');
    expect(listed.stdout).toMatch(new RegExp(`^api_keys ${id} \\{.*"label":"edited".*\\}\\n$`));
    expect(JSON.parse((await run('rows', 'list', '--json')).stdout)).toMatchObject({
      complete: true,
      edited: [{ table: 'api_keys', id }],
    });
    expect(await run('rows', 'accept', 'api_keys', id)).toMatchObject({
      code: 0,
      stdout: `Accepted api_keys ${id}.\n`,
    });
    const well = await run('doctor');
    expect(well).toMatchObject({ code: 0, stdout: expect.stringMatching(/^✓ rows +all 2 sealed rows are/m) });
  });

  it('is the only one that can be accepted', async () => {
    const { run, id } = await prepareEdited();
    await run('rows', 'accept', 'api_keys', id);
    for (const name of [id, 'nobody']) {
      const { code, stderr } = await run('rows', 'accept', 'api_keys', name);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `Not there, or not edited: ${name}; see: limen rows list\n`,
      });
    }
    expect((await run('rows', 'accept', 'strings', 'x')).stderr).toContain('Allowed choices are');
  });
});

it('every table that has a seal is looked at', () => {
  const withSeal = Object.entries(PRIVACY_MAP).filter(([, { columns }]) => 'mac' in columns);
  expect([...SEALED_TABLE_NAMES].sort()).toEqual(withSeal.map(([table]) => table).sort());
});
