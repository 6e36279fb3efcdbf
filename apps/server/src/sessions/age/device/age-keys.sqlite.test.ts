// Age keys from creation to expiry: proofs, and every key that must be refused.
import type { AgeSessionResult, DeleteAgeKeyReply, PasskeyOptionsReply } from '@limen/contract';
import { describe, expect, it } from 'vitest';
import { type Authenticator, type AuthenticatorFaults, createAuthenticator } from '#testing/authenticator.ts';
import { newDevice, type TestDevice } from '#testing/device.ts';
import { newHost } from '#testing/session-app.ts';
import {
  DOCUMENT,
  FACE,
  makeKey,
  type Options,
  ORIGIN,
  optionsFor,
  type Session,
  sendKey as send,
  useAgeKeyCourse,
} from '#testing/sessions/age-key-course.ts';
import { claimSession, sealFor, useDeviceApp } from '#testing/sessions/device-app.ts';

const DAY_MS = 86_400_000;
const room = useDeviceApp({ PUBLIC_URL: ORIGIN });
const { passCheck, newKey, tryKey } = useAgeKeyCourse(room);

async function deleteKey(authenticator: Authenticator, wrong: AuthenticatorFaults = {}, afterMs = 0) {
  const post = async <T>(operation: string, payload: object) => {
    const reply = await room.app.http.inject({ method: 'POST', url: `/launch/my-age-key/${operation}`, payload });
    return reply.json() as T;
  };
  const { publicKey } = await post<PasskeyOptionsReply>('options', {});
  const response = authenticator.get(publicKey as unknown as Options, wrong);
  room.clock.advance(afterMs);
  return (await post<DeleteAgeKeyReply>('delete', { response })).outcome;
}

const month = () => new Date(room.clock.now()).toISOString().slice(0, 7);
const countKeys = async () => (await room.app.database.queries.selectFrom('age_keys').select('id').execute()).length;

describe('an age key', () => {
  it('from a document works for another API key of the customer, which sees only method and month', async () => {
    const authenticator = await newKey();
    const other = await newHost(room.app, 'test', room.host.owner.customer);
    const { reply, result } = await tryKey(authenticator, FACE, other);
    expect(reply).toEqual({ outcome: 'accepted', triesLeft: 5 });
    expect(result).toMatchObject({
      sessionStatus: 'AGE_ABOVE_THRESHOLD',
      flowStatus: 'COMPLETED',
      thresholds: { ageThreshold: 18, documentAgeThreshold: 18 },
      errors: [],
      riskEvaluation: { recommendation: 'ALLOW', level: 'LOW', flags: ['AGE_KEY_USED'] },
    } satisfies Partial<Record<keyof AgeSessionResult, unknown>>);
    expect(result.result).toEqual({
      ageKey: { thresholdResult: 'AGE_ABOVE_THRESHOLD', method: 'document', verifiedAt: month() },
      source: 'age_key',
    });
  });

  it("stores nothing that links to a session, a host or the passkey's id", async () => {
    const authenticator = createAuthenticator(ORIGIN);
    const session = await passCheck();
    const response = authenticator.create(await optionsFor(session, 'age-key/new'));
    await session.device.call('POST', session.id, 'age-key/new', { body: { response } });
    const rows = await room.app.database.queries.selectFrom('age_keys').selectAll().execute();
    const text = rows.map((row) => `${JSON.stringify(row)}${Buffer.from(row.sealed).toString('latin1')}`).join();
    for (const secret of [session.id, session.token, room.host.owner.customer, response.id, 'document']) {
      expect(text).not.toContain(secret);
    }
  });

  it('from a face proves its threshold, and is refused if a document is required', async () => {
    const authenticator = await newKey({ ...FACE, ageThreshold: 25 });
    expect((await tryKey(authenticator, { ...FACE, ageThreshold: 25 })).result.result).toMatchObject({
      ageKey: { method: 'face' },
    });
    expect((await tryKey(authenticator, { ...FACE, ageThreshold: 21 })).reply.outcome).toBe('accepted');
    expect((await tryKey(authenticator, { ...FACE, ageThreshold: 26 })).reply.reason).toBe('too_low');
    for (const stronger of [DOCUMENT, { ...FACE, ageKeyStrength: 'document' }, { ...FACE, light: 'required' }]) {
      expect((await tryKey(authenticator, stronger)).reply.reason).toBe('too_weak');
    }
    // If a document decides, its own threshold counts for keys from documents.
    expect((await tryKey(authenticator, { ...FACE, ageThreshold: 26, documentAgeThreshold: 18 })).reply.reason).toBe(
      'too_low',
    );
    const ofDocument = await newKey();
    const stepUp = { ...FACE, ageThreshold: 25, documentAgeThreshold: 18, stepUpEnabled: true };
    expect((await tryKey(ofDocument, stepUp)).reply.outcome).toBe('accepted');
    expect((await tryKey(ofDocument, { ...DOCUMENT, ageThreshold: 21 })).reply.reason).toBe('too_low');
  });

  it("ages from the first day of its month, up to the host's limit", async () => {
    const authenticator = await newKey();
    const first = Date.parse(`${month()}-01T00:00:00Z`);
    room.clock.advance(first + 40 * DAY_MS - room.clock.now());
    expect((await tryKey(authenticator, { ...FACE, ageKeyMaxDays: 40 })).reply.outcome).toBe('accepted');
    room.clock.advance(1);
    expect((await tryKey(authenticator, { ...FACE, ageKeyMaxDays: 40 })).reply.reason).toBe('too_old');
    expect((await tryKey(authenticator)).reply.outcome).toBe('accepted');
    room.clock.advance(first + 90 * DAY_MS + 1 - room.clock.now());
    expect((await tryKey(authenticator)).reply.reason).toBe('too_old');
    expect((await tryKey(authenticator, { ...FACE, ageKeyMaxDays: 365 })).reply.outcome).toBe('accepted');
  });

  it('expires after a year: it is unknown, and its row is purged', async () => {
    const authenticator = await newKey();
    const before = await countKeys();
    const first = Date.parse(`${month()}-01T00:00:00Z`);
    room.clock.advance(first + 365 * DAY_MS - room.clock.now());
    expect((await tryKey(authenticator, { ...FACE, ageKeyMaxDays: 365 })).reply.reason).toBe('not_known');
    expect(before).toBeGreaterThan(0);
    await room.app.jobs.start();
    await expect.poll(countKeys).toBe(0);
    await room.app.jobs.stop();
  });

  it('works ten times a day, and again the next day', async () => {
    const authenticator = await newKey();
    // A refused use does not count.
    expect((await tryKey(authenticator, { ...FACE, ageThreshold: 99 })).reply.reason).toBe('too_low');
    for (let use = 1; use <= 10; use += 1) expect((await tryKey(authenticator)).reply.outcome).toBe('accepted');
    const { session, reply, result } = await tryKey(authenticator);
    expect(reply).toEqual({ outcome: 'refused', reason: 'too_often', triesLeft: 5 });
    expect(result.flowStatus).toBeUndefined();
    // The session continues with its own check.
    room.clock.advance(10_000);
    await session.device.report(session.id, 0, session.log);
    await session.device.answer(session.id, await sealFor(session));
    expect((await room.host.result(session.token)).body.result).toMatchObject({ source: 'face' });
    room.clock.advance(DAY_MS);
    expect((await tryKey(authenticator)).reply.outcome).toBe('accepted');
  });

  it('of one world is unknown in the other', async () => {
    const live = await newHost(room.app, 'live', room.host.owner.customer);
    const made = await newKey(DOCUMENT, live);
    expect((await tryKey(made)).reply.reason).toBe('not_known');
    expect((await tryKey(made, FACE, live)).reply.outcome).toBe('accepted');
    expect((await tryKey(await newKey(), FACE, live)).reply.reason).toBe('not_known');
  });
});

describe('an invalid signature for this session', () => {
  it.each<[string, AuthenticatorFaults]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another relying party', { rpId: 'evil.example' }],
    ['no user verification', { userVerified: false }],
    ['a challenge of nobody', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
  ])('is refused: %s', async (_what, wrong) => {
    const authenticator = await newKey();
    const { reply, result } = await tryKey(authenticator, FACE, room.host, wrong);
    expect(reply).toEqual({ outcome: 'refused', reason: 'not_valid', triesLeft: 5 });
    expect(result.flowStatus).toBeUndefined();
    expect(result.sessionStatus).toBe('AGE_UNKNOWN');
  });

  it('is refused as a replay in its own or another session', async () => {
    const authenticator = await newKey();
    const session = await claimSession(room, { ...FACE, ageThreshold: 30 });
    const response = authenticator.get(await optionsFor(session, 'age-key'));
    expect((await send(session, response)).body.reason).toBe('too_low');
    expect((await send(session, response)).body.reason).toBe('not_valid');
    await optionsFor(session, 'age-key');
    expect((await send(session, response)).body.reason).toBe('not_valid');
    const another = await claimSession(room, FACE);
    await optionsFor(another, 'age-key');
    expect((await send(another, response)).body.reason).toBe('not_valid');
  });

  it('is refused for an outdated challenge', async () => {
    const authenticator = await newKey();
    const session = await claimSession(room, FACE);
    const before = await optionsFor(session, 'age-key');
    await optionsFor(session, 'age-key');
    expect((await send(session, authenticator.get(before))).body.reason).toBe('not_valid');
    const again = await optionsFor(session, 'age-key');
    expect((await send(session, authenticator.get(again))).body.outcome).toBe('accepted');
  });

  it('is refused from a cloned authenticator', async () => {
    const authenticator = await newKey();
    const copy = authenticator.clone();
    expect((await tryKey(authenticator)).reply.outcome).toBe('accepted');
    expect((await tryKey(authenticator)).reply.outcome).toBe('accepted');
    expect((await tryKey(copy)).reply.reason).toBe('not_valid');
  });

  it('is refused from another device and after six attempts', async () => {
    const authenticator = await newKey();
    const session = await claimSession(room, FACE);
    const stranger: TestDevice = await newDevice(room.app.http);
    const options = await optionsFor(session, 'age-key');
    const refused = await stranger.call('POST', session.id, 'age-key', {
      body: { response: authenticator.get(options) },
    });
    expect([refused.status, refused.error]).toEqual([403, 'device_mismatch']);
    for (let attempt = 2; attempt <= 6; attempt += 1) await optionsFor(session, 'age-key');
    const spent = await session.device.call('POST', session.id, 'age-key/options', { body: {} });
    expect([spent.status, spent.error]).toEqual([403, 'forbidden']);
  });

  it('is refused if the session accepts no age keys', async () => {
    const session = await claimSession(room);
    const { status, error } = await session.device.call('POST', session.id, 'age-key/options', { body: {} });
    expect([status, error]).toEqual([403, 'forbidden']);
    expect((await session.device.view(session.id)).body.asks).not.toHaveProperty('proofs');
  });
});

describe('the offer of an age key', () => {
  it('is made once, for ten minutes, to the device that finished', async () => {
    const session = await passCheck();
    const offer = async () => (await session.device.view(session.id)).body.end?.ageKeyOffer;
    expect(await offer()).toEqual({ ageOver: 18 });
    const stranger = await newDevice(room.app.http);
    expect((await stranger.view(session.id)).body.end).not.toHaveProperty('ageKeyOffer');
    expect((await makeKey(session, createAuthenticator(ORIGIN), { userVerified: false })).body.outcome).toBe('refused');
    expect((await makeKey(session, createAuthenticator(ORIGIN), { origin: 'https://evil.example' })).body.outcome).toBe(
      'refused',
    );
    expect((await makeKey(session, createAuthenticator(ORIGIN))).body.outcome).toBe('made');
    expect(await offer()).toBeUndefined();
    const again = await session.device.call('POST', session.id, 'age-key/new/options', { body: {} });
    expect([again.status, again.error]).toEqual([403, 'forbidden']);

    const late = await passCheck();
    const options = await optionsFor(late, 'age-key/new');
    room.clock.advance(10 * 60_000);
    const response = createAuthenticator(ORIGIN).create(options);
    const made = await late.device.call('POST', late.id, 'age-key/new', { body: { response } });
    expect([made.status, made.error]).toEqual([403, 'forbidden']);
  });

  it.each<[string, () => Promise<Session>]>([
    ['does not accept them', () => passCheck({ requirements: ['identity_document'] })],
    ['was not ALLOW', () => passCheck(DOCUMENT, room.host, { signs: ['screen'] })],
    ['has no browser data', () => passCheck(DOCUMENT, room.host, { indicators: null })],
    ['saw no light that it asked for', () => passCheck(FACE, room.host, { light: 'inconclusive' })],
    ['was settled by one', async () => (await tryKey(await newKey())).session],
    ['is still open', () => claimSession(room, FACE)],
  ])('is not made if the session %s', async (_what, open) => {
    const session = await open();
    expect((await session.device.view(session.id)).body.end?.ageKeyOffer).toBeUndefined();
    const { status } = await session.device.call('POST', session.id, 'age-key/new/options', { body: {} });
    expect(status).toBe(403);
  });
});

describe('deletion by the person', () => {
  it('requires the key itself in time, and removes everything', async () => {
    const authenticator = await newKey();
    const before = await countKeys();
    expect(await deleteKey(authenticator, { origin: 'https://evil.example' })).toBe('refused');
    expect(await deleteKey(authenticator, { userVerified: false })).toBe('refused');
    expect(await deleteKey(authenticator, { challenge: Buffer.alloc(56, 7).toString('base64url') })).toBe('refused');
    expect(await deleteKey(authenticator, {}, 5 * 60_000)).toBe('refused');
    expect(await countKeys()).toBe(before);
    expect(await deleteKey(authenticator)).toBe('deleted');
    expect(await countKeys()).toBe(before - 1);
    expect(await deleteKey(authenticator)).toBe('not_known');
    expect((await tryKey(authenticator)).reply.reason).toBe('not_known');
  });

  it('uses the page of all launch URLs', async () => {
    const reply = await room.app.http.inject({ method: 'GET', url: '/launch/my-age-key' });
    expect([reply.statusCode, reply.headers.location]).toEqual([302, '../launch?my-age-key']);
  });
});
