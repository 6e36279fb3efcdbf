// `limen keys` on an empty database and next to a running server.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engine } from '#testing/database/test-database.ts';
import { prepareDatabase, runLimenHere } from '#testing/run-limen.ts';
import { startTestApp } from '#testing/test-app.ts';

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

async function createKey(environment: Record<string, string>, ...options: string[]) {
  const { code, stdout } = await runLimenHere(['keys', 'create', '--json', ...options], { environment });
  expect(code).toBe(0);
  return JSON.parse(stdout) as Record<string, string>;
}

describe('keys create', () => {
  it('creates a live key with client credentials and shows them once', async () => {
    const { environment } = await prepareDatabase();
    const { code, stdout, stderr } = await runLimenHere(['keys', 'create'], { environment });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('Brought the schema up to date: 0001'),
    });
    expect(stdout).toMatch(/^Created a live key\.$/m);
    expect(stdout).toMatch(/^ {2}api key {8}limen_live_[\w-]{43}$/m);
    expect(stdout).toMatch(/^ {2}client id {6}[0-9a-f-]{36}$/m);
    expect(stdout).toMatch(/^ {2}client secret {2}[\w-]{43}$/m);
    expect(stdout).toContain('Store key and secret now: they are shown only this once.');
    expect(stdout).not.toContain('\u001b');
  });

  it('omits client credentials on request', async () => {
    const { environment } = await prepareDatabase();
    const { stdout } = await runLimenHere(['keys', 'create', '--no-client-credentials', '--kind', 'test'], {
      environment,
    });
    expect(stdout).toMatch(/^ {2}api key {2}limen_test_/m);
    expect(stdout).toContain('Store the key now: it is shown only this once.');
    expect(stdout).not.toContain('client');
  });

  it('keeps every field of the specified record', async () => {
    const { environment } = await prepareDatabase();
    const options = ['--label', ' Web shop ', '--customer', 'acme', '--api-id', 'a1', '--usage-plan', 'u1'];
    const created = await createKey(environment, ...options, '--product', 'p1', '--kind', 'test');
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      api_key: expect.stringMatching(/^limen_test_/),
      customer_id: 'acme',
      api_id: 'a1',
      usage_plan_id: 'u1',
      product_code: 'p1',
      status: 'active',
      when_created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      last_updated: created['when_created'],
      kind: 'test',
      label: 'Web shop',
      client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it('refuses development keys only in production', async () => {
    const { environment } = await prepareDatabase();
    const production = { ...environment, NODE_ENV: 'production', MASTER_KEY };
    const refused = await runLimenHere(['keys', 'create', '--kind', 'development'], { environment: production });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('Development keys are refused in production');
    const listed = await runLimenHere(['keys', 'list', '--json'], { environment: production });
    expect(JSON.parse(listed.stdout)).toEqual([]);
    const allowed = await createKey({ ...environment, MASTER_KEY }, '--kind', 'development');
    expect(allowed['kind']).toBe('development');
  });

  it.runIf(engine === 'sqlite')('says where it makes a new database', async () => {
    const { environment, dataDir } = await prepareDatabase();
    const first = await runLimenHere(['keys', 'create'], { environment });
    expect(first.stderr).toContain(`Creating a new database: ${join(dataDir, 'limen.db')}`);
    expect((await runLimenHere(['keys', 'create'], { environment })).stderr).toBe('');
  });
});

describe('keys list', () => {
  it('shows every key in aligned columns and never a secret', async () => {
    const { environment } = await prepareDatabase();
    const first = await createKey(environment, '--label', '株式会社', '--customer', 'acme');
    const second = await createKey(
      environment,
      '--kind',
      'test',
      '--label',
      'B',
      '--embed-origin',
      'https://a.example',
      '--kiosk',
      '--native-app',
    );
    const table = await runLimenHere(['keys', 'list'], { environment });
    const [headings, ...lines] = table.stdout.trimEnd().split('\n');
    expect(headings).toMatch(/^ID {36}KIND {2}STATUS {2}LABEL {5}CUSTOMER {2}CREATED {15}SITES {14}TRAITS$/);
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(`^${first['id']}  live  active  株式会社  acme      \\d{4}-\\S+Z  -                  -$`),
      ),
      expect.stringMatching(
        new RegExp(
          `^${second['id']}  test  active  B         -         \\d{4}-\\S+Z  https://a\\.example  native-app kiosk$`,
        ),
      ),
    ]);
    const json = await runLimenHere(['keys', 'list', '--json'], { environment });
    const { api_key: _, client_secret: __, ...shown } = first;
    expect(JSON.parse(json.stdout)[0]).toEqual(shown);
    for (const secret of [first, second].flatMap((key) => [key['api_key']!, key['client_secret']!])) {
      expect(table.stdout + table.stderr + json.stdout + json.stderr).not.toContain(secret);
    }
  });

  it('prints nothing and creates nothing without a database', async () => {
    const { environment, dataDir } = await prepareDatabase();
    const elsewhere = { ...environment, DATA_DIR: join(dataDir, 'later') };
    const { code, stdout, stderr } = await runLimenHere(['keys', 'list'], { environment: elsewhere });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe('There are no API keys yet; create one with: limen keys create\n');
    expect(existsSync(join(dataDir, 'later'))).toBe(false);
  });
});

describe('keys revoke', () => {
  it('takes effect on a running server immediately, as does creating a key', async () => {
    const database = await prepareDatabase();
    const app = await startTestApp({ database, environment: { REQUIRE_API_KEY: 'strings' } });
    const { environment } = database;
    const { id, api_key: apiKey } = await createKey(environment);
    const ask = async () =>
      (await app.http.inject({ method: 'GET', url: '/strings', headers: { 'x-api-key': apiKey! } })).statusCode;
    expect(await ask()).toBe(200);

    const revoked = await runLimenHere(['keys', 'revoke', id!], { environment });
    expect(revoked).toEqual({ code: 0, stdout: expect.stringContaining(`Revoked key ${id}`), stderr: '' });
    expect(await ask()).toBe(401);
    const [listed] = JSON.parse((await runLimenHere(['keys', 'list', '--json'], { environment })).stdout);
    expect(listed).toMatchObject({ id, status: 'revoked' });

    const again = await runLimenHere(['keys', 'revoke', id!], { environment });
    expect(again).toEqual({ code: 0, stdout: `Key ${id} was already revoked.\n`, stderr: '' });
    const [unchanged] = JSON.parse((await runLimenHere(['keys', 'list', '--json'], { environment })).stdout);
    expect(unchanged).toEqual(listed);
    await app.close(); // before the database is disposed
  });

  it('refuses an unknown id', async () => {
    const { environment } = await prepareDatabase();
    const { id } = await createKey(environment);
    const { code, stdout, stderr } = await runLimenHere(['keys', 'revoke', 'nobody'], { environment });
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'No API key has this id; see: limen keys list\n',
    });
    const [listed] = JSON.parse((await runLimenHere(['keys', 'list', '--json'], { environment })).stdout);
    expect(listed).toMatchObject({ id, status: 'active' });
  });
});

describe('keys development', () => {
  it.runIf(engine === 'sqlite')('prints the key that the service shows, and nothing else', async () => {
    const database = await prepareDatabase();
    const app = await startTestApp({ database });
    const key = await app.apiKeys.reveal((await app.apiKeys.ensureDevelopmentKey(undefined)).id);
    const { code, stdout } = await runLimenHere(['keys', 'development'], { environment: database.environment });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${key}\n` });
  });

  it('shows no key in production', async () => {
    const { environment } = await prepareDatabase();
    const { code, stdout, stderr } = await runLimenHere(['keys', 'development'], {
      environment: { ...environment, NODE_ENV: 'production', MASTER_KEY },
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('There is no development key in production');
  });

  it('uses the development key for limen listen unless LIMEN_API_KEY is set', async () => {
    const { environment } = await prepareDatabase();
    const { code, stderr } = await runLimenHere(['listen', '--port', '0'], {
      environment: { ...environment, NODE_ENV: 'production', MASTER_KEY },
    });
    expect(code).toBe(1);
    expect(stderr).toContain('Set LIMEN_API_KEY to the API key that your sessions are created with.');
  });
});

describe('keys embed', () => {
  it('limits the embedding sites of a key at creation and later, and accepts only origins', async () => {
    const { environment } = await prepareDatabase();
    const made = await createKey(environment, '--embed-origin', 'https://b.example', 'https://a.example/');
    expect(made['embed_origins']).toBe('https://a.example https://b.example');
    const embed = (...args: string[]) => runLimenHere(['keys', 'embed', ...args], { environment });
    expect((await embed(made['id']!, 'https://c.example')).stdout).toContain('https://c.example');
    const list = async () => JSON.parse((await runLimenHere(['keys', 'list', '--json'], { environment })).stdout);
    expect((await list())[0].embed_origins).toBe('https://c.example');
    expect((await embed(made['id']!, 'https://c.example/path')).code).not.toBe(0);
    expect((await embed('none', 'https://c.example')).code).toBe(1);
    expect((await embed(made['id']!)).code).toBe(0);
    expect((await list())[0].embed_origins).toBeUndefined();
  });
});
