// Memory of finished checks on each database: exact across processes, and purged.
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { liveOwner, testOwner } from '#testing/owners.ts';
import { NO_TRAITS } from '../../platform/api-keys/key-traits.ts';
import { createIds } from '../../platform/base/ids.ts';
import { openStorage } from '../../platform/storage.ts';
import { createFinishedChecks, type FinishedCheck } from './finished-checks.ts';

const LIMIT = 5;
const clock = createManualClock();
const SESSION = { owner: liveOwner('shop'), apiKeyId: 'key' };
const CLEAN = {} as never;
let drawn = 0;

/** A different person each time. */
const newRhythm = () => Array.from({ length: 7 }, () => (drawn += 137));
const check = (client: string | undefined, rhythm: readonly number[] = newRhythm()): FinishedCheck => ({
  client,
  rhythm,
});

async function openChecks(used: TestDatabase, { traits = NO_TRAITS, burstPerMinute = LIMIT } = {}) {
  const { database, sealer } = await openStorage({ ...used, masterKey: undefined, clock, ids: createIds(clock) });
  onTestFinished(() => database.close());
  const apiKeys = { traitsOf: async () => traits };
  const checks = createFinishedChecks({ database, sealer, apiKeys, clock }, burstPerMinute);
  const finish = async (finished: FinishedCheck, session = SESSION) => {
    const { remember } = await checks.examine(session, finished, CLEAN);
    return database.transact(remember);
  };
  const count = async (table: 'recent_checks' | 'recent_logs') =>
    (await database.queries.selectFrom(table).select('digest').execute()).length;
  return { checks, database, finish, count };
}

async function openDatabaseOnce() {
  const used = await createTestDatabase();
  onTestFinished(() => used.dispose());
  return used;
}

it('flags checks above the limit across processes, and none after a minute', async () => {
  const used = await openDatabaseOnce();
  const processes = [await openChecks(used), await openChecks(used)];
  const found = await Promise.all(
    Array.from({ length: 12 }, (_, at) => processes[at % 2]!.finish(check('203.0.113.7'))),
  );
  expect(found.filter((findings) => findings.includes('addressBurst'))).toHaveLength(12 - LIMIT);
  const [{ finish }] = processes as [(typeof processes)[0]];
  clock.advance(59_999);
  expect(await finish(check('203.0.113.7'))).toEqual(['addressBurst']);
  clock.advance(1);
  expect(await finish(check('203.0.113.7'))).toEqual([]);
});

it('counts each address and key separately, and nothing without an address', async () => {
  const { finish, count } = await openChecks(await openDatabaseOnce(), { burstPerMinute: 1 });
  expect(await finish(check('203.0.113.7'))).toEqual([]);
  expect(await finish(check('203.0.113.8'))).toEqual([]);
  expect(await finish(check('203.0.113.7'), { ...SESSION, apiKeyId: 'other' })).toEqual([]);
  expect(await finish(check('203.0.113.7'))).toEqual(['addressBurst']);
  for (let round = 0; round < 3; round += 1) expect(await finish(check(undefined))).toEqual([]);
  expect(await count('recent_checks')).toBe(3);
});

it.each<[string, Parameters<typeof openChecks>[1], typeof SESSION]>([
  ['of a kiosk', { traits: { nativeApp: false, kiosk: true }, burstPerMinute: 1 }, SESSION],
  ['of a test key', { burstPerMinute: 1 }, { ...SESSION, owner: testOwner('shop') }],
  ['with the limit off', { burstPerMinute: 0 }, SESSION],
])('counts no burst %s', async (_, options, session) => {
  const { finish, count } = await openChecks(await openDatabaseOnce(), options);
  for (let round = 0; round < 3; round += 1) expect(await finish(check('203.0.113.7'), session)).toEqual([]);
  expect(await count('recent_checks')).toBe(0);
});

it('flags a repeated log, one of two concurrent ones, only within a customer', async () => {
  const used = await openDatabaseOnce();
  const [one, other] = [await openChecks(used), await openChecks(used)];
  const rhythm = newRhythm();
  const both = await Promise.all([one.finish(check(undefined, rhythm)), other.finish(check(undefined, rhythm))]);
  expect(both.flat()).toEqual(['logRepeated']);
  expect(await one.finish(check(undefined, rhythm), { ...SESSION, owner: liveOwner('elsewhere') })).toEqual([]);
});

it('remembers nothing if the session did not end with the check', async () => {
  const { checks, database, finish, count } = await openChecks(await openDatabaseOnce());
  const finished = check('203.0.113.7');
  const { remember } = await checks.examine(SESSION, finished, CLEAN);
  const undone = database.transact(async (trx) => {
    await remember(trx);
    throw new Error('overtaken');
  });
  await expect(undone).rejects.toThrow('overtaken');
  expect([await count('recent_checks'), await count('recent_logs')]).toEqual([0, 0]);
  expect(await finish(finished)).toEqual([]);
});

it('forgets counts after a minute and logs within a day, in batches', async () => {
  const { checks, finish, count } = await openChecks(await openDatabaseOnce(), { burstPerMinute: 100 });
  const rhythm = newRhythm();
  await finish(check('203.0.113.7', rhythm));
  for (let round = 0; round < 4; round += 1) {
    clock.advance(1);
    await finish(check('203.0.113.7'));
  }
  clock.advance(22 * 3_600_000);
  expect(await finish(check(undefined, rhythm))).toEqual(['logRepeated']);
  clock.advance(3_600_000);
  expect(await checks.purge(2)).toBe(2);
  while ((await checks.purge(2)) === 2);
  expect([await count('recent_checks'), await count('recent_logs')]).toEqual([0, 0]);
  expect(await finish(check(undefined, rhythm))).toEqual([]);
});

it('stores only digests', async () => {
  const { database, finish } = await openChecks(await openDatabaseOnce());
  await finish(check('203.0.113.7'));
  const rows = [
    ...(await database.queries.selectFrom('recent_checks').selectAll().execute()),
    ...(await database.queries.selectFrom('recent_logs').selectAll().execute()),
  ];
  expect(rows).toHaveLength(2);
  for (const { digest, ...rest } of rows) {
    expect(digest).toHaveLength(32);
    expect(Object.keys(rest).sort()).toEqual('checks' in rest ? ['checks', 'seen_at'] : ['seen_at']);
    expect(Buffer.from(digest).toString('latin1')).not.toContain('203.0.113.7');
  }
});
