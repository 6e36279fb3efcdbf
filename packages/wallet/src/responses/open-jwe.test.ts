// Encrypted responses created by jose, and invalid ones.
import { createCipheriv, createHash, diffieHellman, generateKeyPairSync, randomBytes } from 'node:crypto';
import { readPoint } from '@limen/p256';
import { CompactEncrypt, type CompactJWEHeaderParameters, importJWK, type JWK } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { writePoint } from '../cose/key.ts';
import { describeRefusal } from '../refusals.ts';
import { type AnswerKey, deriveAnswerKey } from '../requests/answer-key.ts';
import { openJwe } from './open-jwe.ts';

const MESSAGE = '{"vp_token":"ÿ"}';
let ours: AnswerKey;

beforeAll(async () => {
  ours = await deriveAnswerKey(new Uint8Array(32).fill(1));
});

interface Making {
  header?: Partial<CompactJWEHeaderParameters>;
  key?: JWK;
  parties?: boolean;
}

async function encrypt({ header = {}, key = ours.publicJwk, parties = false }: Making = {}): Promise<string> {
  const making = new CompactEncrypt(Buffer.from(MESSAGE)).setProtectedHeader({
    alg: 'ECDH-ES',
    enc: 'A128GCM',
    ...header,
  });
  if (parties) making.setKeyManagementParameters({ apu: Buffer.from('wallet'), apv: Buffer.from('nonce') });
  return making.encrypt(await importJWK(key, 'ECDH-ES'));
}

function refusalOf(jwe: string): string | null {
  try {
    openJwe(jwe, ours.privateJwk);
    return null;
  } catch (error) {
    return describeRefusal(error).refusal;
  }
}

/** Changes one of its five parts. */
function change(jwe: string, at: number, by: (part: string) => string): string {
  return jwe
    .split('.')
    .map((part, index) => (index === at ? by(part) : part))
    .join('.');
}

const rewriteHeader = (jwe: string, by: (header: Record<string, unknown>) => object) =>
  change(jwe, 0, (part) =>
    Buffer.from(JSON.stringify(by(JSON.parse(Buffer.from(part, 'base64url').toString())))).toString('base64url'),
  );

describe('an encrypted response', () => {
  it.each<[string, Making]>([
    ['with a key of 128 bits', {}],
    ['with a key of 256 bits', { header: { enc: 'A256GCM' } }],
    ['that names both parties', { parties: true }],
    ['that names our key', { header: { kid: 'answer' } }],
  ])('with %s opens', async (_, making) => {
    expect(openJwe(await encrypt(making), ours.privateJwk)).toBe(MESSAGE);
  });

  it('for another key does not open', async () => {
    const { publicJwk } = await deriveAnswerKey(new Uint8Array(32).fill(2));
    expect(refusalOf(await encrypt({ key: publicJwk }))).toBe('answer_not_decryptable');
  });

  it.each<[string, Making]>([
    ['wraps its key', { header: { alg: 'ECDH-ES+A128KW' } }],
    ['has another cipher', { header: { enc: 'A128CBC-HS256' } }],
  ])('with %s is refused', async (_, making) => {
    expect(refusalOf(await encrypt(making))).toMatch(/answer_(malformed|not_decryptable)/);
  });

  it('authenticates all of its parts', async () => {
    const jwe = await encrypt({ parties: true });
    const flip = (part: string) => `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}`;
    for (const at of [2, 3, 4]) expect(refusalOf(change(jwe, at, flip))).toBe('answer_not_decryptable');
    expect(refusalOf(rewriteHeader(jwe, (header) => ({ ...header, kid: 'x' })))).toBe('answer_not_decryptable');
    expect(refusalOf(rewriteHeader(jwe, (header) => ({ ...header, apu: '' })))).toBe('answer_not_decryptable');
  });

  it.each<[string, (jwe: string) => string, string]>([
    ['has no parts', () => 'x', 'answer_malformed'],
    ['has a part too many', (jwe) => `${jwe}.`, 'answer_malformed'],
    ['has a key beside the agreed one', (jwe) => change(jwe, 1, () => 'AAAA'), 'answer_malformed'],
    ['is not base64url', (jwe) => change(jwe, 3, (part) => `${part}=`), 'answer_malformed'],
    ['has bits that say nothing', (jwe) => change(jwe, 4, setLastBit), 'answer_malformed'],
    ['has a short nonce', (jwe) => change(jwe, 2, () => 'AAAA'), 'answer_malformed'],
    ['has a short tag', (jwe) => change(jwe, 4, (part) => part.slice(0, 8)), 'answer_malformed'],
    ['has a list as its header', (jwe) => change(jwe, 0, () => 'W10'), 'answer_malformed'],
    ['has no JSON as its header', (jwe) => change(jwe, 0, () => 'AAAA'), 'answer_malformed'],
    ['has no ephemeral key', (jwe) => rewriteHeader(jwe, ({ epk: _, ...rest }) => rest), 'answer_malformed'],
    ['has a party that is no text', (jwe) => rewriteHeader(jwe, (all) => ({ ...all, apv: 1 })), 'answer_malformed'],
    ['must be understood', (jwe) => rewriteHeader(jwe, (all) => ({ ...all, crit: ['b64'] })), 'answer_not_decryptable'],
    ['is compressed', (jwe) => rewriteHeader(jwe, (all) => ({ ...all, zip: 'DEF' })), 'answer_not_decryptable'],
    ['has a key on no curve', (jwe) => rewriteHeader(jwe, offCurve), 'answer_not_decryptable'],
    ['has a key on another curve', (jwe) => rewriteHeader(jwe, otherCurve), 'answer_not_decryptable'],
  ])('is refused if %s', async (_, by, refusal) => {
    expect(refusalOf(by(await encrypt()))).toBe(refusal);
  });
});

/** Headers are authenticated, so a malicious sender writes them before encryption. */
describe('an encrypted response whose sender states', () => {
  it.each<[string, Record<string, unknown>, string | null]>([
    ['nothing unusual', {}, null],
    ['that its key is wrapped', { alg: 'ECDH-ES+A128KW' }, 'answer_not_decryptable'],
    ['that it has no algorithm', { alg: 'none' }, 'answer_not_decryptable'],
    ['that its key was known before', { alg: 'dir' }, 'answer_not_decryptable'],
    ['an unknown cipher', { enc: 'A192GCM' }, 'answer_not_decryptable'],
    ['no cipher', { enc: undefined }, 'answer_not_decryptable'],
    ['that it is compressed', { zip: 'DEF' }, 'answer_not_decryptable'],
    ['that something must be understood', { crit: ['b64'] }, 'answer_not_decryptable'],
    ['that something must be understood, and not what', { crit: [] }, 'answer_not_decryptable'],
    ['that its key is null', { epk: null }, 'answer_malformed'],
    ['that its key is a number', { epk: 1 }, 'answer_malformed'],
    ['that its key is symmetric', { epk: { kty: 'oct' } }, 'answer_not_decryptable'],
    ['that its key is on another curve', { epk: { crv: 'secp256k1' } }, 'answer_not_decryptable'],
    ['a number as its key’s x', { epk: { x: 1 } }, 'answer_not_decryptable'],
    ['a number as its key’s y', { epk: { y: 1 } }, 'answer_not_decryptable'],
  ])('%s is refused', (_, header, refusal) => {
    expect(refusalOf(sealWith(header))).toBe(refusal);
  });

  it.each(['1', 'null', '"text"'])('a header of %s is refused', (header) => {
    const [, ...rest] = sealWith({}).split('.');
    expect(refusalOf([Buffer.from(header).toString('base64url'), ...rest].join('.'))).toBe('answer_malformed');
  });
});

/** Derived as in RFC 7518, 4.6, for any header. */
function sealWith({ epk: key = {}, ...header }: Record<string, unknown>): string {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const secret = diffieHellman({ privateKey, publicKey: readPoint(writePoint(ours.publicJwk))! });
  const number = (value: number) => Buffer.of(0, 0, 0, value);
  const parts = [number(1), secret, number(7), Buffer.from('A128GCM'), number(0), number(0), number(128)];
  const contentKey = createHash('sha256').update(Buffer.concat(parts)).digest().subarray(0, 16);
  const epk = typeof key === 'object' && key !== null ? { ...publicKey.export({ format: 'jwk' }), ...key } : key;
  const written = Buffer.from(JSON.stringify({ alg: 'ECDH-ES', enc: 'A128GCM', epk, ...header })).toString('base64url');
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-128-gcm', contentKey, nonce).setAAD(Buffer.from(written));
  const sealed = Buffer.concat([cipher.update(MESSAGE), cipher.final()]);
  return [written, '', ...[nonce, sealed, cipher.getAuthTag()].map((one) => one.toString('base64url'))].join('.');
}

function offCurve(header: Record<string, unknown>): object {
  const { x } = header['epk'] as JWK;
  return { ...header, epk: { ...(header['epk'] as JWK), y: x } };
}

function otherCurve(header: Record<string, unknown>): object {
  return { ...header, epk: { ...(header['epk'] as JWK), crv: 'P-384' } };
}

/** The last of 22 characters has two bits of the tag and four zero bits. */
function setLastBit(tag: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return tag.slice(0, -1) + alphabet[alphabet.indexOf(tag.slice(-1)) + 1];
}
