// `limen subjects import` as an operator runs it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { prepareDatabase, runLimenHere } from '#testing/run-limen.ts';

async function prepare() {
  const { environment, dataDir } = await prepareDatabase();
  const run = (...args: string[]) => runLimenHere(args, { environment });
  const { id } = JSON.parse((await run('keys', 'create', '--json')).stdout);
  const save = (name: string, text: string) => {
    const file = join(dataDir, name);
    writeFileSync(file, text);
    return file;
  };
  return { run, save, keyId: id as string };
}

it('watches the valid subjects, names the invalid lines, and changes nothing the second time', async () => {
  const { run, save, keyId } = await prepare();
  const file = save(
    'some.csv',
    'reference,name,dataset,birth date\nc-1,Maria Beispiel,demo\nc-2,,demo\nc-3,A B,nowhere\n',
  );
  const first = await run('subjects', 'import', file, '--key-id', keyId);
  expect(first.code).toBe(4);
  expect(first.stdout).toMatch(/new +1\n +changed +0\n +as before +0\n +not usable +2/);
  expect(first.stderr).toMatch(
    /birth date \(did you mean birthDate\?\)[\s\S]*Line 3: .*needs a name[\s\S]*Line 4: There is no dataset/,
  );
  const lines = save('some.ndjson', '{"reference":"c-1","name":"Maria Beispiel","dataset":"demo"}');
  const again = await run('subjects', 'import', lines, '--key-id', keyId, '--json');
  expect(JSON.parse(again.stdout)).toEqual({ added: 0, changed: 0, unchanged: 1, refused: 0, problems: [] });
  expect(again.code).toBe(0);
});

it('refuses an unknown key, an unknown file type and an invalid threshold', async () => {
  const { run, save, keyId } = await prepare();
  const file = save('some.txt', 'reference,name\n');
  expect((await run('subjects', 'import', file, '--key-id', keyId)).code).toBe(2);
  const csv = ['subjects', 'import', file, '--format', 'csv'];
  expect((await run(...csv, '--key-id', 'another')).code).toBe(1);
  expect((await run(...csv, '--key-id', keyId, '--threshold', '2')).code).toBe(2);
  const unknown = await run(...csv, '--key-id', keyId, '--dataset', 'nowhere');
  expect([unknown.code, unknown.stdout]).toEqual([1, '']);
  expect(unknown.stderr).toMatch(/no dataset with this name\. There are demo, and/);
});
