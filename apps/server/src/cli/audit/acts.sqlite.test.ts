// What is done on the command line is in the audit log, beside what is done in the console.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { prepareDatabase, runLimenHere } from '../testing/run-limen.ts';

const NOBODY = '5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57';

async function prepare() {
  const { environment } = await prepareDatabase();
  const run = (...args: string[]) => runLimenHere(args, { environment });
  const acts = async (): Promise<string[][]> => {
    const lines = (await run('audit', 'export')).stdout.trim().split('\n');
    const written = lines.map((line) => JSON.parse(line)).filter(({ act }) => act !== undefined);
    for (const { operator, from } of written)
      expect([operator.name, from]).toEqual(['command line', expect.any(String)]);
    return written.map(({ act, about }) => [act, about]);
  };
  return { run, acts };
}

it('has keys that are created, limited and revoked', async () => {
  const { run, acts } = await prepare();
  const { id, api_key } = JSON.parse((await run('keys', 'create', '--label', 'Shop', '--json')).stdout);
  await run('keys', 'embed', id, 'https://shop.example');
  await run('keys', 'revoke', id);
  await run('keys', 'revoke', id); // was already
  await run('keys', 'revoke', NOBODY);
  await run('keys', 'embed', NOBODY, 'https://shop.example');
  await run('keys', 'list');
  const found = await acts();
  expect(found).toEqual([
    ['key.create', id],
    ['key.origins', id],
    ['key.revoke', id],
  ]);
  expect(JSON.stringify(found)).not.toContain(api_key);
  expect((await run('audit', 'verify')).stdout).toContain('Whole: 3 lines');
});

it('has signing keys that are rotated and removed', async () => {
  const { run, acts } = await prepare();
  const [made] = JSON.parse((await run('signing-keys', 'rotate', '--world', 'live', '--now', '--json')).stdout);
  await run('signing-keys', 'rotate');
  expect((await run('signing-keys', 'remove', made.id, '--yes')).code).toBe(0);
  expect(await acts()).toEqual([
    ['signing-key.rotate', 'live'],
    ['signing-key.rotate', 'live'],
    ['signing-key.rotate', 'test'],
    ['signing-key.remove', made.id],
  ]);
});

it('has another master key, and nobody who was not there', async () => {
  const { run, acts } = await prepare();
  await run('people', 'delete', NOBODY, '--yes');
  await run('jobs', 'retry', NOBODY);
  expect((await run('master-key', 'rotate')).code).toBe(0);
  expect(await acts()).toEqual([['master-key.rotate', undefined]]);
});

it('is shown by the console in words', () => {
  const texts = readFileSync(new URL('../../../../console/src/texts.ts', import.meta.url), 'utf8');
  const sources = ['keys/keys', 'keys/rotate-enrol', 'signing-keys/signing-keys', 'jobs/jobs', 'rows/rows'];
  const more = ['people/delete', 'secrets/keyholder', 'secrets/master-key', 'operators/operators'];
  const acts = [...sources, ...more].flatMap((name) => {
    const source = readFileSync(new URL(`../${name}.ts`, import.meta.url), 'utf8');
    return [...source.matchAll(/(?:record\(|\{ name: )'([a-z-]+\.[a-z-]+)'/g)].map(([, act]) => act!);
  });
  expect(acts.length).toBeGreaterThan(10);
  for (const act of acts) expect(texts).toContain(`'${act}': '`);
});
