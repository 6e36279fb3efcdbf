// `limen subjects evidence` as an operator runs it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { prepareDatabase, runLimenHere } from '#testing/run-limen.ts';

it('writes a self-contained page and the JSON of the service, and refuses an unknown subject', async () => {
  const { environment, dataDir } = await prepareDatabase();
  const run = (...args: string[]) => runLimenHere(['subjects', ...args], { environment });
  const { id } = JSON.parse((await runLimenHere(['keys', 'create', '--json'], { environment })).stdout);
  const [list, page, data] = ['some.csv', 'evidence.html', 'evidence.json'].map((name) => join(dataDir, name));
  writeFileSync(list!, 'reference,name,dataset\nc-1,Maria Beispiel,demo\n');
  await run('import', list!, '--key-id', id);
  const evidence = ['evidence', 'c-1', '--key-id', id];
  expect(await run(...evidence, '--html', page!, '--json', data!)).toMatchObject({ code: 0, stderr: '' });
  const text = readFileSync(page!, 'utf8');
  expect(text).toContain('<bdi>Maria Beispiel</bdi>');
  expect(text).not.toMatch(/(href|src)=/);
  expect(JSON.parse(readFileSync(data!, 'utf8'))).toMatchObject({
    subject: { reference: 'c-1' },
    hits: [],
    history: [],
  });
  expect((await run('evidence', 'c-2', '--key-id', id, '--html', page!)).stderr).toMatch(/no watched subject/i);
  expect((await run(...evidence)).code).toBe(2);
});
