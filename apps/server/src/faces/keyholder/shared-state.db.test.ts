// Key-holders that share a database: counts hold for all, challenges can be started by any, and a
// killed one loses only the calls in flight.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeKeyPair } from '@limen/token/keyholder';
import { SHAPE_BYTES } from '@limen/token/shared';
import pg from 'pg';
import pino from 'pino';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { withLimitedRole } from '#testing/database/limited-role.ts';
import { setReadOnly } from '#testing/database/read-only.ts';
import { createTestDatabase, engine } from '#testing/database/test-database.ts';
import {
  ask,
  epochOf,
  MODEL_VERSION,
  makeProbe,
  makeToken,
  randomVector,
  rowsOf,
  search,
  shapeOf,
} from '#testing/faces/faces.ts';
import { makeFolder } from '#testing/faces/folder.ts';
import { startKeyHolder } from '#testing/faces/key-holder-process.ts';
import { type LocalKeyHolder, openLocalKeyHolder } from '#testing/faces/local-key-holder.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { runLimenHere } from '#testing/run-limen.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { createTablesUpTo, hasTable, LAST_MIGRATION, migrate } from '../../platform/database/migrate.ts';
import { backUpDatabase, restoreDatabase } from './backup/copy-database.ts';
import { backUpFolder, restoreFolder } from './backup/copy-folder.ts';
import { examineFolder } from './backup/examine-folder.ts';
import { THROTTLE_RULES } from './limits.ts';
import { type KeyHolder, KeyHolderUnavailableError, ThrottledError } from './link/calls.ts';
import { keyHolderOver } from './link/link.ts';
import { TlsLink } from './link/tls.ts';
import { openService } from './open.ts';
import { openPostgresRows, rotateDatabase } from './store/postgres.ts';

const ABOUT = { modelVersion: MODEL_VERSION };
const NOW = Date.UTC(2026, 10, 17);
const secret = 'a-secret-of-at-least-32-characters';
let databaseUrl: string;

/** Two key-holders on one database. */
async function openTwo(options: Parameters<typeof openLocalKeyHolder>[0] = {}) {
  const open = async (): Promise<LocalKeyHolder> => {
    const holder = await openLocalKeyHolder({ databaseUrl, ...options });
    onTestFinished(() => holder.close());
    return holder;
  };
  return [await open(), await open()] as const;
}

async function begin(holder: KeyHolder, opened: Awaited<ReturnType<KeyHolder['openChallenge']>>, vector: Float32Array) {
  const probe = await makeProbe(vector, opened);
  return { probe, shape: await holder.begin(opened.challenge, ABOUT, await shapeOf(probe)) };
}

describe.runIf(engine === 'postgres')('key-holders that share a database', () => {
  beforeEach(async () => {
    const place = await createTestDatabase({ empty: true });
    databaseUrl = place.url!;
    return place.dispose;
  });

  it("wait for a vanished key-holder's lock no longer than their own timeout", async () => {
    const rows = openPostgresRows(databaseUrl, () => {});
    onTestFinished(() => rows.close());
    const [idle, lock] = await rows.transact(
      ({ all }) =>
        all<{
          ms: number;
        }>`select setting::int as ms from pg_settings where name in ('idle_in_transaction_session_timeout', 'lock_timeout') order by name`,
    );
    expect(idle!.ms).toBeGreaterThan(0);
    expect(idle!.ms).toBeLessThan(lock!.ms);
  });

  it('refuse to start or answer on a read-only database, and recover', async () => {
    const [holder] = await openTwo();
    await setReadOnly(databaseUrl, true);
    await expect(openTwo()).rejects.toThrow('the database is read-only: default_transaction_read_only is on');
    const rows = openPostgresRows(databaseUrl, () => {});
    onTestFinished(() => rows.close());
    const others = 'from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
    await rows.read(({ query }) => query(`select pg_terminate_backend(pid) ${others}`));
    await expect(holder.openChallenge(ask('identify'))).rejects.toThrow();
    await setReadOnly(databaseUrl, false);
    await holder.openChallenge(ask('identify'));
  });

  it('need no schema rights once a privileged account has created the tables', async () => {
    const open = async (url: string) => (await openLocalKeyHolder({ databaseUrl: url })).close();
    await withLimitedRole(databaseUrl, async (url) => {
      await expect(open(url)).rejects.toThrow(
        /permission denied for schema public\. Nothing was changed\. Run "limen keyholder migrate"/,
      );
    });
    const environment = { KEYHOLDER_DATABASE_URL: databaseUrl };
    const makeTables = async () => (await runLimenHere(['keyholder', 'migrate'], { environment })).stdout;
    expect(await makeTables()).toMatch(/^Created: vault, .*, under_way_attempt\.\n$/);
    expect(await makeTables()).toBe('The tables are up to date.\n');
    await withLimitedRole(databaseUrl, open);
  });

  it('act as one: a face enrolled at one is found at the other, in a challenge of the first', async () => {
    const [one, other] = await openTwo();
    expect(await one.identity()).toEqual(await other.identity());
    const ada = randomVector();
    const { epoch, token } = await makeToken(one, ada);
    expect(await epochOf(other)).toBe(epoch);
    const opened = await one.openChallenge(ask('identify'));
    const { probe } = await begin(other, opened, ada);
    await other.rows(opened.challenge, epoch, rowsOf([token], probe));
    expect(await other.finish(opened.challenge)).toEqual({ best: 0 });
    expect(await other.settle(opened.challenge, 'ada')).toBe('settled');
  });

  it('lock after as many guesses as a single one, however they are split', async () => {
    const both = await openTwo();
    const { epoch, token } = await makeToken(both[0], randomVector());
    const guess = (nth: number) =>
      search(both[nth % 2]!, randomVector(), { epoch, tokens: [token], session: `session ${nth}` });
    for (let nth = 0; nth < THROTTLE_RULES.address.refusals; nth++) expect((await guess(nth)).best).toBeNull();
    for (const nth of [0, 1])
      await expect(guess(nth)).rejects.toMatchObject({ name: 'ThrottledError', retryAfter: 60 });
  });

  it('allow no extra guesses to concurrent attempts at both', async () => {
    const rules = { ...THROTTLE_RULES, address: { ...THROTTLE_RULES.address, refusals: 3 } };
    const both = await openTwo({ rules });
    const sessions = Array.from({ length: 8 }, (_, nth) => ask('identify', { session: `session ${nth}` }));
    const opened = await Promise.all(sessions.map((one, nth) => both[nth % 2]!.openChallenge(one)));
    const begun = await Promise.allSettled(opened.map((one, nth) => begin(both[nth % 2]!, one, randomVector())));
    expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const one of begun) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(ThrottledError);
  });

  it('accept a one-time key once under 50 concurrent attempts at both', async () => {
    const both = await openTwo();
    const opened = await both[0].openChallenge(ask('identify'));
    const shape = await shapeOf(await makeProbe(randomVector(), opened));
    const tries = Array.from({ length: 50 }, (_, nth) => both[nth % 2]!.begin(opened.challenge, ABOUT, shape));
    const ended = await Promise.allSettled(tries);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of ended) if (one.status === 'rejected') expect(one.reason).toMatchObject({ reason: 'used' });
  });

  it('share the hourly answers and the challenge slots', async () => {
    const both = await openTwo({ budgets: { enrol_address: 2 } });
    for (const holder of both) await makeToken(holder, randomVector(), { session: randomUUID() });
    for (const holder of both) await expect(makeToken(holder, randomVector())).rejects.toBeInstanceOf(ThrottledError);
    const person = { device: 'a device', person: 'ada' };
    const open = (nth: number) =>
      both[nth % 2]!.openChallenge(ask('identify', { session: `session ${nth}`, vouched: person }));
    for (let nth = 0; nth < 8; nth++) await open(nth);
    for (const nth of [8, 9]) await expect(open(nth)).rejects.toBeInstanceOf(ThrottledError);
  });

  it("use the database's clock, so that a wrong local clock ends no lock and changes no hour", async () => {
    const open = () => {
      const place = { databaseUrl };
      return openService({ place, masterKeys: [Buffer.alloc(32, 7)], thresholdOf: () => 0.48, warn: () => {} });
    };
    const [one, jumped] = [await open(), await open()];
    onTestFinished(async () => {
      await one.close();
      await jumped.close();
    });
    const malformed = async (calls: typeof one.calls) => {
      const { challenge } = await calls.openChallenge(ask('identify', { session: randomUUID() }));
      return calls.begin(challenge, ABOUT, { bytes: new Uint8Array(SHAPE_BYTES) });
    };
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    for (let nth = 0; nth < THROTTLE_RULES.address.refusals; nth++) {
      vi.setSystemTime(nth % 2 === 0 ? NOW : NOW + 40 * 86_400_000);
      await malformed(nth % 2 === 0 ? one.calls : jumped.calls);
    }
    for (const { calls } of [one, jumped]) await expect(malformed(calls)).rejects.toBeInstanceOf(ThrottledError);
  });

  it('store keys, challenges and people only sealed', async () => {
    const secrets: Buffer[] = [];
    const makeAndRemember = async () => {
      const pair = await makeKeyPair();
      secrets.push(Buffer.from(pair.secret));
      return pair;
    };
    const service = await openService(
      { place: { databaseUrl }, masterKeys: [Buffer.alloc(32, 7)], thresholdOf: () => 0.48, warn: () => {} },
      { makeKeyPair: makeAndRemember },
    );
    onTestFinished(() => service.close());
    const holder = { ...service.calls, state: () => 'ready', close: async () => {} };
    await makeToken(holder, randomVector());
    const vouched = { device: 'handle-of-a-device', person: 'handle-of-ada' };
    await holder.openChallenge(ask('identify', { session: 'id-of-a-session', vouched }));
    const everything = await dump();
    expect(everything.includes(Buffer.from(service.identity))).toBe(true); // proves that the search covers the data
    expect(secrets).toHaveLength(3);
    const handles = ['handle-of-a-device', 'handle-of-ada', 'id-of-a-session'].map((text) => Buffer.from(text));
    for (const one of [...secrets, ...handles]) expect(everything.includes(one)).toBe(false);
  });

  /** All values of all tables as bytes. */
  async function dump(): Promise<Buffer> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      const { rows: tables } = await client.query("select tablename from pg_tables where schemaname = 'public'");
      const found: Buffer[] = [];
      for (const { tablename } of tables) {
        const { rows } = await client.query(`select * from ${tablename}`);
        for (const value of rows.flatMap((row) => Object.values(row)))
          found.push(Buffer.isBuffer(value) ? value : Buffer.from(String(value)));
      }
      return Buffer.concat(found);
    } finally {
      await client.end();
    }
  }

  it('migrate from and to a folder by backup and restore, with keys and audit intact', async () => {
    const [ada, before] = [randomVector(), makeFolder()];
    const alone = await openLocalKeyHolder({ folder: before });
    const { epoch, token } = await makeToken(alone, ada);
    alone.clock.advance(86_400_000);
    await search(alone, ada, { epoch, tokens: [token] });
    const identity = Buffer.from(await alone.identity());
    const taken = join(makeFolder(), 'taken');
    await backUpFolder(before, taken, NOW);
    await alone.close();

    expect(await restoreDatabase(taken, databaseUrl)).toBe('2026-11-17T00:00:00.000Z');
    await expect(restoreDatabase(taken, databaseUrl)).rejects.toThrow('There is a key-holder in the database already');
    const [one, other] = await openTwo({ clock: alone.clock });
    expect(Buffer.from(await one.identity())).toEqual(identity);
    for (const holder of [one, other]) expect((await search(holder, ada, { epoch, tokens: [token] })).best).toBe(0);

    const again = join(makeFolder(), 'again');
    await backUpDatabase(databaseUrl, again, NOW);
    const folder = join(makeFolder(), 'restored');
    await restoreFolder(again, folder);
    const lines = (await examineFolder(before))!.audit as { lines: number };
    expect(await examineFolder(folder)).toMatchObject({
      customers: 1,
      audit: { state: 'whole', lines: lines.lines + 2, isAfterMissing: false },
    });
    const back = await openLocalKeyHolder({ folder, clock: alone.clock });
    expect(Buffer.from(await back.identity())).toEqual(identity);
    expect((await search(back, ada, { epoch, tokens: [token] })).best).toBe(0);
    await back.close();
  });

  it('back up any number of rows, even to a slow disk', async () => {
    await openTwo();
    const rows = openPostgresRows(databaseUrl, () => {});
    onTestFinished(() => rows.close());
    const many = 1_234;
    await rows.transact(
      ({ run }) =>
        run`insert into refusals (scope, subject, at) select 'address', n::text, n from generate_series(1::int, ${many}) as n`,
    );
    const target = join(makeFolder(), 'taken');
    await backUpDatabase(databaseUrl, target, NOW);
    const db = new DatabaseSync(join(target, 'keyholder.sqlite'), { readOnly: true });
    onTestFinished(() => db.close());
    expect(db.prepare('select count(distinct subject) as subjects, sum(at) as sum from refusals').get()).toEqual({
      subjects: many,
      sum: (many * (many + 1)) / 2,
    });
    const limit = "select setting from pg_settings where name = 'idle_in_transaction_session_timeout'";
    expect(await rows.snapshot(({ query }) => query(limit))).toEqual([{ setting: '0' }]);
  });

  it('expose an edited audit line', async () => {
    const [one] = await openTwo();
    for (const customer of ['a', 'b', 'c']) await epochOf(one, customer);
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query("update audit_lines set line = replace(line, 'match', 'fatch') where number = 5");
    await client.end();
    const target = join(makeFolder(), 'taken');
    await backUpDatabase(databaseUrl, target, NOW);
    expect((await examineFolder(target))!.audit).toMatchObject({ state: 'broken', line: 6 });
  });

  it("refuse another master key and the service's own database", async () => {
    await openTwo();
    await expect(openLocalKeyHolder({ databaseUrl, masterKey: Buffer.alloc(32, 8) })).rejects.toThrow(
      'does not belong to its database',
    );
    const service = await createTestDatabase();
    onTestFinished(service.dispose);
    await expect(openLocalKeyHolder({ databaseUrl: service.url! })).rejects.toThrow('a database of its own');
  });

  it('open with either master key during a rotation', async () => {
    const [old, next] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
    await expect(rotateDatabase(databaseUrl, [next, old])).rejects.toThrow('contains no key-holder');
    const [one] = await openTwo();
    const epoch = await epochOf(one);
    const openWith = async (...masterKeys: [Buffer, ...Buffer[]]) => {
      const place = { databaseUrl };
      const service = await openService({ place, masterKeys, thresholdOf: () => 0.48, warn: () => {} });
      onTestFinished(() => service.close());
      return epochOf({ ...service.calls, state: () => 'ready', close: async () => {} });
    };
    expect(await openWith(next, old)).toBe(epoch);
    expect(await rotateDatabase(databaseUrl, [next, old])).toBe(true);
    expect(await rotateDatabase(databaseUrl, [next, old])).toBe(false);
    expect([await openWith(next, old), await openWith(next), await epochOf(one)]).toEqual([epoch, epoch, epoch]);
    await expect(openWith(old)).rejects.toThrow('does not belong to its database');
  });

  it('are left alone by a service or restore that is given their database', async () => {
    const [one] = await openTwo();
    const service = openDatabase({ url: databaseUrl, dataDir: makeFolder() });
    onTestFinished(() => service.close());
    const refused = 'DATABASE_URL is the key-holder’s own database';
    await expect(migrate(service, createManualClock())).rejects.toThrow(refused);
    const restored = service.transact((trx) => createTablesUpTo(trx, service.engine, LAST_MIGRATION));
    await expect(restored).rejects.toThrow(refused);
    expect(await hasTable(service, 'schema_migrations')).toBe(false);
    expect(await epochOf(one, 'acme')).toBeDefined();
  });

  it('lose at most one challenge when one is killed', async () => {
    const start = () =>
      startKeyHolder({
        KEYHOLDER_DATABASE_URL: databaseUrl,
        KEYHOLDER_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
        KEYHOLDER_SECRET: secret,
        KEYHOLDER_MATCH_THRESHOLD: '0.48',
      });
    const [first, second] = await Promise.all([start(), start()]);
    const reach = (...addresses: string[]) => {
      const holder = keyHolderOver(new TlsLink({ urls: addresses, secrets: [secret], log: pino({ level: 'silent' }) }));
      onTestFinished(() => holder.close());
      return holder;
    };
    const [one, other, either] = [
      reach(first!.address),
      reach(second!.address),
      reach(first!.address, second!.address),
    ];
    const ada = randomVector();
    const { epoch, token } = await makeToken(either, ada);
    const [unbegun, begun] = [
      await one.openChallenge(ask('identify', { session: 'unbegun' })),
      await one.openChallenge(ask('identify', { session: 'begun' })),
    ];
    await begin(one, begun, ada);
    await first!.stop('SIGKILL');

    // Unstarted challenges continue; started ones are lost, and their sessions request new ones.
    const { probe } = await begin(other, unbegun, ada);
    await other.rows(unbegun.challenge, epoch, rowsOf([token], probe));
    expect(await other.finish(unbegun.challenge)).toEqual({ best: 0 });
    await expect(other.finish(begun.challenge)).rejects.toMatchObject({ reason: 'unknown' });
    await expect(one.finish(begun.challenge)).rejects.toBeInstanceOf(KeyHolderUnavailableError);
    // Clients with both addresses hardly notice.
    await expect.poll(() => either.state()).toBe('ready');
    expect((await search(either, ada, { epoch, tokens: [token], session: 'again' })).best).toBe(0);
  });
});
