// Age keys of other customers, their strength, limits on creation, and revocation by an operator.
import { describe, expect, it } from 'vitest';
import { createAuthenticator } from '#testing/authenticator.ts';
import { createTestCli, listActs } from '#testing/run-limen.ts';
import { newHost } from '#testing/session-app.ts';
import {
  BOTH,
  DOCUMENT,
  FACE,
  makeKey,
  ORIGIN,
  optionsFor,
  useAgeKeyCourse,
} from '#testing/sessions/age-key-course.ts';
import { type Claimed, claimSession, type DeviceApp, useDeviceApp } from '#testing/sessions/device-app.ts';
import { runCli } from '../../../commands.ts';
import { AGE_KEYS_PER_HOUR } from '../../limits.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ANY = { ageKeyFrom: 'any' };
const room = useDeviceApp({ PUBLIC_URL: ORIGIN });
const { passCheck, newKey, tryKey, judgeKey } = useAgeKeyCourse(room);
const open = useDeviceApp({ PUBLIC_URL: ORIGIN, AGE_KEYS: 'all', LIGHT_CHALLENGE: 'off', TRUST_PROXY: 'true' });
const inOpen = useAgeKeyCourse(open);
const off = useDeviceApp({ PUBLIC_URL: ORIGIN, AGE_KEYS: 'off' });
const inOff = useAgeKeyCourse(off);

async function askForOptions({ id, device }: Claimed): Promise<(number | string | undefined)[]> {
  const { status, error, headers } = await device.call('POST', id, 'age-key/new/options', { body: {} });
  return [status, error, ...(status === 429 ? [String(headers['retry-after'])] : [])];
}

const keysIn = ({ app }: DeviceApp) => app.database.queries.selectFrom('age_keys').selectAll().execute();

describe('a key of another customer', () => {
  it('is not accepted by default, whatever its host requests', async () => {
    const other = await newHost(room.app);
    const authenticator = await newKey();
    expect(await judgeKey(authenticator, FACE, other)).toBe('not_known');
    expect(await judgeKey(authenticator, { ...FACE, ...ANY }, other)).toBe('not_known');
    expect(await judgeKey(authenticator)).toBe('accepted');
  });

  it('is accepted if operator and host both allow it', async () => {
    const other = await newHost(open.app);
    const authenticator = await inOpen.newKey();
    expect(await inOpen.judgeKey(authenticator, FACE, other)).toBe('not_known');
    const { reply, result } = await inOpen.tryKey(authenticator, { ...FACE, ...ANY }, other);
    expect([reply.outcome, result.riskEvaluation?.recommendation]).toEqual(['accepted', 'ALLOW']);
    expect(await inOpen.judgeKey(authenticator, { ...FACE, ...ANY }, await newHost(open.app, 'live'))).toBe(
      'not_known',
    );
  });

  it.each([
    ['customer', FACE],
    ['all', { ...FACE, acceptedProofs: ['wallet'], ageKeyFrom: 'any' }],
  ])('cannot be requested with ageKeyFrom %j', async (ageKeyFrom, body) => {
    const { status, text } = await room.host.create({ ageKeyFrom, ...body });
    expect([status, text]).toEqual([400, expect.stringContaining('body.ageKeyFrom')]);
  });
});

describe('with AGE_KEYS=off', () => {
  it('offers, creates and accepts no key, and the session continues', async () => {
    const done = await inOff.passCheck();
    expect((await done.device.view(done.id)).body.end).not.toHaveProperty('ageKeyOffer');
    expect(await askForOptions(done)).toEqual([403, 'forbidden']);
    const session = await claimSession(off, FACE);
    expect((await session.device.view(session.id)).body.asks).not.toHaveProperty('proofs');
    for (const operation of ['age-key/options', 'age-key']) {
      const { status, error } = await session.device.call('POST', session.id, operation, { body: { response: {} } });
      expect([operation, status, error]).toEqual([operation, 403, 'forbidden']);
    }
    expect((await off.host.result(session.token)).body.sessionStatus).toBe('AGE_UNKNOWN');
  });
});

describe('the strength of a key', () => {
  const LOW = { faceMatchThreshold: 0.1 };

  it('from a document alone is not enough if face and document are required', async () => {
    const authenticator = await newKey(DOCUMENT);
    expect(await judgeKey(authenticator, BOTH)).toBe('too_weak');
    expect(await judgeKey(authenticator, DOCUMENT)).toBe('accepted');
  });

  it("from a document with a matching face follows the service's threshold, not the session's", async () => {
    const { result } = await tryKey(await newKey(BOTH, room.host, { matchScore: 0.42 }), BOTH);
    expect(result.result?.ageKey?.method).toBe('document_and_face');
    const barely = await newKey({ ...BOTH, ...LOW }, room.host, { matchScore: 0.41 });
    expect(await judgeKey(barely, { ...BOTH, ...LOW })).toBe('too_weak');
    expect((await tryKey(barely, DOCUMENT)).result.result?.ageKey?.method).toBe('document');
  });

  it("cannot be requested below the session's own checks", async () => {
    const { status, text } = await room.host.create({ ...BOTH, ageKeyStrength: 'document' });
    expect([status, text]).toEqual([400, expect.stringContaining('must be document_and_face or wallet')]);
    expect((await room.host.create({ ...BOTH, ageKeyStrength: 'wallet' })).status).toBe(201);
    const stronger = await newKey(BOTH);
    expect(await judgeKey(stronger, { ...BOTH, ageKeyStrength: 'wallet' })).toBe('too_weak');
  });

  it('from a face needs observed light if the session requires light', async () => {
    const light = 'required';
    const ofFace = { ...FACE, light, ageKeyStrength: 'face' };
    expect(await judgeKey(await newKey(FACE), ofFace)).toBe('accepted');
    expect(await judgeKey(await newKey(BOTH), { ...BOTH, light })).toBe('accepted');
    // This session requests no light.
    const [face, both] = [await inOpen.newKey(FACE), await inOpen.newKey(BOTH)];
    expect(await inOpen.judgeKey(face, FACE)).toBe('accepted');
    expect(await inOpen.judgeKey(face, ofFace)).toBe('too_weak');
    expect(await inOpen.judgeKey(both, { ...BOTH, light })).toBe('too_weak');
    // A document alone is enough for this session.
    expect(await inOpen.judgeKey(both, { ...FACE, light })).toBe('accepted');
  });
});

describe('the creation limit', () => {
  it('is ten per hour and address, and resets with the next hour', async () => {
    open.clock.advance(HOUR_MS);
    const waiting = await inOpen.passCheck();
    for (let made = 0; made < AGE_KEYS_PER_HOUR.address; made += 1) await inOpen.newKey();
    expect(await askForOptions(waiting)).toEqual([429, 'too_many_requests', expect.stringMatching(/^\d+$/)]);
    const { body: metrics } = await open.app.http.inject('/metrics');
    expect(metrics).toContain('limen_age_keys_total{outcome="limited_by_address"} 1');
    open.clock.advance(HOUR_MS);
    await inOpen.newKey();
  });

  it('also holds per API key, whose id is logged for the operator', async () => {
    const { queries } = room.app.database;
    await queries.deleteFrom('age_key_making').execute();
    const host = await newHost(room.app);
    await newKey(DOCUMENT, host);
    // Nothing else was counted, because the test's address may be that of a proxy.
    const { numUpdatedRows } = await queries
      .updateTable('age_key_making')
      .set({ made: AGE_KEYS_PER_HOUR.api_key - 1 })
      .executeTakeFirst();
    expect(numUpdatedRows).toBe(1n);
    const [one, two] = [await passCheck(DOCUMENT, host), await passCheck(DOCUMENT, host)];
    const options = await optionsFor(two, 'age-key/new');
    expect((await makeKey(one, createAuthenticator(ORIGIN))).body.outcome).toBe('made');
    // The options were issued below the limit.
    const response = createAuthenticator(ORIGIN).create(options);
    const late = await two.device.call('POST', two.id, 'age-key/new', { body: { response } });
    expect(late.body).toEqual({ outcome: 'refused' });
    expect(await askForOptions(two)).toEqual([429, 'too_many_requests', expect.anything()]);
    expect(room.app.logged()).toContain(`"key":"${host.owner.customer}","reason":"api_key"`);
    expect(await judgeKey(await newKey(), FACE)).toBe('accepted');
  });
});

describe('stored data', () => {
  it('contains no customer, API key or use count', async () => {
    await room.app.database.queries.deleteFrom('age_keys').execute();
    const host = await newHost(room.app);
    const authenticator = await newKey(BOTH, host);
    const revisions: number[] = [];
    for (let use = 0; use < 3; use += 1) {
      const [row] = await keysIn(room);
      revisions.push(row!.revision);
      expect(JSON.stringify({ ...row, sealed: Buffer.from(row!.sealed).toString('latin1') })).not.toContain(
        host.owner.customer,
      );
      expect(await judgeKey(authenticator, BOTH, host)).toBe('accepted');
    }
    const [first, second, third] = revisions as [number, number, number];
    expect([second - first, third - second]).not.toEqual([1, 1]);
  });

  it('is ignored once edited, and old hourly counts are purged', async () => {
    const { queries } = room.app.database;
    const authenticator = await newKey();
    await queries.updateTable('age_keys').set({ minted: 'another' }).execute();
    expect(await judgeKey(authenticator)).toBe('not_known');
    const count = async () => (await queries.selectFrom('age_key_making').selectAll().execute()).length;
    expect(await count()).toBeGreaterThan(0);
    room.clock.advance(HOUR_MS);
    await room.app.jobs.start();
    await expect.poll(count).toBe(0);
    await room.app.jobs.stop();
  });
});

describe('limen age-keys revoke', () => {
  async function limen(...args: string[]) {
    const { cli, output } = createTestCli({ environment: room.storage.environment });
    const code = await runCli(['age-keys', 'revoke', ...args], { ...cli, clock: room.clock });
    return { code, ...output };
  }
  const month = () => new Date(room.clock.now()).toISOString().slice(0, 7);

  it('deletes the keys created by one API key, even a revoked one, and no others', async () => {
    const farm = await newHost(room.app);
    const customer = farm.owner.customer;
    const neighbor = await newHost(room.app, 'test', customer);
    const [early, honest] = [await newKey(DOCUMENT, farm), await newKey(DOCUMENT, neighbor)];
    const before = month();
    room.clock.advance(32 * DAY_MS);
    const late = await newKey(BOTH, farm);
    await room.app.apiKeys.revoke(customer);

    const counted = await limen('--key', customer, '--since', before, '--dry-run');
    expect(counted).toMatchObject({
      code: 0,
      stdout: `Found 2 age keys that API key ${customer} made since ${before}.\n`,
    });
    expect((await limen('--key', customer, '--since', month())).stdout).toContain('Deleted 1 age key that');
    expect(await judgeKey(late, FACE, neighbor)).toBe('not_known');
    expect(await judgeKey(early, FACE, neighbor)).toBe('accepted');
    expect((await limen('--key', customer, '--since', before)).stdout).toContain('Deleted 1 age key that');
    expect(await judgeKey(early, FACE, neighbor)).toBe('not_known');
    expect(await judgeKey(honest, FACE, neighbor)).toBe('accepted');
    const again = await limen('--key', customer, '--since', before, '--json');
    expect(JSON.parse(again.stdout)).toEqual({ found: 0, deleted: 0 });
    expect(await listActs(room.storage.environment)).toEqual([
      ['age-keys.revoke', `${customer} since 2026-02`],
      ['age-keys.revoke', `${customer} since 2026-01`],
    ]);
  });

  it('explains invalid calls, and warns about an active or unknown API key', async () => {
    expect((await limen('--key', 'x', '--since', '2026-13')).code).toBe(2);
    const late = await limen('--key', 'x', '--since', '2999-01');
    expect([late.code, late.stderr]).toEqual([2, expect.stringContaining('has not begun')]);
    expect((await limen('--since', month())).stderr).toContain('--key');
    expect((await limen('--key', 'x', '--since', month())).stderr).toContain('No API key has the id x;');
    const { owner } = await newHost(room.app);
    expect((await limen('--key', owner.customer, '--since', month())).stderr).toContain('can still make age keys');
  });
});
