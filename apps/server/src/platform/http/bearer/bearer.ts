// Bearer tokens of an identity provider: an `onRequest` hook that lets a request through with a good one or with none.
import type { FastifyRequest } from 'fastify';
import { errors, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { createOutbound } from '../../outbound/guarded-fetch.ts';
import { createBearerKeys } from './keys.ts';

/** Clocks of two machines may differ by this much. */
const LEEWAY_SECONDS = 60;
/** Room for many claims; header and body are parsed before the signature is known to be right. */
const MAX_TOKEN_CHARACTERS = 8_192;
const FETCH_TIMEOUT_MS = 5_000;
/** Only such whose verifying key is public: with a shared one, whoever can check a token could make one. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

export interface BearerIssuer {
  /** As the `iss` claim has it, to the letter. */
  issuer: string;
  audience: string;
  jwksUrl: string;
}

interface BearerOptions extends BearerIssuer {
  clock: Clock;
  log: Logger;
  fetchTimeoutMs?: number;
  /** The age of the issuer's keys is measured on it. */
  monotonicNow?: () => number;
}

export interface Bearer {
  /**
   * An `onRequest` hook, so that a bad token is refused before a byte of the body is read. A request without a bearer
   * token is let through: it is for the API key to say who calls.
   */
  check(request: FastifyRequest): Promise<void>;
  close(): Promise<void>;
}

export function createBearer(options: BearerOptions): Bearer {
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
    async check({ headers }) {
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

/** Undefined for no header and for other schemes, such as the client credentials of HTTP Basic. */
function readBearerToken(authorization: string | undefined): string | undefined {
  const match = /^bearer(?: +(.*))?$/is.exec(authorization ?? '');
  return match ? (match[1] ?? '').trim() : undefined;
}

/** Which check failed, without a word of the token: it is a credential, and its claims are personal. */
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
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return refuse('The signature of the bearer token is wrong.');
  }
  if (error instanceof errors.JWKSInvalid || !(error instanceof errors.JOSEError)) {
    // What is left is a published key that cannot be used: too short, or not one at all.
    return new AppError('unavailable', 'The issuer’s key for this bearer token cannot be used; ask its operator.', {
      headers: { 'retry-after': '60' },
      internal: 'A key of OIDC_JWKS_URL cannot be used.',
      cause: error,
    });
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
  return new AppError('invalid_bearer_token', sentence, {
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  });
}
