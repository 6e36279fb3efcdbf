// Wallets in age sessions from request to result: accepted answers, and all that must be refused.
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { AgeSessionResult, UseWalletReply, WalletOptionsReply } from '@limen/contract';
import { type ProfileId, writeAnchor } from '@limen/wallet';
import { createTestIssuer } from '@limen/wallet/test-issuer';
import { makeCrl, serialOf } from '@limen/wallet/testing/make-crl.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLEAN_BROWSER } from '#testing/device.ts';
import { type Host, newHost } from '#testing/session-app.ts';
import { type Claimed, claimSession, useDeviceApp } from '#testing/sessions/device-app.ts';
import { createTestWallet, makeServiceStatuses, type ShownAttestation } from '#testing/test-wallet.ts';

const ORIGIN = 'https://check.example';
const room = useDeviceApp({ PUBLIC_URL: ORIGIN });
const WALLET = { acceptedProofs: ['wallet'], ageThreshold: 18 };

type Session = Pick<Claimed, 'id' | 'device' | 'token'>;

async function askWallet({ id, device }: Session) {
  return device.call<WalletOptionsReply>('POST', id, 'wallet/options', { body: {} });
}

const answerOf = (asked: WalletOptionsReply, shown?: ShownAttestation) =>
  createTestWallet({ storage: room.storage, clock: room.clock, origin: ORIGIN }).answer(asked, shown);

/** The page's credential request. */
async function offered({ id, device }: Session) {
  const { body } = await device.view(id);
  return body.asks.proofs ?? [];
}

const send = ({ id, device }: Session, body: object) =>
  device.call<UseWalletReply>('POST', id, 'wallet', { body: { ...body, indicators: CLEAN_BROWSER } });

async function show(shown: ShownAttestation = {}, body: object = WALLET, host: Host = room.host) {
  const session = await claimSession({ ...room, host }, body);
  const { body: options } = await askWallet(session);
  const { body: reply } = await send(session, await answerOf(options, shown));
  return { session, reply, result: (await host.result(session.token)).body };
}

describe('a wallet', () => {
  it.each<[ProfileId, string]>([
    ['eu_age', 'org-iso-mdoc'],
    ['mdl', 'org-iso-mdoc'],
    ['mdl', 'openid4vp-v1-unsigned'],
  ])('with %s proves the age over %s, and the host learns nothing else', async (profile, protocol) => {
    const { reply, result } = await show({ profile, protocol });
    expect(reply).toEqual({ outcome: 'accepted', triesLeft: 5 });
    expect(result).toMatchObject({
      sessionStatus: 'AGE_ABOVE_THRESHOLD',
      flowStatus: 'COMPLETED',
      errors: [],
      riskEvaluation: { recommendation: 'ALLOW', flags: ['WALLET_USED'] },
    } satisfies Partial<Record<keyof AgeSessionResult, unknown>>);
    expect(result.result).toEqual({
      walletProof: { thresholdResult: 'AGE_ABOVE_THRESHOLD', profile, issuerCountry: 'UT' },
      source: 'wallet',
    });
  });

  it('is asked for the smallest age at or above the threshold, or for nothing above all available', async () => {
    const { reply } = await show({ elements: { age_over_18: true } }, { ...WALLET, ageThreshold: 20 });
    expect(reply).toMatchObject({ outcome: 'refused', reason: 'no_age' });
    const tooOld = await claimSession(room, { ...WALLET, ageThreshold: 66 });
    expect(await offered(tooOld)).toEqual([]);
    expect((await askWallet(tooOld)).status).toBe(403);
  });

  it.each<[string, ShownAttestation, string]>([
    ['whose element is false', { elements: { age_over_18: false } }, 'no_age'],
    ['whose element is only like true', { elements: { age_over_18: 1 } }, 'no_age'],
    ['without the element', { elements: { age_over_65: true } }, 'no_age'],
    ['that is no longer valid', { issuedDaysAgo: 40 }, 'ended'],
    ['that was asked by another page', { conduct: { origin: 'https://check.example.evil' } }, 'not_valid'],
  ])('is refused with %s, and the session continues', async (_, shown, reason) => {
    const { reply, result } = await show(shown);
    expect(reply).toEqual({ outcome: 'refused', reason, triesLeft: 5 });
    expect(result.sessionStatus).toBe('AGE_UNKNOWN');
    expect(result).not.toHaveProperty('flowStatus');
  });

  it('from an unknown issuer is not trusted', async () => {
    const issuer = await createTestIssuer({ profile: 'eu_age', now: new Date(room.clock.now()), country: 'XK' });
    expect((await show({ issuer })).reply).toMatchObject({ outcome: 'refused', reason: 'not_trusted' });
  });

  it('is refused if revoked, and accepted if another entry of the list is', async () => {
    const uri = 'https://issuer.example/list';
    room.statuses.serve(uri, () => makeServiceStatuses(room, { profile: 'eu_age', uri, revoked: [1] }));
    const { reply, result } = await show({ status: { uri, index: 1 } });
    expect(reply).toEqual({ outcome: 'refused', reason: 'ended', triesLeft: 5 });
    expect(result).not.toHaveProperty('flowStatus');
    expect(room.app.logged()).toContain('"refusal":"status_revoked"');
    expect((await show({ status: { uri, index: 0 } })).reply.outcome).toBe('accepted');
    expect(room.statuses.fetched).toEqual([uri]);
  });

  it('with a status list on a private network is refused without a request', async () => {
    let calls = 0;
    const inside = createServer(() => {
      calls += 1;
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void inside.close());
    await once(inside, 'listening');
    const { port } = inside.address() as AddressInfo;
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
      const { reply } = await show({ status: { uri: `https://${host}:${port}/list`, index: 0 } });
      expect([host, reply.outcome, reply.reason]).toEqual([host, 'refused', 'not_valid']);
    }
    expect(calls).toBe(0);
  });

  it('answers once: a replay is refused in its session and in another', async () => {
    const session = await claimSession(room, WALLET);
    const { body: options } = await askWallet(session);
    const answer = await answerOf(options, { elements: { age_over_18: false } });
    expect((await send(session, answer)).body).toMatchObject({ outcome: 'refused', reason: 'no_age' });
    expect((await send(session, answer)).body).toMatchObject({ outcome: 'refused', reason: 'not_valid' });
    const other = await claimSession(room, WALLET);
    const { body: others } = await askWallet(other);
    const good = await answerOf(others);
    const third = await claimSession(room, WALLET);
    await askWallet(third);
    expect((await send(third, good)).body).toMatchObject({ outcome: 'refused', reason: 'not_valid' });
  });

  it('has six attempts, and extra fields are dropped', async () => {
    const session = await claimSession(room, WALLET);
    for (let left = 6; left > 0; left--) expect((await askWallet(session)).status).toBe(200);
    expect((await askWallet(session)).status).toBe(403);
    const { reply, result } = await show({ conduct: { smuggle: ['age_over_21'] } });
    expect(reply.outcome).toBe('accepted');
    expect(JSON.stringify(result)).not.toContain('age_over');
  });
});

const readMetrics = async () => (await room.app.http.inject('/metrics')).body;

describe('a live session', () => {
  it("offers no wallet without trusted issuers, accepts the folder's, and never the test issuer", async () => {
    const live = await newHost(room.app, 'live');
    const before = await claimSession({ ...room, host: live }, WALLET);
    expect(await offered(before)).toEqual([]);
    expect((await askWallet(before)).status).toBe(403);

    const issuer = await createTestIssuer({ profile: 'eu_age', now: new Date(room.clock.now()), country: 'NL' });
    const folder = join(room.storage.dataDir, 'trust', 'eu_age');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'state.pem'), writeAnchor(issuer.anchor));
    const session = await claimSession({ ...room, host: live }, WALLET);
    await expect.poll(async () => (await askWallet(session)).status).toBe(200);
    const { result } = await show({ issuer }, WALLET, live);
    expect(result.result).toMatchObject({ walletProof: { issuerCountry: 'NL' } });
    expect((await show({}, WALLET, live)).reply).toMatchObject({ outcome: 'refused', reason: 'not_trusted' });
  });

  it('refuses an issuer whose certificate is or may be revoked, in log and metrics', async () => {
    const live = await newHost(room.app, 'live');
    const address = 'http://authority.example/revoked.crl';
    const now = new Date(room.clock.now());
    const issuer = await createTestIssuer({ profile: 'mdl', now, country: 'SE', revocationLists: [address] });
    const folder = join(room.storage.dataDir, 'trust', 'mdl');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'state.pem'), writeAnchor(issuer.anchor));
    const shown: ShownAttestation = { issuer, profile: 'mdl', protocol: 'openid4vp-v1-unsigned' };
    const ended = { outcome: 'refused', reason: 'ended' };
    room.statuses.serve(address, () => ({ status: 500 }));
    await expect.poll(readMetrics).toContain('limen_trust_anchors{profile="mdl"} 1');
    // No list says that the certificate has ended, so the reason is another.
    expect((await show(shown, WALLET, live)).reply).toMatchObject({ outcome: 'refused', reason: 'not_valid' });
    expect(room.app.logged()).toContain('"refusal":"crl_unavailable"');
    const serial = await serialOf(issuer);
    room.statuses.serve(address, () => makeCrl(issuer, { thisUpdate: now, serials: [serial] }));
    room.clock.advance(15_000);
    expect((await show(shown, WALLET, live)).reply).toMatchObject(ended);
    expect(room.app.logged()).toContain('"refusal":"certificate_revoked"');
    expect(room.app.logged()).not.toContain(serial);
    const metrics = await readMetrics();
    expect(metrics).toContain('limen_wallet_proofs_total{outcome="certificate_revoked"} 1');
    expect(metrics).toContain('limen_wallet_crls_total{outcome="believed"} 1');
    room.statuses.serve(address, () => makeCrl(issuer, { thisUpdate: new Date(room.clock.now()) }));
    room.clock.advance(3_600_000);
    expect((await show(shown, WALLET, live)).reply).toMatchObject({ outcome: 'accepted' });
  });
});
