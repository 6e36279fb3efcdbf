// Status lists in both forms: what they say, and every way in which they are not to be believed.
import type { webcrypto } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { CompactSign } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestIssuer, type TestIssuer } from '../../test-issuer/index.ts';
import { signCose } from '../../test-issuer/sign-cose.ts';
import { NOW } from '../../testing/requests.ts';
import { encodeCbor } from '../cbor/codec.ts';
import { type RefusalCode, verifyStatus } from '../index.ts';

const URI = 'https://issuer.example/list';
const SECONDS = NOW.getTime() / 1000;
/** Bits 1 and 9 are set. */
const LIST = Uint8Array.of(0b10, 0b10);

interface ListOptions {
  subject?: string;
  issuedAt?: unknown;
  expiresAt?: unknown;
  bits?: unknown;
  compressed?: Uint8Array;
  type?: string;
  chain?: readonly Uint8Array[];
}

let issuer: TestIssuer;
let stranger: TestIssuer;

beforeAll(async () => {
  issuer = await createTestIssuer({ profile: 'mdl', now: NOW });
  stranger = await createTestIssuer({ profile: 'mdl', now: NOW });
});

const FORMS = { jwt: makeJwt, cwt: makeCwt };

describe.each(Object.entries(FORMS))('as a %s', (_, make) => {
  it.each([
    [0, true],
    [1, false],
    [8, true],
    [9, false],
    [15, true],
  ])('entry %i holds: %s', async (index, holds) => {
    const verdict = await verify(await make({}), index);
    expect(verdict).toEqual(holds ? { ok: true } : expect.objectContaining({ refusal: 'status_revoked' }));
  });

  it.each([
    [0, true],
    [1, true],
    [4, false],
    [6, false],
  ])('with two bits, where suspended counts as revoked, entry %i holds: %s', async (index, holds) => {
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
    // Inflates to more than any list has.
    ['status_list_malformed', { compressed: deflateSync(new Uint8Array(13_000_000)) }],
    ['status_list_malformed', { type: 'other' }],
    ['certificate_missing', { chain: [] }],
  ])('is refused: %s %j', async (refusal, options, index = 0) => {
    expect(await verify(await make(options), index)).toMatchObject({ ok: false, refusal });
  });

  it('is refused when somebody else signed it', async () => {
    const token = await make({ chain: stranger.chain });
    expect(await verify(token, 0)).toMatchObject({ refusal: 'certificate_signature' });
  });

  it('is refused when it was altered', async () => {
    const token = await make({});
    const altered = typeof token === 'string' ? token.replace(/\..*\./, '.e30.') : token.with(-1, token.at(-1)! ^ 1);
    expect(await verify(altered, 0)).toMatchObject({ refusal: 'status_list_signature' });
  });
});

function verify(token: string | Uint8Array, index: number) {
  return verifyStatus({ uri: URI, index }, token, { profile: 'mdl', anchors: [issuer.anchor], now: NOW });
}

async function makeJwt(options: ListOptions): Promise<string> {
  const { subject = URI, expiresAt, bits = 1, compressed = deflateSync(LIST), type = 'statuslist+jwt' } = options;
  const chain = options.chain ?? issuer.chain;
  const claims = {
    sub: subject,
    iat: 'issuedAt' in options ? options.issuedAt : SECONDS,
    exp: expiresAt,
    status_list: { bits, lst: Buffer.from(compressed).toString('base64url') },
  };
  const x5c = chain.map((der) => Buffer.from(der).toString('base64'));
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256', typ: type, ...(x5c.length > 0 ? { x5c } : {}) })
    .sign(issuer.signingKey as webcrypto.CryptoKey);
}

async function makeCwt(options: ListOptions): Promise<Uint8Array> {
  const { subject = URI, expiresAt, bits = 1, compressed = deflateSync(LIST) } = options;
  const chain = options.chain ?? issuer.chain;
  const issuedAt = 'issuedAt' in options ? options.issuedAt : SECONDS;
  const claims = new Map<number, unknown>([
    [2, subject],
    [
      65533,
      new Map<string, unknown>([
        ['bits', bits],
        ['lst', compressed],
      ]),
    ],
  ]);
  if (issuedAt !== undefined) claims.set(6, issuedAt);
  if (expiresAt !== undefined) claims.set(4, expiresAt);
  const message = await signCose(issuer.signingKey, encodeCbor(claims), {
    x5chain: chain.length === 0 ? undefined : chain[0],
    type: options.type ?? 'application/statuslist+cwt',
  });
  return encodeCbor(message);
}
