// Wallets by link and QR code: answers that end a session, and all that must not.
import type { UseWalletReply, WalletLinkReply } from '@limen/contract';
import type { ProfileId, StatusReference } from '@limen/wallet';
import { answerRequest, issueAttestation } from '@limen/wallet/test-issuer';
import { describe, expect, it } from 'vitest';
import { CLEAN_BROWSER, newDevice } from '#testing/device.ts';
import { type Claimed, claimSession, useDeviceApp } from '#testing/sessions/device-app.ts';
import { findServiceIssuer, makeServiceStatuses } from '#testing/test-wallet.ts';

const ORIGIN = 'https://check.example';
const room = useDeviceApp({ PUBLIC_URL: ORIGIN });
const WALLET = { acceptedProofs: ['wallet'], ageThreshold: 18 };
const WITH_KEYS = { ...WALLET, acceptedProofs: ['wallet', 'age_key'] };
const FORM = 'application/x-www-form-urlencoded';
const FIVE_MINUTES_MS = 5 * 60_000;

type Session = Pick<Claimed, 'id' | 'device' | 'token'>;

const ask = ({ id, device }: Session) =>
  device.call<WalletLinkReply>('POST', id, 'wallet/link', { body: { indicators: CLEAN_BROWSER } });

async function open(body: object = WALLET) {
  const session = await claimSession(room, body);
  return { session, links: (await ask(session)).body };
}

interface Answer {
  path: string;
  form: string;
}

/** The wallet's answer and its destination. */
async function answerOf(
  { links }: WalletLinkReply,
  profile: ProfileId = 'eu_age',
  isOfAge = true,
  status?: StatusReference,
): Promise<Answer> {
  const issuer = await findServiceIssuer(room, profile);
  const now = new Date(room.clock.now());
  const elements = { age_over_18: isOfAge };
  const attestation = await issueAttestation(issuer, { elements, now, ...(status && { status }) });
  const { link } = links.find((one) => one.profile === profile)!;
  const { responseUri, fields } = await answerRequest({ kind: 'link', link, requestObject: null }, attestation);
  const { origin, pathname } = new URL(responseUri!);
  expect(origin).toBe(ORIGIN);
  return { path: pathname, form: new URLSearchParams(fields as Record<string, string>).toString() };
}

let posted = 0;

async function post({ path, form }: Answer, type = FORM) {
  posted += 1;
  const reply = await room.app.http.inject({
    method: 'POST',
    url: path,
    // Different wallet addresses, because each is rate-limited.
    remoteAddress: `192.0.2.${posted % 250}`,
    headers: { 'content-type': type },
    payload: form,
  });
  return { status: reply.statusCode, body: reply.json() as unknown };
}

/** A status list that responds when the test says so. */
function holdStatuses({ id }: Session) {
  const uri = `https://issuer.example/${id}`;
  const { promise, resolve: answerFetch } = Promise.withResolvers<string>();
  room.statuses.serve(uri, () => promise);
  return { uri, answerFetch };
}

const resultOf = async ({ token }: Session) => (await room.host.result(token)).body;

async function expectOpen(session: Session): Promise<void> {
  expect(await resultOf(session)).not.toHaveProperty('flowStatus');
}

describe('an answer to a link', () => {
  it.each<[ProfileId, RegExp]>([
    ['eu_age', /^av:\/\/\?/],
    ['mdl', /^openid4vp:\/\/\?/],
  ])('with %s ends the session, and the device sees it', async (profile, scheme) => {
    const { session, links } = await open();
    expect(links.links.find((one) => one.profile === profile)?.link).toMatch(scheme);
    expect(links).toMatchObject({
      expiresAt: new Date(room.clock.now() + FIVE_MINUTES_MS).toISOString(),
      triesLeft: 5,
    });
    expect(await post(await answerOf(links, profile))).toEqual({ status: 200, body: {} });
    expect(await resultOf(session)).toMatchObject({
      sessionStatus: 'AGE_ABOVE_THRESHOLD',
      flowStatus: 'COMPLETED',
      result: { source: 'wallet', walletProof: { profile, issuerCountry: 'UT' } },
      riskEvaluation: { recommendation: 'ALLOW', flags: ['WALLET_USED'] },
    });
    expect((await session.device.view(session.id)).body.end).toMatchObject({ flowStatus: 'COMPLETED' });
    expect(await room.app.database.queries.selectFrom('wallet_links').select('id').execute()).toEqual([]);
  });

  it('offers no key to the device that showed the code, because another person may have answered', async () => {
    const { session, links } = await open(WITH_KEYS);
    expect((await post(await answerOf(links))).status).toBe(200);
    expect((await session.device.view(session.id)).body.end).toMatchObject({ flowStatus: 'COMPLETED' });
    expect((await session.device.view(session.id)).body.end).not.toHaveProperty('ageKeyOffer');
    const made = await session.device.call('POST', session.id, 'age-key/new/options', { body: {} });
    expect(made.status).toBe(403);
  });

  it('counts once, even concurrently', async () => {
    const { session, links } = await open();
    const answer = await answerOf(links);
    const statuses = (await Promise.all([post(answer), post(answer)])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 404]);
    expect(await resultOf(session)).toMatchObject({ flowStatus: 'COMPLETED' });
    expect((await post(answer)).status).toBe(404);
  });

  it('uses its link up when refused, and the session continues', async () => {
    const { session, links } = await open();
    const young = await answerOf(links, 'eu_age', false);
    expect((await post(young)).status).toBe(400);
    expect((await post({ ...(await answerOf(links)), path: young.path })).status).toBe(404);
    await expectOpen(session);
  });

  it('is shown as refused to the requesting device until it retries, and voids the other links', async () => {
    const { session, links } = await open();
    const told = async () => (await session.device.view(session.id)).body.walletLinkRefused;
    const other = await answerOf(links, 'mdl');
    expect(await told()).toBeUndefined();
    await post(await answerOf(links, 'eu_age', false));
    expect(await told()).toBe('no_age');
    const stranger = await newDevice(room.app.http);
    expect((await stranger.view(session.id)).body).not.toHaveProperty('walletLinkRefused');
    expect((await post(other)).status).toBe(404);
    const again = (await ask(session)).body;
    expect(await told()).toBeUndefined();
    const { path } = await answerOf(again);
    await post({ path, form: 'error=access_denied' });
    expect(await told()).toBe('declined');
  });

  it.each<[string, (session: Session) => Promise<{ status: number }>]>([
    ['links', ask],
    ['the browser', ({ id, device }) => device.call('POST', id, 'wallet/options', { body: {} })],
  ])('is neither shown nor voids anything if the device has retried by %s before the refusal', async (_, askAnew) => {
    const { session, links } = await open();
    const { uri, answerFetch } = holdStatuses(session);
    const late = post(await answerOf(links, 'eu_age', true, { uri, index: 1 }));
    await expect.poll(() => room.statuses.fetched.at(-1)).toBe(uri);
    expect((await askAnew(session)).status).toBe(200);
    const before = await room.app.database.queries.selectFrom('wallet_links').select('id').execute();
    answerFetch(await makeServiceStatuses(room, { profile: 'eu_age', uri, revoked: [1] }));
    expect((await late).status).toBe(400);
    expect((await session.device.view(session.id)).body).not.toHaveProperty('walletLinkRefused');
    expect(await room.app.database.queries.selectFrom('wallet_links').select('id').execute()).toEqual(before);
  });

  it('to a replaced link still ends the session if it arrived earlier and is valid', async () => {
    const { session, links } = await open();
    const { uri, answerFetch } = holdStatuses(session);
    const late = post(await answerOf(links, 'eu_age', true, { uri, index: 0 }));
    await expect.poll(() => room.statuses.fetched.at(-1)).toBe(uri);
    await ask(session);
    answerFetch(await makeServiceStatuses(room, { profile: 'eu_age', uri, revoked: [1] }));
    expect((await late).status).toBe(200);
    expect(await resultOf(session)).toMatchObject({ flowStatus: 'COMPLETED', result: { source: 'wallet' } });
  });

  it('that declines is understood, and the session continues', async () => {
    const { session, links } = await open();
    const { path } = await answerOf(links);
    expect(await post({ path, form: 'error=access_denied' })).toEqual({ status: 200, body: {} });
    await expectOpen(session);
  });

  it('from another session is refused', async () => {
    const [one, other] = [await open(), await open()];
    const { form } = await answerOf(one.links);
    const { path } = await answerOf(other.links);
    expect((await post({ path, form })).status).toBe(400);
    await expectOpen(one.session);
    await expectOpen(other.session);
  });

  it('is refused after five minutes', async () => {
    const { session, links } = await open();
    const answer = await answerOf(links);
    room.clock.advance(FIVE_MINUTES_MS);
    expect((await post(answer)).status).toBe(404);
    await expectOpen(session);
  });

  it('after the end has no effect', async () => {
    const { session, links } = await open();
    const answer = await answerOf(links);
    await session.device.call('POST', session.id, 'cancel', { body: {} });
    expect((await post(answer)).status).toBe(404);
    expect(await resultOf(session)).toMatchObject({ flowStatus: 'CANCELLED' });
  });

  it('to a replaced link has no effect', async () => {
    const { session, links } = await open();
    const answer = await answerOf(links);
    await ask(session);
    expect((await post(answer)).status).toBe(404);
    await expectOpen(session);
  });

  it('does not end a session that the requesting device has handed off', async () => {
    const { session, links } = await open();
    const answer = await answerOf(links);
    const { code, number } = (await session.device.handoff(session.id)).body;
    const next = await newDevice(room.app.http);
    expect((await next.claim(session.id, { code, number })).status).toBe(200);
    expect((await post(answer)).status).toBe(404);
    await expectOpen(session);
  });
});

describe('a link on the same device', () => {
  const CODE = /^https:\/\/check\.example\/launch\?sessionId=([^#]+)#response_code=([\w-]{43})$/;

  async function openHere(asked: object = WALLET) {
    const session = await claimSession(room, asked);
    const body = { sameDevice: true, indicators: CLEAN_BROWSER };
    const { body: links } = await session.device.call<WalletLinkReply>('POST', session.id, 'wallet/link', { body });
    return { session, links, here: links.links.map((one) => ({ ...one, link: one.sameDeviceLink! })) };
  }

  /** The wallet's answer, and its redirect code. */
  async function answerHere({ links, here }: Awaited<ReturnType<typeof openHere>>, profile: ProfileId = 'eu_age') {
    const answer = await answerOf({ ...links, links: here }, profile);
    const { status, body } = await post(answer);
    const [, sessionId, code = ''] = CODE.exec(String((body as { redirect_uri?: string }).redirect_uri)) ?? [];
    return { status, sessionId, code, answer };
  }

  const finish = ({ id, device }: Session, responseCode: string) =>
    device.call<UseWalletReply>('POST', id, 'wallet/link/finish', { body: { responseCode } });

  it.each<ProfileId>(['eu_age', 'mdl'])('ends the session by %s once the wallet has led back', async (profile) => {
    const opened = await openHere();
    const { session } = opened;
    const { status, sessionId, code } = await answerHere(opened, profile);
    expect([status, sessionId]).toEqual([200, session.id]);
    await expectOpen(session);
    expect((await finish(session, code)).body).toEqual({ outcome: 'accepted', triesLeft: 5 });
    expect(await resultOf(session)).toMatchObject({
      flowStatus: 'COMPLETED',
      result: { source: 'wallet', walletProof: { profile, issuerCountry: 'UT' } },
    });
    const rows = await room.app.database.queries.selectFrom('wallet_links').select('session_id').execute();
    expect(rows.map((row) => String(row.session_id))).not.toContain(session.id);
  });

  it('leads back to the offer of a key', async () => {
    const opened = await openHere(WITH_KEYS);
    const { code } = await answerHere(opened);
    expect((await finish(opened.session, code)).body.outcome).toBe('accepted');
    expect((await opened.session.device.view(opened.session.id)).body.end).toHaveProperty('ageKeyOffer');
  });

  it("ends nothing if forwarded, because the code is in the other person's browser", async () => {
    const opened = await openHere();
    const { session } = opened;
    const { code, answer } = await answerHere(opened);
    await expectOpen(session);
    // Neither the view, nor the link again, nor its id works as the code.
    expect((await session.device.view(session.id)).body).not.toHaveProperty('end');
    expect((await post(answer)).status).toBe(404);
    const id = answer.path.split('/').at(-1)!;
    expect((await finish(session, id)).body).toMatchObject({ outcome: 'refused', reason: 'not_valid' });
    await expectOpen(session);
    // The person with the code does not have the session.
    const victim = await newDevice(room.app.http);
    expect((await finish({ ...session, device: victim }, code)).status).toBe(403);
    const other = await claimSession(room, WALLET);
    expect((await finish(other, code)).body).toMatchObject({ outcome: 'refused', reason: 'not_valid' });
    expect((await post({ path: `/launch/wallet/${code}`, form: answer.form })).status).toBe(404);
    await expectOpen(session);
    await expectOpen(other);
  });

  it('has a code that works once, within five minutes, until the device retries', async () => {
    const late = await openHere();
    const { code: old } = await answerHere(late);
    room.clock.advance(FIVE_MINUTES_MS);
    expect((await finish(late.session, old)).body).toMatchObject({ outcome: 'refused', reason: 'not_valid' });
    const replaced = await openHere();
    const { code: replacedCode } = await answerHere(replaced);
    await ask(replaced.session);
    expect((await finish(replaced.session, replacedCode)).body).toMatchObject({ outcome: 'refused' });
    const opened = await openHere();
    const { code } = await answerHere(opened);
    const [one, two] = await Promise.all([finish(opened.session, code), finish(opened.session, code)]);
    expect([one, two].filter(({ body }) => body.outcome === 'accepted')).toHaveLength(1);
  });

  it('is finished by the requesting device, not by one that took the session over', async () => {
    const opened = await openHere();
    const { session } = opened;
    const { code } = await answerHere(opened);
    const handed = (await session.device.handoff(session.id)).body;
    const next = await newDevice(room.app.http);
    expect((await next.claim(session.id, { code: handed.code, number: handed.number })).status).toBe(200);
    expect((await finish({ ...session, device: next }, code)).body).toMatchObject({ outcome: 'refused' });
    await expectOpen(session);
  });

  it('works alongside the cross-device code, which ends the session by itself', async () => {
    const { session, links } = await openHere();
    expect(await post(await answerOf(links))).toEqual({ status: 200, body: {} });
    expect(await resultOf(session)).toMatchObject({ flowStatus: 'COMPLETED' });
  });

  it.each<[string, (session: Session) => Promise<unknown>]>([
    ['the device has asked anew', ask],
    [
      'the session is at another device',
      async ({ id, device }) => {
        const { code, number } = (await device.handoff(id)).body;
        await (await newDevice(room.app.http)).claim(id, { code, number });
      },
    ],
  ])('has no redirect if %s while the answer was being checked', async (_, meanwhile) => {
    const { session, links, here } = await openHere();
    const { uri, answerFetch } = holdStatuses(session);
    const late = post(await answerOf({ ...links, links: here }, 'eu_age', true, { uri, index: 0 }));
    await expect.poll(() => room.statuses.fetched.at(-1)).toBe(uri);
    await meanwhile(session);
    answerFetch(await makeServiceStatuses(room, { profile: 'eu_age', uri, revoked: [] }));
    expect((await late).status).toBe(404);
    await expectOpen(session);
  });

  it('counts as accepted once the session ended, and as refused for an unknown code', async () => {
    const counted = async (outcome: string) => {
      const { body } = await room.app.http.inject('/metrics');
      return Number(
        new RegExp(`^limen_wallet_proofs_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(body)?.[1] ?? 0,
      );
    };
    const [accepted, refused] = [await counted('accepted'), await counted('response_code')];
    const opened = await openHere();
    const { code } = await answerHere(opened);
    expect(await counted('accepted')).toBe(accepted);
    await finish(opened.session, 'A'.repeat(43));
    expect([await counted('accepted'), await counted('response_code')]).toEqual([accepted, refused + 1]);
    expect(room.app.logged()).toContain('"refusal":"response_code"');
    await finish(opened.session, code);
    expect(await counted('accepted')).toBe(accepted + 1);
  });

  it('has no redirect if the person declines, and refusals are shown as usual', async () => {
    const { session, links, here } = await openHere();
    const { path } = await answerOf({ ...links, links: here });
    expect(await post({ path, form: 'error=access_denied' })).toEqual({ status: 200, body: {} });
    expect((await session.device.view(session.id)).body.walletLinkRefused).toBe('declined');
  });
});

describe('the answer address', () => {
  it('knows only issued ids and stores none', async () => {
    const { links } = await open();
    const { path, form } = await answerOf(links);
    const id = path.split('/').at(-1)!;
    expect(id).toMatch(/^[\w-]{43}$/);
    const rows = await room.app.database.queries.selectFrom('wallet_links').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(id);
    for (const row of rows) {
      expect((await post({ path: `/launch/wallet/${row.id}`, form })).status).toBe(404);
      expect(Buffer.from(row.sealed).includes('nonce')).toBe(false);
    }
  });

  it.each<[string, number, (answer: Answer) => Promise<{ status: number }>]>([
    ['takes forms only', 415, ({ path }) => post({ path, form: '{}' }, 'application/json')],
    ['takes no huge body', 413, ({ path }) => post({ path, form: `vp_token=${'A'.repeat(200_000)}` })],
    ['takes no field twice', 400, ({ path, form }) => post({ path, form: `${form}&${form}` })],
  ])('responds %s without using up the link', async (_, status, send) => {
    const { session, links } = await open();
    const answer = await answerOf(links);
    expect((await send(answer)).status).toBe(status);
    await expectOpen(session);
    expect((await post(answer)).status).toBe(200);
  });
});

describe('link creation', () => {
  it('requires a session that accepts wallets, and counts as an attempt', async () => {
    expect((await ask(await claimSession(room, {}))).status).toBe(403);
    const session = await claimSession(room, WALLET);
    for (let left = 6; left > 0; left--) expect((await ask(session)).status).toBe(200);
    expect((await ask(session)).status).toBe(403);
  });

  it('requires the device that holds the session', async () => {
    const session = await claimSession(room, WALLET);
    const stranger = await newDevice(room.app.http);
    expect((await ask({ ...session, device: stranger })).status).toBe(403);
  });
});
