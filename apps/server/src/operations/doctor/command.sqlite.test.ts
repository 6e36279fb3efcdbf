// `limen doctor` finds problems, names remedies, and changes nothing.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IS_LONG } from '@limen/testing/rounds.ts';
import { describe, expect, it } from 'vitest';
import { engine, type TestDatabase } from '#testing/database/test-database.ts';
import { pictureOf, prepareDatabase, runLimenHere, startServer } from '#testing/run-limen.ts';
import { type Database, openDatabase } from '../../platform/database/database.ts';
import { hasTable } from '../../platform/database/migrate.ts';
import { migrations } from '../../platform/database/migrations/migrations.ts';
import { forgetUntrustedProxy, noteUntrustedProxy } from '../../platform/http/untrusted-proxy.ts';

const TOMORROW = Date.now() + 86_400_000;
const KEY_A = Buffer.alloc(32, 0xa).toString('base64');
const KEY_B = Buffer.alloc(32, 0xb).toString('base64');

async function prepareUsed(more: Record<string, string> = {}) {
  const place = await prepareDatabase();
  const environment = { ...place.environment, ...more };
  const { stdout } = await runLimenHere(['keys', 'create', '--json'], { environment });
  return { place, environment, key: JSON.parse(stdout) as Record<string, string> };
}

async function change(place: TestDatabase, work: (queries: Database['queries']) => Promise<unknown>): Promise<void> {
  const database = openDatabase(place);
  await work(database.queries);
  await database.close();
}

describe('on a fresh machine', () => {
  it('announces what the first start will create, and creates nothing', async () => {
    const { environment, dataDir } = await prepareDatabase();
    const elsewhere = { ...environment, DATA_DIR: join(dataDir, 'a', 'b') };
    const { code, stdout, stderr } = await runLimenHere(['doctor'], { environment: elsewhere });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^✓ data folder +\S+ does not exist yet; it will be created at the first start, .+ free$/m);
    expect(stdout).toMatch(/^✓( database)? +.*will be created at the first start$/m);
    expect(stdout).toMatch(/^✓ master key +no key file yet; it will be created at the first start$/m);
    expect(stdout).toMatch(/^✓ runtime +Node 24\./m);
    expect(pictureOf(dataDir)).toEqual({});
    if (engine === 'postgres') {
      const database = openDatabase({ url: environment['DATABASE_URL'], dataDir });
      expect(await hasTable(database, 'schema_migrations')).toBe(false);
      expect(await hasTable(database, 'data_keys')).toBe(false);
      await database.close();
    }
  });
});

describe('on a healthy database', () => {
  it('finds no problems, shows no secret, and leaves every byte unchanged', async () => {
    const { place, environment, key } = await prepareUsed();
    const before = pictureOf(place.dataDir);
    const text = await runLimenHere(['doctor'], { environment });
    const json = await runLimenHere(['doctor', '--json'], { environment });
    expect(pictureOf(place.dataDir)).toEqual(before);
    expect(text).toMatchObject({ code: 0, stderr: '' });
    expect(text.stdout).toMatch(/^✓ master key +\S+master\.key opens all 2 data keys$/m);
    expect(text.stdout).toMatch(engine === 'sqlite' ? /sound \(quick_check\)$/m : /PostgreSQL \d+\S* .*answers$/m);
    expect(text.stdout).toMatch(/^✓ +the schema is up to date$/m);
    expect(text.stdout).toMatch(/^No problems, \d warnings?\.$/m);
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: true });
    expect(JSON.parse(json.stdout).findings).toContainEqual({ check: 'jobs', level: 'ok', found: 'none is dead' });
    const masterKey = readFileSync(join(place.dataDir, 'master.key'), 'utf8').trim();
    for (const secret of [key['api_key']!, key['client_secret']!, masterKey, place.url ?? masterKey]) {
      expect(text.stdout + json.stdout + text.stderr + json.stderr).not.toContain(secret);
    }
  });

  it.runIf(IS_LONG)('works beside a running server', async () => {
    const { environment } = await prepareUsed();
    expect(await startServer(environment)).toHaveProperty('address');
    const { code, stdout } = await runLimenHere(['doctor'], { environment });
    expect(code).toBe(0);
    expect(stdout).toContain('opens all 2 data keys');
  });
});

describe('an untrusted proxy', () => {
  it("is found by the service's note and by the settings, until it is trusted", async () => {
    const { place, environment } = await prepareUsed();
    const lineOf = async (more: Record<string, string> = {}) =>
      (await runLimenHere(['doctor'], { environment: { ...environment, ...more } })).stdout.match(/^. proxy .*$/m)?.[0];
    expect(await lineOf()).toMatch(/^✓ .* none was seen/);
    expect(await lineOf({ PUBLIC_URL: 'https://limen.example' })).toMatch(/^! .* a proxy must be in front/);
    await noteUntrustedProxy(place.dataDir);
    expect(await lineOf()).toMatch(/^! .* all its clients count as one address/);
    expect(await lineOf({ TRUST_PROXY: '10.0.0.4' })).toMatch(/^✓ /);
    forgetUntrustedProxy(place.dataDir);
    expect(await lineOf()).toMatch(/^✓ .* none was seen/);
  });
});

describe('its findings on the configuration', () => {
  it('are all reported at once, without the value of a secret', async () => {
    const environment = {
      PORT: 'high',
      MASTER_KEY: 'hunter2hunter2',
      DATABASE_URL: 'mysql://u:hunter2@h/d',
      SERVE: 'all',
    };
    const { code, stdout, stderr } = await runLimenHere(['doctor'], { environment });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '4 problems, 1 warning.\n' });
    for (const name of ['PORT', 'MASTER_KEY', 'DATABASE_URL', 'SERVE']) {
      expect(stdout).toMatch(new RegExp(`^✗ .*${name} must be`, 'm'));
    }
    expect(stdout).not.toContain('hunter2');
    const listed = await runLimenHere(['keys', 'list'], { environment });
    expect(listed).toMatchObject({ code: 1, stdout: '' });
    expect(listed.stderr.match(/^ {2}- /gm)).toHaveLength(4);
  });

  it('include a production server whose master key is missing or empty', async () => {
    const { environment } = await prepareDatabase();
    for (const extra of [{}, { MASTER_KEY: '' }]) {
      const { code, stdout } = await runLimenHere(['doctor'], {
        environment: { ...environment, NODE_ENV: 'production', ...extra },
      });
      expect(code).toBe(1);
      expect(stdout).toMatch(/^✗ .*MASTER_KEY is (not set|required)/m);
    }
  });
});

describe('its findings on the data folder', () => {
  it('include a file in its place', async () => {
    const { environment, dataDir } = await prepareDatabase();
    const file = join(dataDir, 'file');
    writeFileSync(file, '');
    for (const folder of [file, join(file, 'below')]) {
      const { code, stdout } = await runLimenHere(['doctor'], { environment: { ...environment, DATA_DIR: folder } });
      expect(code).toBe(1);
      expect(stdout).toMatch(/^✗ data folder /m);
    }
    const write = await runLimenHere(['keys', 'create'], { environment: { ...environment, DATA_DIR: file } });
    expect(write).toMatchObject({ code: 1, stdout: '', stderr: expect.not.stringContaining('    at ') });
  });

  it('include a folder and key file that others can read, which it does not change', async () => {
    const { place, environment } = await prepareUsed();
    chmodSync(place.dataDir, 0o755);
    chmodSync(join(place.dataDir, 'master.key'), 0o644);
    const before = pictureOf(place.dataDir);
    const { code, stdout } = await runLimenHere(['doctor'], { environment });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^! data folder +other users of this machine can read it \(mode 755\)$/m);
    expect(stdout).toMatch(/^! master key +other users of this machine can read \S+master\.key \(mode 644\)$/m);
    expect(stdout).toContain(`→ chmod 600 ${join(place.dataDir, 'master.key')}`);
    expect(pictureOf(place.dataDir)).toEqual(before);
  });
});

describe('its findings on the database', () => {
  it('include an unreachable database, without its address', async () => {
    const { dataDir } = await prepareDatabase();
    const environment = { DATA_DIR: dataDir, DATABASE_URL: 'postgres://limen:hunter2@127.0.0.1:1/limen' };
    const { code, stdout, stderr } = await runLimenHere(['doctor'], { environment });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ database +The database does not answer/m);
    expect(stdout).toMatch(/^! jobs +not checked/m);
    expect(stdout + stderr).not.toContain('hunter2');
    const write = await runLimenHere(['keys', 'create'], { environment });
    expect(write).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^The database does not answer.*\n$/),
    });
  });

  it.runIf(engine === 'postgres')('include a database that does not exist', async () => {
    const { environment } = await prepareDatabase();
    const url = new URL(environment['DATABASE_URL']!);
    url.pathname = '/nowhere';
    const { code, stdout } = await runLimenHere(['doctor'], {
      environment: { ...environment, DATABASE_URL: url.href },
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ database +The database that DATABASE_URL names does not exist/m);
  });

  it.runIf(engine === 'sqlite')('include a file that is not a database, or a damaged one', async () => {
    const { place, environment } = await prepareUsed();
    const file = join(place.dataDir, 'limen.db');
    const bytes = readFileSync(file);
    bytes.fill(0xff, 3 * 4096, 6 * 4096);
    writeFileSync(file, bytes);
    const damaged = await runLimenHere(['doctor'], { environment });
    expect(damaged.code).toBe(1);
    expect(damaged.stdout).toMatch(/^✗ database +.*damaged/m);
    writeFileSync(file, 'no database at all '.repeat(1_000));
    const other = await runLimenHere(['doctor'], { environment });
    expect(other.code).toBe(1);
    expect(other.stdout).toMatch(/^✗ database +The database file is not an SQLite database/m);
  });

  it('include a pending migration, and a schema newer than this version', async () => {
    const { place, environment } = await prepareUsed();
    // Contractions wait for a command of their own.
    const last = migrations.findLast(({ phase }) => phase !== 'contract')!.name;
    await change(place, (queries) => queries.deleteFrom('schema_migrations').where('name', '>=', last).execute());
    // The keyring reads the schema table.
    const repeated = await runLimenHere(['doctor'], { environment });
    expect(repeated.code).toBe(1);
    expect(repeated.stdout).toMatch(
      new RegExp(`^✗ master key +The keyring says that migration ${last} was applied`, 'm'),
    );
    await change(place, (queries) => queries.deleteFrom('data_keys').execute());
    const pending = await runLimenHere(['doctor'], { environment });
    expect(pending.code).toBe(0);
    expect(pending.stdout).toMatch(new RegExp(`^! +1 pending migration: ${last}$`, 'm'));
    const future = { name: '9999-future', applied_at: 1, phase: 'contract' as const };
    await change(place, (queries) => queries.insertInto('schema_migrations').values(future).execute());
    const newer = await runLimenHere(['doctor'], { environment });
    expect(newer.code).toBe(1);
    expect(newer.stdout).toContain('The database was written by a newer Limen (migration 9999-future)');
  });

  it.each([
    ['a key', (queries: Database['queries']) => queries.updateTable('api_keys').set({ last_updated: TOMORROW })],
    [
      'a string',
      (queries: Database['queries']) =>
        queries.insertInto('strings').values({ owner: '', id: '1', value: 'v', bytes: 1, created_at: TOMORROW }),
    ],
  ])('include a time of %s in the future', async (_, write) => {
    const { place, environment } = await prepareUsed();
    await change(place, (queries) => write(queries).execute());
    const { code, stdout } = await runLimenHere(['doctor'], { environment });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ clock +it is \S+, but the database has rows from \S+$/m);
  });

  it('include an edited row', async () => {
    const { place, environment, key } = await prepareUsed();
    expect((await runLimenHere(['doctor'], { environment })).stdout).toMatch(/^✓ rows +all 1 sealed rows are/m);
    await change(place, (queries) => queries.updateTable('api_keys').set({ label: 'edited' }).execute());
    const { code, stdout } = await runLimenHere(['doctor'], { environment });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ rows +of all 1, some were edited in the database and count as absent: /m);
    expect(stdout).toContain(`count as absent: api_keys ${key['id']}\n`);
  });

  it('include an edited checkpoint of the audit log', async () => {
    const { place, environment } = await prepareUsed();
    const sound = await runLimenHere(['doctor'], { environment });
    expect(sound.stdout).toMatch(/^✓ audit log +the checkpoint of its day holds$/m);
    await change(place, (queries) => queries.updateTable('audit_segments').set({ day: '2020-01-01' }).execute());
    const { code, stdout } = await runLimenHere(['doctor'], { environment });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ audit log +changed from outside at 2020-01-01: its checkpoint is not the one/m);
  });

  it('include a dead job', async () => {
    const { place, environment } = await prepareUsed();
    const row = { id: '1', kind: 'webhook', payload: Buffer.alloc(1), state: 'dead', attempts: 8, run_at: 1 } as const;
    const rest = { lease_token: null, lease_until: null, unique_key: null, last_error: 'TypeError', created_at: 1 };
    await change(place, (queries) =>
      queries
        .insertInto('jobs')
        .values({ ...row, ...rest })
        .execute(),
    );
    const { code, stdout } = await runLimenHere(['doctor'], { environment });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^! jobs +dead: 1 webhook$/m);
    expect(stdout).toContain('limen jobs list --dead');
  });
});

describe('its findings on the master key', () => {
  it("include another database's key, named without being shown", async () => {
    const { place, environment } = await prepareUsed({ MASTER_KEY: KEY_A });
    const wrong = { ...environment, MASTER_KEY: KEY_B };
    // With a pending migration, the key is checked before the schema is touched.
    await change(place, (queries) => queries.deleteFrom('schema_migrations').execute());
    const { code, stdout } = await runLimenHere(['doctor'], { environment: wrong });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ master key +The master key does not belong to this database/m);
    const write = await runLimenHere(['keys', 'create'], { environment: wrong });
    expect(write).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Nothing was changed.') });
    for (const key of [KEY_A, KEY_B]) expect(stdout + write.stderr).not.toContain(key);
  });

  it('include a damaged key file', async () => {
    const { place, environment } = await prepareUsed();
    writeFileSync(join(place.dataDir, 'master.key'), 'damaged');
    const { code, stdout } = await runLimenHere(['doctor'], { environment });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ master key +\S+ is not 32 bytes in base64$/m);
  });
});

describe('certificates', () => {
  it('are read before the server needs them', async () => {
    const { environment, dataDir } = await prepareDatabase();
    mkdirSync(join(dataDir, 'tls'));
    const files = { TLS_CERT: join(dataDir, 'tls', 'cert.pem'), TLS_KEY: join(dataDir, 'tls', 'key.pem') };
    const { code, stdout } = await runLimenHere(['doctor'], { environment: { ...environment, ...files } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ tls +TLS_CERT: the file \S+ cannot be read \(ENOENT\)\.$/m);
    expect(existsSync(files.TLS_CERT)).toBe(false);
  });
});
