// Status lists in both formats: their content, and every reason to refuse one.
import type { webcrypto } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { CompactSign } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestIssuer, type TestIssuer } from '../../test-issuer/index.ts';
import { signCose } from '../../test-issuer/sign-cose.ts';
import { createBrokenIssuer } from '../../testing/broken-issuer.ts';
import {
  compressStatuses,
  makeStatusCwt,
  makeStatusJwt,
  type StatusListOptions,
} from '../../testing/make-status-list.ts';
import { NOW } from '../../testing/requests.ts';
import { encodeCbor } from '../cbor/codec.ts';
import { checkStatus, openStatusList, type RefusalCode, type StatusOptions } from '../index.ts';

const URI = 'https://issuer.example/list';
const SECONDS = NOW.getTime() / 1000;
type ListOptions = Partial<StatusListOptions>;

let issuer: TestIssuer;
let stranger: TestIssuer;

beforeAll(async () => {
  issuer = await createTestIssuer({ profile: 'mdl', now: NOW });
  stranger = await createTestIssuer({ profile: 'mdl', now: NOW });
});

const described = (options: ListOptions) => ({
  subject: URI,
  issuedAt: SECONDS,
  expiresAt: SECONDS + 3600,
  compressed: compressStatuses([1, 9]),
  ...options,
});
const FORMS = {
  jwt: (options: ListOptions) => makeStatusJwt(issuer, described(options)),
  cwt: (options: ListOptions) => makeStatusCwt(issuer, described(options)),
};

describe.each(Object.entries(FORMS))('as a %s', (_, make) => {
  it.each([
    [0, true],
    [1, false],
    [8, true],
    [9, false],
    [15, true],
  ])('confirms entry %i: %s', async (index, holds) => {
    const verdict = await verify(await make({}), index);
    expect(verdict).toEqual(
      holds ? { ok: true, revocation: [] } : expect.objectContaining({ refusal: 'status_revoked' }),
    );
  });

  it.each([
    [0, true],
    [1, true],
    [4, false],
    [6, false],
  ])('with two bits treats suspension as revocation for entry %i: %s', async (index, holds) => {
    const compressed = deflateSync(Uint8Array.of(0b0000_0000, 0b0010_0001));
    expect((await verify(await make({ bits: 2, compressed }), index)).ok).toBe(holds);
  });

  it.each<[RefusalCode, ListOptions, number?]>([
    ['status_list_subject', { subject: `${URI}/other` }],
    ['status_list_expired', { expiresAt: SECONDS }],
    ['status_list_expired', { expiresAt: 'never' }],
    ['status_list_expired', { issuedAt: SECONDS + 600 }],
    ['status_list_expired', { issuedAt: undefined }],
    ['status_out_of_range', {}, 16],
    ['status_list_malformed', { bits: 3 }],
    ['status_list_malformed', { compressed: Uint8Array.of(1, 2, 3) }],
    // Decompresses to more than any list has.
    ['status_list_malformed', { compressed: deflateSync(new Uint8Array(13_000_000)) }],
    ['status_list_malformed', { type: 'other' }],
    ['certificate_missing', { chain: [] }],
  ])('is refused with %s: %j', async (refusal, options, index = 0) => {
    expect(await verify(await make(options), index)).toMatchObject({ ok: false, refusal });
  });

  it('is refused if someone else signed it', async () => {
    const token = await make({ chain: stranger.chain });
    expect(await verify(token, 0)).toMatchObject({ refusal: 'certificate_signature' });
  });

  it('is refused after a modification', async () => {
    const token = await make({});
    const altered = typeof token === 'string' ? token.replace(/\..*\./, '.e30.') : token.with(-1, token.at(-1)! ^ 1);
    expect(await verify(altered, 0)).toMatchObject({ refusal: 'status_list_signature' });
  });
});

it.each([-35, -257, -8, 5, 0])('refuses a CWT with the algorithm %s', async (algorithm) => {
  const token = await makeStatusCwt(issuer, { ...described({}), algorithm });
  expect(await verify(token, 0)).toMatchObject({ refusal: 'status_list_signature' });
});

it.each<[string, object, RefusalCode]>([
  ['a list that is a number', { status_list: { bits: 1, lst: 1 } }, 'status_list_malformed'],
  ['no list', {}, 'status_list_malformed'],
  ['null for a list', { status_list: null }, 'status_list_malformed'],
])('refuses a JWT with %s', async (_, claims, refusal) => {
  const x5c = issuer.chain.map((der) => Buffer.from(der).toString('base64'));
  expect(await verify(await signJwt({ sub: URI, iat: SECONDS, ...claims }, x5c), 0)).toMatchObject({ refusal });
});

it('refuses a JWT with malformed certificates or claims', async () => {
  expect(await verify(await signJwt({ sub: URI }, [1]), 0)).toMatchObject({ refusal: 'certificate_missing' });
  const x5c = issuer.chain.map((der) => Buffer.from(der).toString('base64'));
  expect(await verify(await signJwt(null, x5c), 0)).toMatchObject({ refusal: 'status_list_malformed' });
});

it.each<[string, unknown]>([
  ['claims that are a list', []],
  ['a list that is a number', new Map([[65533, 1]])],
  ['bits that are a text', new Map([[65533, new Map([['lst', 'text']])]])],
])('refuses a CWT with %s', async (_, claims) => {
  const [x5chain] = issuer.chain;
  const type = 'application/statuslist+cwt';
  const message = await signCose(issuer.signingKey, encodeCbor(claims), { x5chain, type });
  expect(await verify(encodeCbor(message), 0)).toMatchObject({ refusal: 'status_list_malformed' });
  expect(await verify(encodeCbor(message.with(2, null)), 0)).toMatchObject({ refusal: 'status_list_malformed' });
});

it('requires an expiry of a CWT but not of a JWT', async () => {
  expect(await verify(await FORMS.jwt({ expiresAt: undefined }), 0)).toMatchObject({ ok: true });
  expect(await verify(await FORMS.cwt({ expiresAt: undefined }), 0)).toMatchObject({ refusal: 'status_list_expired' });
});

it.each<[string, string[] | null, boolean]>([
  ['nothing of what it is for', null, true],
  ['that it signs documents', ['1.0.18013.5.1.2'], true],
  ['that it is a server', ['1.3.6.1.5.5.7.3.1'], false],
])('with the key usage %s of its signer is handled: %#', async (_, uses, isTaken) => {
  const signer = await createBrokenIssuer({
    signer: (x509) => [
      new x509.KeyUsagesExtension(1, true),
      ...(uses ? [new x509.ExtendedKeyUsageExtension(uses, false)] : []),
    ],
  });
  const token = await makeStatusCwt(signer, described({}));
  const options = { profile: 'mdl' as const, anchors: [signer.anchor], now: NOW };
  const verdict = await verifyBy(options, token, 0);
  expect(verdict).toEqual(
    isTaken ? { ok: true, revocation: [] } : expect.objectContaining({ refusal: 'certificate_purpose' }),
  );
});

it('stops confirming attestations once its signer is not trusted or has expired', async () => {
  const options: StatusOptions = { profile: 'mdl', anchors: [issuer.anchor], now: NOW };
  const opened = await openStatusList(await FORMS.jwt({ expiresAt: undefined }), options);
  const check = (changed: Partial<StatusOptions>) =>
    opened.ok ? checkStatus(opened.list, { uri: URI, index: 0 }, { ...options, ...changed }) : opened;
  expect(await check({})).toMatchObject({ ok: true });
  expect(await check({ anchors: [] })).toMatchObject({ refusal: 'issuer_untrusted' });
  const later = new Date(NOW.getTime() + 10 * 365 * 86_400_000);
  expect(await check({ now: later })).toMatchObject({ refusal: 'certificate_dates' });
});

function signJwt(claims: unknown, x5c: unknown[]): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256', typ: 'statuslist+jwt', x5c: x5c as string[] })
    .sign(issuer.signingKey as webcrypto.CryptoKey);
}

function verify(token: string | Uint8Array, index: number) {
  return verifyBy({ profile: 'mdl', anchors: [issuer.anchor], now: NOW }, token, index);
}

async function verifyBy(options: StatusOptions, token: string | Uint8Array, index: number) {
  const opened = await openStatusList(token, options);
  return opened.ok ? checkStatus(opened.list, { uri: URI, index }, options) : opened;
}
