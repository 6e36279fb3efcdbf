// Opens an encrypted response (OpenID4VP 1.0, 8.3): a compact JWE (RFC 7516) with ECDH-ES to this
// request's key and AES-GCM, and no other kind of JWE. Uses Node's ciphers, as the HPKE code does.
import { createDecipheriv, createHash, createSecretKey, diffieHellman, type KeyObject } from 'node:crypto';
import { readPoint } from '@limen/p256';
import type { JWK } from 'jose';
import { importAnswerKey, writePoint } from '../cose/key.ts';
import { refuse } from '../refusals.ts';
import { CONTENT_ENCRYPTIONS, type ContentEncryption, KEY_AGREEMENT } from '../requests/openid4vp-request.ts';
import { parseJson } from './read-answer.ts';

const CIPHERS = {
  A128GCM: { cipher: 'aes-128-gcm', keyBits: 128 },
  A256GCM: { cipher: 'aes-256-gcm', keyBits: 256 },
} as const;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Refuses headers that declare critical extensions or compression, which are not used here. */
const UNKNOWN_PARAMETERS = ['crit', 'zip'];

export function openJwe(jwe: string, answerKey: JWK): string {
  const parts = jwe.split('.');
  const [header, encryptedKey, ...rest] = parts;
  if (parts.length !== 5 || header === undefined || encryptedKey !== '') return refuse('answer_malformed');
  const parameters = readHeader(header);
  const [nonce, ciphertext, tag] = rest.map(decode);
  if (nonce?.length !== NONCE_BYTES || !ciphertext || tag?.length !== TAG_BYTES) return refuse('answer_malformed');
  const encryption = CONTENT_ENCRYPTIONS.find((name) => name === parameters['enc']);
  const isUnknown = UNKNOWN_PARAMETERS.some((name) => parameters[name] !== undefined);
  if (parameters['alg'] !== KEY_AGREEMENT || !encryption || isUnknown) return refuse('answer_not_decryptable');
  const key = createSecretKey(deriveKey(answerKey, parameters, encryption));
  const decipher = createDecipheriv(CIPHERS[encryption].cipher, key, nonce, { authTagLength: TAG_BYTES });
  // RFC 7516, 5.2, step 14: the header as received.
  decipher.setAAD(Buffer.from(header, 'ascii'));
  decipher.setAuthTag(tag);
  const opened = decipher.update(ciphertext);
  try {
    decipher.final();
  } catch {
    return refuse('answer_not_decryptable');
  }
  return opened.toString('utf8');
}

type Parameters = Readonly<Record<string, unknown>>;

function readHeader(header: string): Parameters {
  const parameters: unknown = parseJson(decode(header).toString('utf8'));
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) {
    return refuse('answer_malformed');
  }
  return parameters as Parameters;
}

/**
 * RFC 7518, 4.6: key agreement with the sender's ephemeral key, then one round of Concat KDF,
 * because no key is longer than the hash.
 */
function deriveKey(answerKey: JWK, parameters: Parameters, encryption: ContentEncryption): Buffer {
  const publicKey = readEphemeralKey(parameters['epk']);
  const secret = diffieHellman({ privateKey: importAnswerKey(answerKey), publicKey });
  const { keyBits } = CIPHERS[encryption];
  return createHash('sha256')
    .update(number(1))
    .update(secret)
    .update(withLength(Buffer.from(encryption)))
    .update(withLength(readParty(parameters['apu'])))
    .update(withLength(readParty(parameters['apv'])))
    .update(number(keyBits))
    .digest()
    .subarray(0, keyBits / 8);
}

function readEphemeralKey(epk: unknown): KeyObject {
  if (typeof epk !== 'object' || epk === null) return refuse('answer_malformed');
  const { kty, crv, x, y } = epk as Parameters;
  if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string') {
    return refuse('answer_not_decryptable');
  }
  return readPoint(writePoint({ x, y })) ?? refuse('answer_not_decryptable');
}

function readParty(info: unknown): Buffer {
  if (info === undefined) return Buffer.alloc(0);
  return typeof info === 'string' ? decode(info) : refuse('answer_malformed');
}

/** Accepts only canonical base64url: no padding, unused bits zero. */
function decode(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : refuse('answer_malformed');
}

function withLength(bytes: Buffer): Buffer {
  return Buffer.concat([number(bytes.length), bytes]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
