// `limen master-key`: rotation with the key file and with MASTER_KEY, interruptions, wrong and
// missing keys.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engine, type TestDatabase } from '#testing/database/test-database.ts';
import { pictureOf, prepareDatabase, runLimenHere } from '#testing/run-limen.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';
import { openDatabase } from '../../platform/database/database.ts';

const KEY_A = Buffer.alloc(32, 0xa).toString('base64');
const KEY_B = Buffer.alloc(32, 0xb).toString('base64');
const KEY_C = Buffer.alloc(32, 0xc).toString('base64');
const CREATE = ['keys', 'create', '--json'];

const keyFile = ({ dataDir }: TestDatabase) => join(dataDir, 'master.key');
const readKeyFile = (place: TestDatabase) => readFileSync(keyFile(place), 'utf8').trim();
const keysIn = ({ dataDir }: TestDatabase) =>
  Object.keys(pictureOf(dataDir)).filter((name) => name.startsWith('master.key'));

async function createKey(environment: Record<string, string>) {
  const { code, stdout, stderr } = await runLimenHere(CREATE, { environment });
  return { code, stderr, apiKey: code === 0 ? (JSON.parse(stdout).api_key as string) : undefined };
}

async function ask({ http }: TestApp, apiKey: string | undefined): Promise<number> {
  return (await http.inject({ url: '/strings', headers: { 'x-api-key': apiKey ?? '' } })).statusCode;
}

describe('master-key generate', () => {
  it('prints a fresh key of 32 bytes and reads no configuration', async () => {
    const broken = { PORT: 'nonsense' };
    const [first, second] = await Promise.all([
      runLimenHere(['master-key', 'generate'], { environment: broken }),
      runLimenHere(['master-key', 'generate'], { environment: broken }),
    ]);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(Buffer.from(first.stdout.trim(), 'base64')).toHaveLength(32);
    expect(first.stdout).not.toBe(second.stdout);
  });
});

const idOf = async (input: string) => (await runLimenHere(['master-key', 'id'], { input })).stdout.trim();

describe('master-key id', () => {
  const listConfigured = (environment: Record<string, string>) =>
    runLimenHere(['master-key', 'id', '--configured'], { environment });

  it('names a key from standard input, the keys in MASTER_KEY, or the key file', async () => {
    const { environment, dataDir } = await prepareDatabase();
    expect(await idOf(KEY_A)).toMatch(/^[0-9a-f]{16}$/);
    expect(await listConfigured({ MASTER_KEY: `${KEY_B},${KEY_A}` })).toMatchObject({
      code: 0,
      stdout: `${await idOf(KEY_B)}\n${await idOf(KEY_A)}\n`,
    });
    expect(await listConfigured(environment)).toMatchObject({ code: 1, stderr: expect.stringContaining('is not set') });
    writeFileSync(join(dataDir, 'master.key'), KEY_C, { mode: 0o600 });
    expect((await listConfigured(environment)).stdout.trim()).toBe(await idOf(KEY_C));
    expect(await runLimenHere(['master-key', 'id'], { input: 'no key' })).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('master-key rotate with MASTER_KEY', () => {
  it('takes the next key from standard input, after which only that key starts the server', async () => {
    const place = await prepareDatabase();
    const { environment } = place;
    const before = { ...environment, MASTER_KEY: KEY_A, REQUIRE_API_KEY: 'strings' };
    const after = { ...before, MASTER_KEY: KEY_B };
    const { apiKey } = await createKey(before);
    const rotated = await runLimenHere(['master-key', 'rotate', '--next-key-stdin'], {
      environment: before,
      input: `${KEY_B}\n`,
    });
    expect(rotated).toMatchObject({ code: 0, stderr: '' });
    expect(rotated.stdout).toContain('Set MASTER_KEY to it before the next start');
    expect(rotated.stdout).not.toContain(KEY_A);
    expect(rotated.stdout).not.toContain(KEY_B);

    await expect(startTestApp({ database: place, environment: before })).rejects.toThrow(
      'does not belong to this database',
    );
    const started = await startTestApp({ database: place, environment: after });
    expect(await ask(started, apiKey)).toBe(200);
  });

  it('accepts both keys in either order, and moves to the first', async () => {
    const { environment } = await prepareDatabase();
    const both = { ...environment, MASTER_KEY: `${KEY_B}, ${KEY_A}` };
    await createKey({ ...environment, MASTER_KEY: KEY_A });
    expect((await createKey(both)).code).toBe(0);
    const rotate = () => runLimenHere(['master-key', 'rotate'], { environment: both });
    expect(await rotate()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('take the old key out of MASTER_KEY'),
    });
    expect(await rotate()).toMatchObject({ code: 1, stderr: expect.stringContaining('is the current one') });
    for (const MASTER_KEY of [both.MASTER_KEY, `${KEY_A},${KEY_B}`, KEY_B]) {
      expect((await createKey({ ...environment, MASTER_KEY })).code).toBe(0);
    }
    const [idA, idB, idC] = await Promise.all([KEY_A, KEY_B, KEY_C].map((key) => idOf(key)));
    const examine = async (MASTER_KEY: string) =>
      (await runLimenHere(['doctor'], { environment: { ...environment, MASTER_KEY } })).stdout.replace(/\s+/g, ' ');
    const first = await examine(both.MASTER_KEY);
    expect(first).toContain(`sealed under key ${idB}, the first`);
    expect(first).toContain('if it is the old one, set MASTER_KEY=NEW,OLD, then run limen master-key rotate');
    const second = await examine(`${KEY_A},${KEY_B}`);
    expect(second).toContain(`sealed under key ${idB}, the second`);
    expect(second).toContain('check the order before rotating: the first key is the one the database is moved to');
    const neither = await examine(`${KEY_A},${KEY_C}`);
    expect(neither).toContain('MASTER_KEY has two keys, as during a change');
    expect(neither).not.toContain('sealed under key');
    const wrong = await createKey({ ...environment, MASTER_KEY: `${KEY_A},${KEY_C}` });
    expect(wrong.stderr).toContain(`sealed with key ${idB}, and the ones given are ${idA} and ${idC};`);
  });

  it('requires the option, and refuses an invalid key and the current key', async () => {
    const { environment } = await prepareDatabase();
    const env = { ...environment, MASTER_KEY: KEY_A };
    await createKey(env);
    const without = await runLimenHere(['master-key', 'rotate'], { environment: env, input: KEY_B });
    expect(without).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--next-key-stdin') });
    for (const [input, sentence] of [
      ['', 'is not 32 bytes in base64'],
      ['c2hvcnQ=', 'is not 32 bytes in base64'],
      [KEY_A, 'is the current one'],
    ] as const) {
      const refused = await runLimenHere(['master-key', 'rotate', '--next-key-stdin'], { environment: env, input });
      expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(sentence) });
      expect(refused.stderr).toContain('nothing was changed');
      if (input) expect(refused.stderr).not.toContain(input);
    }
    expect((await createKey(env)).code).toBe(0);
  });
});

describe('master-key rotate with the key file', () => {
  it('replaces the file while a server keeps running, and refuses the old file', async () => {
    const place = await prepareDatabase();
    const environment = { ...place.environment, REQUIRE_API_KEY: 'strings' };
    const { apiKey } = await createKey(environment);
    const server = await startTestApp({ database: place, environment });
    const old = readKeyFile(place);

    const rotated = await runLimenHere(['master-key', 'rotate'], { environment });
    expect(rotated).toMatchObject({ code: 0, stderr: '' });
    expect(rotated.stdout).toContain(keyFile(place));
    expect(readKeyFile(place)).not.toBe(old);
    expect(rotated.stdout).not.toContain(readKeyFile(place));
    expect(keysIn(place)).toEqual(['master.key']);
    expect(await ask(server, apiKey)).toBe(200);
    const added = await createKey(environment);
    expect(await ask(server, added.apiKey)).toBe(200);

    const next = readKeyFile(place);
    writeFileSync(keyFile(place), old);
    const refused = await createKey(environment);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('does not belong to this database') });
    writeFileSync(keyFile(place), next);
    expect((await createKey(environment)).code).toBe(0);
  });

  it('survives several rotations and concurrent commands', async () => {
    const place = await prepareDatabase();
    const { environment } = place;
    await createKey(environment);
    const commands = [['master-key', 'rotate'], CREATE, ['master-key', 'rotate'], CREATE, ['master-key', 'rotate']];
    const ended = await Promise.all(commands.map((args) => runLimenHere(args, { environment })));
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(commands.map(() => ({ code: 0, stderr: '' })));
    expect(keysIn(place)).toEqual(['master.key']);
    expect((await createKey(environment)).code).toBe(0);
  });

  it('finishes a rotation that was interrupted after the database changed', async () => {
    const place = await prepareDatabase();
    const { environment } = place;
    await createKey(environment);
    const old = readKeyFile(place);
    await runLimenHere(['master-key', 'rotate'], { environment });
    const next = readKeyFile(place);
    writeFileSync(keyFile(place), old); // Undoes the last step.
    writeFileSync(`${keyFile(place)}.next`, next, { mode: 0o600 });

    const before = pictureOf(place.dataDir);
    const doctor = await runLimenHere(['doctor'], { environment });
    expect(doctor).toMatchObject({ code: 0, stdout: expect.stringContaining('a rotation was interrupted') });
    expect(pictureOf(place.dataDir)).toEqual(before);

    expect((await createKey(environment)).code).toBe(0);
    expect(readKeyFile(place)).toBe(next);
    expect(keysIn(place)).toEqual(['master.key']);
  });

  it.each([
    ['whole', KEY_B],
    ['torn', ''],
  ])('continues with the old key if it was interrupted earlier (staged file %s)', async (_, staged) => {
    const place = await prepareDatabase();
    const { environment } = place;
    await createKey(environment);
    const old = readKeyFile(place);
    writeFileSync(`${keyFile(place)}.next`, staged, { mode: 0o600 });
    expect(await runLimenHere(['doctor'], { environment })).toMatchObject({ code: 0 });
    expect((await createKey(environment)).code).toBe(0);
    expect(readKeyFile(place)).toBe(old);

    expect(await runLimenHere(['master-key', 'rotate'], { environment })).toMatchObject({ code: 0, stderr: '' });
    expect([old, staged]).not.toContain(readKeyFile(place));
    expect(keysIn(place)).toEqual(['master.key']);
    expect((await createKey(environment)).code).toBe(0);
  });
});

describe('a missing key', () => {
  it('is named by every writing command and by the doctor, and not replaced', async () => {
    const place = await prepareDatabase();
    const { environment } = place;
    await createKey(environment);
    const server = await startTestApp({ database: place, environment });
    await server.http.inject({ method: 'POST', url: '/strings', payload: { value: 'can be saved' } });
    await server.close();
    rmSync(keyFile(place));
    // The string store is readable without the key (docs/runbooks.md).
    const database = openDatabase(place);
    const strings = await database.queries
      .selectFrom('strings')
      .select(['owner', 'id', 'created_at', 'value'])
      .execute();
    const keys = database.queries.selectFrom('api_keys').select(['id', 'kind', 'label', 'customer_id', 'status']);
    expect(strings.map(({ value }) => value)).toEqual(['can be saved']);
    expect((await keys.execute()).length).toBeGreaterThan(0);
    await database.close();
    const refused = await createKey(environment);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('its master key is missing') });
    const doctor = await runLimenHere(['doctor'], { environment });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/^✗ master key +the database is sealed and its master key is missing$/m);
    expect(keysIn(place)).toEqual([]);
  });
});

describe.runIf(engine === 'sqlite')('rows sealed under the old key', () => {
  it('are gone from the database file and its log, even while a server keeps both open', async () => {
    const place = await prepareDatabase();
    const { environment } = place;
    await createKey(environment);
    const database = openDatabase(place);
    const rows = await database.queries.selectFrom('data_keys').select('wrapped').execute();
    await database.close();
    const isOnDisk = ({ wrapped }: { wrapped: Uint8Array }) =>
      Object.keys(pictureOf(place.dataDir))
        .filter((name) => name.startsWith('limen.db'))
        .some((name) => readFileSync(join(place.dataDir, name)).includes(Buffer.from(wrapped)));
    await startTestApp({ database: place });
    expect(rows.map(isOnDisk)).toEqual([true, true]);
    await runLimenHere(['master-key', 'rotate'], { environment });
    expect(rows.map(isOnDisk)).toEqual([false, false]);
  });
});
