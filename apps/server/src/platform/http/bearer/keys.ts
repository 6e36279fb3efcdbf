// The public keys of the token issuer: fetched when needed, kept for a while, and fetched again when one is missing.
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Logger } from 'pino';
import { AppError } from '../../base/errors.ts';
import { OutboundError } from '../../outbound/error.ts';
import type { Outbound, OutboundReply } from '../../outbound/guarded-fetch.ts';
import { readText } from '../../outbound/guarded-fetch.ts';

/** The first token after this has the keys fetched again, so that a withdrawn one is not believed for long. */
const FRESH_MS = 10 * 60_000;
/** How long keys serve without the issuer's answer; nobody has to wait for it until then. */
const STALE_MS = 60 * 60_000;
/** Least time between two fetches: tokens with key ids that nobody has do not become calls to the issuer. */
const COOLDOWN_MS = 10_000;
/** A set of keys with their certificates is a few tens of KB. */
const MAX_BYTES = 256 * 1024;

interface Fetched {
  findKey: JWTVerifyGetKey;
  at: number;
}

interface BearerKeysOptions {
  url: string;
  outbound: Outbound;
  log: Logger;
  /** Milliseconds on a clock that is never set: one set back would make old keys young. */
  monotonicNow: () => number;
}

/** Finds the key that a token names. Throws jose's `JWKSNoMatchingKey`, or `unavailable` when the keys cannot be had. */
export function createBearerKeys({ url, outbound, log, monotonicNow }: BearerKeysOptions): JWTVerifyGetKey {
  let keys: Fetched | undefined;
  let lastTry = Number.NEGATIVE_INFINITY;
  let failing = false;
  let running: Promise<void> | undefined;

  return async (header, token) => {
    if (ageOf(keys) >= STALE_MS) await refresh();
    // Beside the request: an issuer that hangs must not hold up those whose keys are known.
    else if (ageOf(keys) >= FRESH_MS) void refresh();
    if (!keys || ageOf(keys) >= STALE_MS) throw unavailable();
    try {
      return await keys.findKey(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    // The issuer may have a new key since.
    await refresh();
    // Without its answer nobody can say that the key is not there.
    if (failing) throw unavailable();
    return keys.findKey(header, token);
  };

  function ageOf(fetched: Fetched | undefined): number {
    return fetched ? monotonicNow() - fetched.at : Number.POSITIVE_INFINITY;
  }

  /** Never rejects; all who wait share one call. */
  async function refresh(): Promise<void> {
    if (!running && monotonicNow() - lastTry < COOLDOWN_MS) return;
    running ??= fetchKeys().finally(() => {
      running = undefined;
    });
    await running;
  }

  async function fetchKeys(): Promise<void> {
    lastTry = monotonicNow();
    try {
      const findKey = createLocalJWKSet(await outbound.get(url, { headers: { accept: 'application/json' } }, readKeys));
      keys = { findKey, at: monotonicNow() };
      failing = false;
    } catch (error) {
      failing = true;
      log.warn({ reason: describe(error) }, 'the keys of OIDC_JWKS_URL could not be fetched');
    }
  }
}

async function readKeys(reply: OutboundReply): Promise<JSONWebKeySet> {
  if (reply.status !== 200) throw new OutboundError('invalid_reply', `It answered with the status ${reply.status}.`);
  return JSON.parse(await readText(reply, MAX_BYTES)) as JSONWebKeySet;
}

function unavailable(): AppError {
  return new AppError('unavailable', 'The token issuer’s keys cannot be fetched at the moment; try again soon.', {
    headers: { 'retry-after': String(COOLDOWN_MS / 1000) },
  });
}

/** For the operator, without anything that the issuer sent. */
function describe(error: unknown): string {
  if (error instanceof OutboundError) return error.message;
  return error instanceof SyntaxError || error instanceof errors.JWKSInvalid ? 'It is no set of keys.' : 'Unknown.';
}
