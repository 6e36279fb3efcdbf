// Bearer tokens of an identity provider: an `onRequest` hook that accepts a valid token or none.
import type { FastifyRequest } from 'fastify';
import { errors, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { AppError, unavailable } from '../../base/errors.ts';
import { createOutbound } from '../../outbound/guarded-fetch.ts';
import { createBearerKeys } from './keys.ts';

const LEEWAY_SECONDS = 60;
/** Room for many claims. Header and body are parsed before the signature is checked. */
const MAX_TOKEN_CHARACTERS = 8_192;
const FETCH_TIMEOUT_MS = 5_000;
/** Public-key algorithms only: with a shared key, everyone who can check a token can make one. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

export interface BearerIssuer {
  /** Exactly as in the `iss` claim */
  issuer: string;
  audience: string;
  jwksUrl: string;
}

interface BearerOptions extends BearerIssuer {
  clock: Clock;
  log: Logger;
  fetchTimeoutMs?: number;
  monotonicNow?: () => number;
}

export type Bearer = ReturnType<typeof createBearer>;

export function createBearer(options: BearerOptions) {
  const { issuer, audience, jwksUrl, clock, log, fetchTimeoutMs = FETCH_TIMEOUT_MS } = options;
  const { monotonicNow = () => performance.now() } = options;
  const outbound = createOutbound({
    allowPrivate: true, // the operator chose the address
    maxConcurrent: 1,
    headersTimeoutMs: fetchTimeoutMs,
    idleTimeoutMs: fetchTimeoutMs,
    totalTimeoutMs: fetchTimeoutMs,
    maxRedirects: 0,
  });
  const findKey = createBearerKeys({ url: jwksUrl, outbound, log, monotonicNow });
  const wanted: JWTVerifyOptions = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    clockTolerance: LEEWAY_SECONDS,
    requiredClaims: ['exp'],
  };

  return {
    /** `onRequest` hook: refuses a bad token before a byte of the body is read. The API key decides about requests without one. */
    async check({ headers }: FastifyRequest): Promise<void> {
      const token = readBearerToken(headers.authorization);
      if (token === undefined) return;
      if (token.length > MAX_TOKEN_CHARACTERS) {
        throw refuse(`The bearer token is longer than ${MAX_TOKEN_CHARACTERS} characters.`);
      }
      try {
        await jwtVerify(token, findKey, { ...wanted, currentDate: new Date(clock.now()) });
      } catch (error) {
        const refusal = toRefusal(error);
        if (refusal.internal) log.warn({ reason: refusal.internal }, 'a bearer token could not be checked');
        throw refusal;
      }
    },
    close: () => outbound.close(),
  };
}

/** Returns undefined for other schemes, such as the client credentials of HTTP Basic. */
function readBearerToken(authorization: string | undefined): string | undefined {
  const match = /^bearer(?: +(.*))?$/is.exec(authorization ?? '');
  return match ? (match[1] ?? '').trim() : undefined;
}

/** Names the failed check, and nothing of the token: it is a credential, and its claims are personal. */
function toRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof errors.JWTExpired) return refuse('The bearer token has expired; get a new one.');
  if (error instanceof errors.JWTClaimValidationFailed) return refuse(describeClaim(error.claim, error.reason));
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return refuse(`The bearer token must be signed with one of ${ALGORITHMS.join(', ')}.`);
  }
  if (error instanceof errors.JWKSNoMatchingKey) {
    return refuse('The bearer token is signed with a key that its issuer does not publish.');
  }
  if (error instanceof errors.JWKSMultipleMatchingKeys) {
    return refuse('The bearer token does not say which of the issuer’s keys it is signed with; it needs a `kid`.');
  }
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return refuse('The signature of the bearer token is wrong.');
  if (error instanceof errors.JWKSInvalid || !(error instanceof errors.JOSEError)) {
    const options = { internal: 'A key of OIDC_JWKS_URL cannot be used.', cause: error };
    return unavailable('The issuer’s key for this bearer token is unusable; ask its operator.', 60, options);
  }
  return refuse('The bearer token is not a signed JWT.');
}

function describeClaim(claim: string, reason: string): string {
  if (reason === 'missing') return `The bearer token lacks the claim \`${claim}\`.`;
  if (claim === 'iss') return 'The bearer token comes from another issuer, not the one this service trusts.';
  if (claim === 'aud') return 'The bearer token is meant for another audience, not for this service.';
  if (claim === 'nbf' && reason === 'check_failed') return 'The bearer token is not valid yet.';
  return `The bearer token’s claim \`${claim}\` is not valid.`;
}

function refuse(sentence: string): AppError {
  const headers = { 'www-authenticate': 'Bearer error="invalid_token"' };
  return new AppError('invalid_bearer_token', sentence, { headers });
}
