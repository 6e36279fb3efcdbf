// `limen keyholder` after a key-holder was lost.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { openLocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { prepareDatabase, runLimenHere } from '#testing/run-limen.ts';
import { masterKeyId } from '../../platform/sealing/master-key.ts';
import { createAnswerCall } from '../keyholder/answer-call.ts';
import { shortIdentity } from '../keyholder/link/one.ts';
import { listenForService } from '../keyholder/tls-server.ts';

const secret = 'a-secret-of-at-least-32-characters';

/** Settings of a service with this key-holder. */
async function startKeyHolder(): Promise<Record<string, string>> {
  const holder = await openLocalKeyHolder();
  const answer = createAnswerCall(holder, () => {});
  const log = pino({ level: 'silent' });
  const server = await listenForService({ host: '127.0.0.1', port: 0, secrets: [secret], answer, log });
  onTestFinished(async () => {
    await server.close();
    await holder.close();
  });
  return { KEYHOLDER_URL: `tls://127.0.0.1:${server.port}`, KEYHOLDER_SECRET: secret };
}

it('requires the address of a shared database from the environment and shows an example', async () => {
  const limen = (environment: Record<string, string>) =>
    runLimenHere(['keyholder', 'backup', '/nowhere', '--database'], { environment });
  expect(await limen({})).toMatchObject({ code: 2, stderr: expect.stringContaining('Set KEYHOLDER_DATABASE_URL') });
  expect(await limen({ KEYHOLDER_DATABASE_URL: 'mysql://secret@host' })).toMatchObject({
    code: 2,
    stderr: expect.not.stringContaining('secret'),
  });
  expect(await limen({ KEYHOLDER_DATABASE_URL: 'postgres://127.0.0.1:1/keys' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('does not answer; check KEYHOLDER_DATABASE_URL'),
  });
});

it("exports the thread's keys to a key-holder under a new master key, which alone opens them", async () => {
  const { environment, dataDir } = await prepareDatabase();
  const limen = (args: string[], input = '') => runLimenHere(['keyholder', ...args], { environment, input });
  const before = await limen(['accept']); // starts the thread, which creates its folder
  expect(before).toMatchObject({ code: 0 });
  const next = Buffer.alloc(32, 0xb);
  const copy = join(dataDir, 'copy');
  expect(await limen(['backup', copy, '--next-key-stdin'], 'no key')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not 32 bytes'),
  });
  expect(await limen(['backup', copy, '--next-key-stdin', '--of', dataDir], '')).toMatchObject({ code: 2 });
  const own = readFileSync(join(dataDir, 'master.key'), 'utf8');
  const refused = await limen(['backup', copy, '--next-key-stdin'], own);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('The service has this master key too') });
  expect(existsSync(copy)).toBe(false);

  const taken = await limen(['backup', copy, '--next-key-stdin'], next.toString('base64'));
  expect(taken).toMatchObject({ code: 0, stderr: '', stdout: expect.not.stringContaining(next.toString('base64')) });
  const folder = join(dataDir, 'of-its-own');
  expect(await limen(['restore', copy, '--to', folder])).toMatchObject({ code: 0 });
  await expect(openLocalKeyHolder({ folder })).rejects.toThrow('does not belong to its folder');
  const holder = await openLocalKeyHolder({ folder, masterKey: next });
  onTestFinished(() => holder.close());
  const moved = shortIdentity(await holder.identity());
  expect((await limen(['show'])).stdout).toBe(`database    ${moved}\nkey-holder  ${moved}\n`);
});

it("rotates a key-holder's master key to the first of the two in the environment", async () => {
  const folder = join(tmpdir(), `limen-keyholder-${randomUUID()}`);
  const [old, next] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
  await (await openLocalKeyHolder({ folder, masterKey: old })).close();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const limen = (...keys: Buffer[]) =>
    runLimenHere(['keyholder', 'rotate-master-key', '--of', folder], {
      environment: { KEYHOLDER_MASTER_KEY: keys.map((key) => key.toString('base64')).join() },
    });
  for (const keys of [[], [next]]) {
    expect(await limen(...keys)).toMatchObject({ code: 2, stderr: expect.stringContaining('must have two keys') });
  }
  const [oldId, nextId] = [old, next].map((key) => masterKeyId(key).toString('hex'));
  const wrongWayRound = await limen(old, next);
  expect(wrongWayRound).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`under key ${oldId}, the first in KEYHOLDER_MASTER_KEY; nothing was changed`),
  });
  expect(wrongWayRound.stdout).toContain('If it is the old key, the order is wrong: set KEYHOLDER_MASTER_KEY=NEW,OLD');
  const changed = await limen(next, old);
  expect(changed).toMatchObject({ code: 0, stdout: expect.stringContaining(`sealed under key ${oldId}, the second`) });
  expect(changed.stdout).toContain(`is now sealed under key ${nextId}, the first`);
  expect((await limen(next, old)).stdout).toContain(`already sealed under key ${nextId}, the first`);
  await (await openLocalKeyHolder({ folder, masterKey: next })).close();
});

it.each([
  { environment: { NODE_ENV: 'production' }, sentence: 'with --of, or add --database' },
  { environment: { KEYHOLDER_DATABASE_URL: 'postgres://localhost/keys' }, sentence: 'add --database' },
  { environment: { KEYHOLDER_DATABASE_UR: 'postgres://localhost/keys' }, sentence: 'KEYHOLDER_DATABASE_URL is.' },
  { environment: { KEYHOLDER_DATA_DIR: '/nowhere/keys' }, sentence: 'no key-holder in /nowhere/keys' },
])("asks for the key-holder's location and never for the service's master key: $sentence", async (given) => {
  const { environment, sentence } = given;
  const { stderr } = await runLimenHere(['keyholder', 'backup', '/nowhere/copy'], { environment });
  expect(stderr).toContain(sentence);
  expect(stderr).not.toContain('MASTER_KEY');
});

it('shows which key-holder the database is bound to, and rebinds it only on request', async () => {
  const { environment } = await prepareDatabase();
  const [first, second] = [await startKeyHolder(), await startKeyHolder()];
  const limen = (settings: Record<string, string>, ...args: string[]) =>
    runLimenHere(['keyholder', ...args], { environment: { ...environment, ...settings } });
  expect((await limen(first, 'show')).stdout).toContain('database    none yet');
  expect((await limen(first, 'accept')).stdout).toContain('is now bound');
  expect((await limen(first, 'accept')).stdout).toContain('already');
  expect(await limen(first, 'show')).toMatchObject({ code: 0 });

  expect(await limen(second, 'show')).toMatchObject({ code: 1, stderr: expect.stringContaining('They differ') });
  expect(await limen(second, 'accept')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect((await limen(second, 'accept', '--yes')).code).toBe(0);
  expect(await limen(second, 'show')).toMatchObject({ code: 0 });
  expect((await limen(first, 'show')).code).toBe(1);
});
