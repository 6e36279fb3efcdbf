// The audit log records acts on the command line as well as in the console.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeAnchor, writeAnchor } from '@limen/wallet';
import { createTestIssuer } from '@limen/wallet/test-issuer';
import { expect, it } from 'vitest';
import { listActs, prepareDatabase, runLimenHere } from '#testing/run-limen.ts';
import { ftmList, ftmPerson } from '#testing/screening/publisher.ts';

const NOBODY = '5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57';

async function prepare() {
  const { environment, dataDir } = await prepareDatabase();
  const run = (...args: string[]) => runLimenHere(args, { environment });
  const acts = () => listActs(environment);
  const write = (name: string, text: string) => {
    writeFileSync(join(dataDir, name), text);
    return join(dataDir, name);
  };
  return { run, acts, write };
}

it('records created, limited and revoked keys', async () => {
  const { run, acts } = await prepare();
  const { id, api_key } = JSON.parse((await run('keys', 'create', '--label', 'Shop', '--json')).stdout);
  await run('keys', 'embed', id, 'https://shop.example');
  await run('keys', 'revoke', id);
  await run('keys', 'revoke', id); // already revoked
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

it('records rotated and removed signing keys', async () => {
  const { run, acts } = await prepare();
  const [made] = JSON.parse((await run('signing-keys', 'rotate', '--world', 'live', '--now', '--json')).stdout);
  await run('signing-keys', 'rotate');
  expect((await run('signing-keys', 'remove', made.id, '--yes')).code).toBe(0);
  expect((await run('signing-keys', 'remove', made.id, '--yes')).code).toBe(1); // already removed
  expect(await acts()).toEqual([
    ['signing-key.rotate', 'live'],
    ['signing-key.rotate', 'live'],
    ['signing-key.rotate', 'test'],
    ['signing-key.remove', made.id],
  ]);
});

it('records a master key rotation, but no act on unknown people or jobs', async () => {
  const { run, acts } = await prepare();
  await run('people', 'delete', NOBODY, '--yes');
  await run('jobs', 'retry', NOBODY);
  expect((await run('master-key', 'rotate')).code).toBe(0);
  expect(await acts()).toEqual([['master-key.rotate', undefined]]);
});

it('records added, refreshed and removed lists and authorities, once there is a log', async () => {
  const { run, acts, write } = await prepare();
  const list = write('list.ftm.json', ftmList(ftmPerson('a', 'Maria Beispiel')));
  const issuer = await createTestIssuer({ profile: 'mdl', now: new Date(), country: 'UT' });
  const { fingerprint } = describeAnchor(issuer.anchor);
  const pem = write('root.pem', writeAnchor(issuer.anchor));
  expect((await run('datasets', 'add', 'house_list', list)).code).toBe(0); // works before a database exists
  await run('keys', 'create');
  await run('datasets', 'add', 'house_list', list);
  await run('datasets', 'remove', 'nowhere');
  await run('datasets', 'remove', 'house_list');
  await run('trust', 'add', 'mdl', pem);
  await run('trust', 'remove', fingerprint.slice(0, 16));
  await run('trust', 'remove-list', 'nowhere');
  // Failed downloads and unverified lists are not recorded.
  const empty = write('empty.ftm.json', '');
  expect((await run('datasets', 'add', 'house_list', empty)).code).toBe(1);
  expect((await run('datasets', 'sync', 'nowhere')).code).toBe(1);
  const followed = ['house', 'http://127.0.0.1:9/vical', '--profile', 'mdl', '--provider', pem];
  expect((await run('trust', 'add-list', ...followed)).code).toBe(1);
  expect((await acts()).slice(-4)).toEqual([
    ['dataset.add', 'house_list'],
    ['dataset.remove', 'house_list'],
    ['trust.add', `mdl ${fingerprint}`],
    ['trust.remove', fingerprint],
  ]);
});

it('records imported subjects', async () => {
  const { run, acts, write } = await prepare();
  const { id } = JSON.parse((await run('keys', 'create', '--json')).stdout);
  const file = write('people.csv', 'reference,name\nc-1,Maria Beispiel\n');
  expect((await run('subjects', 'import', file, '--key-id', id)).code).toBe(0);
  expect(await acts()).toEqual([
    ['key.create', id],
    ['subject.import', `with key ${id}`],
  ]);
});
