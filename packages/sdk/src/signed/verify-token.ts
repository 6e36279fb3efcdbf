// Verifies a JWT of the service: format, algorithm, type, key, signature, claims, in this order.
// Before the signature, only the key id is used.
import type { SignedClaims, SignedType } from '@limen/contract';
import { findFetchedKey, findGivenKey, type KeySet, type VerifyingKey } from './key-source.ts';
import { SignedError } from './signed-error.ts';

export interface VerifySignedOptions {
  /** URL of the service's keys: `https://…/.well-known/jwks.json`. Either this or `jwks`. */
  jwksUrl?: string | undefined;
  /** The keys themselves, for use without a network. */
  jwks?: KeySet | undefined;
  /** Your customer id, or the id of your API key if it has none. `limen keys list` shows both. */
  audience: string;
  /** `PUBLIC_URL` of the service. */
  issuer: string;
  /** Also accepts tokens of the test world, whose outcomes are simulated. Never in production. */
  allowTest?: boolean | undefined;
  /** Tolerated clock difference in seconds. Default: 60. */
  toleranceSeconds?: number | undefined;
  /** fetch implementation. Default: the platform's. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Milliseconds since 1970. For tests. */
  now?: (() => number) | undefined;
}

export interface VerifiedToken {
  type: SignedType;
  claims: SignedClaims & Record<string, unknown>;
  /** Payload as signed. */
  text: string;
}

const TOKEN = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;
/** Two numbers of 256 bits in canonical encoding: unused bits are zero. */
const SIGNATURE = /^[\w-]{85}[AQgw]$/;
const DEFAULT_TOLERANCE_SECONDS = 60;

export async function verifyToken(
  jwt: string,
  types: readonly SignedType[],
  options: VerifySignedOptions,
): Promise<VerifiedToken> {
  checkOptions(jwt, options);
  const [, header = '', payload = '', signature = ''] = TOKEN.exec(jwt) ?? [];
  const { alg, typ, kid, crit } = readObject(header);
  // RFC 8725, 3.1: the verifier chooses the algorithm, not the token.
  if (alg !== 'ES256') throw new SignedError('wrong_algorithm', 'The token is not signed with ES256.');
  // RFC 7515, 4.1.11: unknown critical headers must be rejected.
  if (crit !== undefined || typeof kid !== 'string') throw malformed();
  // RFC 8725, 3.11: one kind of token must not pass for another.
  const type = types.find((type) => type === typ);
  if (!type) throw new SignedError('wrong_type', 'The token is not of the requested kind.');
  // Only published keys count. Keys in the token (jwk, jku, x5c) are ignored.
  const key = await findKey(kid, options);
  if (!key) throw new SignedError('unknown_key', 'No published key has the id in the token.');
  const signed = new TextEncoder().encode(`${header}.${payload}`);
  if (!SIGNATURE.test(signature) || !(await holds(key, decode(signature), signed))) {
    throw new SignedError('wrong_signature', 'The token was modified, or signed by someone else.');
  }
  const text = decodeText(payload);
  const claims = readClaims(parseObject(text));
  checkClaims(claims, kid, options);
  return { type, claims, text };
}

function checkOptions(jwt: unknown, { jwksUrl, jwks, audience, issuer, toleranceSeconds }: VerifySignedOptions): void {
  if (typeof jwt !== 'string') throw new TypeError('jwt must be the token, as text');
  if ((jwksUrl === undefined) === (jwks === undefined)) throw new TypeError('pass either jwksUrl or jwks');
  for (const [name, value] of Object.entries({ audience, issuer })) {
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a non-empty text`);
  }
  if (toleranceSeconds !== undefined && !(toleranceSeconds >= 0)) {
    throw new TypeError('toleranceSeconds must be 0 or more');
  }
}

function findKey(kid: string, { jwks, jwksUrl = '', fetch, now = Date.now }: VerifySignedOptions) {
  if (jwks) return findGivenKey(jwks, kid);
  return findFetchedKey(jwksUrl, kid, { fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)), now });
}

async function holds(key: VerifyingKey, signature: Uint8Array<ArrayBuffer>, signed: Uint8Array<ArrayBuffer>) {
  return crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, signature, signed);
}

function readClaims(payload: Record<string, unknown>): VerifiedToken['claims'] {
  const { iss, aud, iat, exp, world } = payload;
  const areTexts = typeof iss === 'string' && typeof aud === 'string';
  if (!areTexts || !Number.isFinite(iat) || !Number.isFinite(exp) || (world !== 'live' && world !== 'test')) {
    throw malformed();
  }
  return payload as VerifiedToken['claims'];
}

function checkClaims({ iss, aud, iat, exp, world }: SignedClaims, kid: string, options: VerifySignedOptions): void {
  const { issuer, audience, allowTest = false, toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = Date.now } = options;
  if (iss !== issuer) throw new SignedError('wrong_issuer', 'The token is from another service.');
  if (aud !== audience) throw new SignedError('wrong_audience', 'The token is for another customer.');
  // The key was found by this id, which names the world it signs for.
  if (!kid.startsWith(`${world}-`)) {
    throw new SignedError('wrong_world', 'The token is signed by a key of the other world.');
  }
  if (world === 'test' && allowTest !== true) {
    throw new SignedError(
      'test_world',
      'The token is from the test world, in which anyone with a test key chooses outcomes.',
    );
  }
  const seconds = now() / 1000;
  if (seconds >= exp + toleranceSeconds) throw new SignedError('expired', 'The token has expired. Request a new one.');
  if (seconds < iat - toleranceSeconds) {
    throw new SignedError('not_yet_valid', 'The token was signed in the future, by this clock.');
  }
}

function readObject(part: string): Record<string, unknown> {
  return parseObject(decodeText(part));
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed(); // the parser's error quotes the text
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed();
  return value as Record<string, unknown>;
}

function decodeText(part: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(decode(part));
  } catch {
    throw malformed();
  }
}

function decode(part: string): Uint8Array<ArrayBuffer> {
  try {
    const bytes = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
  } catch {
    throw malformed();
  }
}

function malformed(): SignedError {
  return new SignedError('malformed', "The text is not a token in Limen's format.");
}
