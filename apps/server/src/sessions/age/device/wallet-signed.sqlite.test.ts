// Signed wallet requests, in the browser and by link, from the request to the result.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UseWalletReply, WalletLinkReply, WalletOptionsReply } from '@limen/contract';
import { answerRequest, issueAttestation } from '@limen/wallet/test-issuer';
import { checkRequest } from '@limen/wallet/testing/check-request.ts';
import { makeSignerFiles } from '@limen/wallet/testing/make-signer.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { createManualClock } from '#testing/manual-clock.ts';
import { type Claimed, claimSession, useDeviceApp } from '#testing/sessions/device-app.ts';
import { createTestWallet, findServiceIssuer } from '#testing/test-wallet.ts';

const HOST = 'check.example';
const ORIGIN = `https://${HOST}`;
const WALLET = { acceptedProofs: ['wallet'], ageThreshold: 18 };
const DAY_MS = 86_400_000;

const folder = mkdtempSync(join(tmpdir(), 'limen-wallet-signed-'));
afterAll(() => rmSync(folder, { recursive: true }));
const { certificate, key, root } = await makeSignerFiles({
  host: HOST,
  notBefore: new Date(createManualClock().now() - DAY_MS),
});
const files = { WALLET_CERT: join(folder, 'cert.pem'), WALLET_KEY: join(folder, 'key.pem') };
writeFileSync(files.WALLET_CERT, certificate + root);
writeFileSync(files.WALLET_KEY, key);
const room = useDeviceApp({ PUBLIC_URL: ORIGIN, WALLET_CLIENT_ID: 'x509_san_dns', ...files });

type Session = Pick<Claimed, 'id' | 'device' | 'token'>;
const now = () => new Date(room.clock.now());
const resultOf = async ({ token }: Session) => (await room.host.result(token)).body;
const linksOf = async ({ id, device }: Session) =>
  (await device.call<WalletLinkReply>('POST', id, 'wallet/link', { body: {} })).body;

async function openLink() {
  const session = await claimSession(room, WALLET);
  const { links } = await linksOf(session);
  const link = links.find(({ profile }) => profile === 'mdl')!.link;
  const { client_id: clientId, request_uri: uri } = Object.fromEntries(new URL(link).searchParams);
  return { session, links, link, clientId: clientId!, uri: uri! };
}

const fetchRequest = (uri: string) => room.app.http.inject({ method: 'GET', url: new URL(uri).pathname });

async function answer(link: string, requestObject: string) {
  const issuer = await findServiceIssuer(room, 'mdl');
  const attestation = await issueAttestation(issuer, { elements: { age_over_18: true }, now: now() });
  const { responseUri, fields } = await answerRequest({ kind: 'link', link, requestObject }, attestation);
  return room.app.http.inject({
    method: 'POST',
    url: new URL(responseUri!).pathname,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields as Record<string, string>).toString(),
  });
}

describe('a link', () => {
  it('leads to a verifiable request whose answer ends the session', async () => {
    const { session, link, clientId, uri } = await openLink();
    expect(link.length).toBeLessThan(200);
    expect(clientId).toBe(`x509_san_dns:${HOST}`);
    const reply = await fetchRequest(uri);
    expect(reply.statusCode).toBe(200);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/oauth-authz-req+jwt',
      'cache-control': 'no-store',
    });
    const payload = await checkRequest({ requestObject: reply.body, root, clientId, now: now() });
    expect(payload).toMatchObject({ response_uri: uri, response_mode: 'direct_post.jwt' });
    expect((await answer(link, reply.body)).statusCode).toBe(200);
    expect(await resultOf(session)).toMatchObject({
      flowStatus: 'COMPLETED',
      result: { walletProof: { profile: 'mdl' } },
    });
    expect((await fetchRequest(uri)).statusCode).toBe(404);
  });

  it('for the European app stays unsigned, as its specification demands', async () => {
    const { links } = await openLink();
    const { link } = links.find(({ profile }) => profile === 'eu_age')!;
    const { client_id, response_uri } = Object.fromEntries(new URL(link).searchParams);
    expect(client_id).toBe(`redirect_uri:${response_uri}`);
    expect((await fetchRequest(response_uri!)).statusCode).toBe(404);
  });

  it('can be reopened until it is answered, replaced or expired, or the session ends', async () => {
    const { session, link, uri } = await openLink();
    const [first, second] = [await fetchRequest(uri), await fetchRequest(uri)];
    expect(second.body).toBe(first.body);
    await linksOf(session);
    expect((await fetchRequest(uri)).statusCode).toBe(404);
    expect((await answer(link, first.body)).statusCode).toBe(404);

    const late = await openLink();
    room.clock.advance(5 * 60_000);
    expect((await fetchRequest(late.uri)).statusCode).toBe(404);

    const ended = await openLink();
    await ended.session.device.call('POST', ended.session.id, 'cancel', { body: {} });
    expect((await fetchRequest(ended.uri)).statusCode).toBe(404);
  });

  it("refuses an answer to another session's request", async () => {
    const [one, other] = [await openLink(), await openLink()];
    const { body } = await fetchRequest(one.uri);
    const issuer = await findServiceIssuer(room, 'mdl');
    const attestation = await issueAttestation(issuer, { elements: { age_over_18: true }, now: now() });
    const { fields } = await answerRequest({ kind: 'link', link: one.link, requestObject: body }, attestation);
    const reply = await room.app.http.inject({
      method: 'POST',
      url: new URL(other.uri).pathname,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields as Record<string, string>).toString(),
    });
    expect(reply.statusCode).toBe(400);
    for (const { session } of [one, other]) expect(await resultOf(session)).not.toHaveProperty('flowStatus');
  });
});

describe('a browser request', () => {
  it('is made signed and unsigned, and either answer is accepted', async () => {
    for (const protocol of ['openid4vp-v1-signed', 'openid4vp-v1-unsigned']) {
      const session = await claimSession(room, WALLET);
      const { id, device } = session;
      const { body: asked } = await device.call<WalletOptionsReply>('POST', id, 'wallet/options', { body: {} });
      expect(asked.requests.map((one) => one.protocol)).toEqual([
        'org-iso-mdoc',
        'org-iso-mdoc',
        'openid4vp-v1-signed',
        'openid4vp-v1-unsigned',
      ]);
      const signed = asked.requests.find((one) => one.protocol === 'openid4vp-v1-signed')!;
      const requestObject = String(signed.data['request']);
      await checkRequest({ requestObject, root, origin: ORIGIN, now: now() });
      const wallet = createTestWallet({ storage: room.storage, clock: room.clock, origin: ORIGIN });
      const body = await wallet.answer(asked, { profile: 'mdl', protocol });
      expect((await device.call<UseWalletReply>('POST', id, 'wallet', { body })).body.outcome).toBe('accepted');
    }
  });
});

describe('the certificate', () => {
  it('appears in the metrics and is not used after it expires', async () => {
    const seconds = async () => {
      const { body } = await room.app.http.inject('/metrics');
      return Number(/^limen_wallet_certificate_expires_seconds (\S+)$/m.exec(body)?.[1]);
    };
    expect(await seconds()).toBeGreaterThan(28 * 86_400);
    room.clock.advance(30 * DAY_MS);
    expect(await seconds()).toBeLessThan(0);
    const session = await claimSession(room, WALLET);
    const { links } = await linksOf(session);
    for (const { link } of links) expect(new URL(link).searchParams.get('client_id')).toMatch(/^redirect_uri:/);
    const { id, device } = session;
    const { body } = await device.call<WalletOptionsReply>('POST', id, 'wallet/options', { body: {} });
    expect(body.requests.map(({ protocol }) => protocol)).not.toContain('openid4vp-v1-signed');
  });
});

describe('the rate limit', () => {
  it('returns 429 to an address with too many requests of any kind', async () => {
    const from = async (remoteAddress: string, method: 'GET' | 'POST' = 'GET') =>
      (await room.app.http.inject({ method, url: '/launch/wallet/unknown', remoteAddress })).statusCode;
    const statuses = await Promise.all(Array.from({ length: 100 }, () => from('203.0.113.7')));
    expect(new Set(statuses)).toEqual(new Set([404, 429]));
    expect(statuses.filter((status) => status === 404).length).toBeGreaterThanOrEqual(50);
    const posted = await Promise.all(Array.from({ length: 100 }, () => from('203.0.113.9', 'POST')));
    expect(posted).toContain(429);
    expect(await from('203.0.113.8')).toBe(404);
  });
});
