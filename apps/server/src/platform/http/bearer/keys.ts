// The public keys of the token issuer: cached, and fetched again if a key is missing.
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Logger } from 'pino';
import { unavailable } from '../../base/errors.ts';
import { OutboundError } from '../../outbound/error.ts';
import { type Outbound, type OutboundReply, readText } from '../../outbound/guarded-fetch.ts';

/** Age from which the next token triggers a fetch, so that a withdrawn key is not trusted for long */
const FRESH_MS = 10 * 60_000;
/** Age up to which keys are used while the issuer does not answer */
const STALE_MS = 60 * 60_000;
/** Minimum time between two fetches: tokens with unknown key ids must not flood the issuer. */
const COOLDOWN_MS = 10_000;
const MAX_BYTES = 256 * 1024;

interface BearerKeysOptions {
  url: string;
  outbound: Outbound;
  log: Logger;
  /** Milliseconds on a clock that is never set */
  monotonicNow: () => number;
}

/** Finds the key that a token names. Throws jose's `JWKSNoMatchingKey`, or `unavailable` if the keys cannot be fetched. */
export function createBearerKeys({ url, outbound, log, monotonicNow }: BearerKeysOptions): JWTVerifyGetKey {
  let keys: { findKey: JWTVerifyGetKey; at: number } | undefined;
  let lastTry = Number.NEGATIVE_INFINITY;
  let failing = false;
  let running: Promise<void> | undefined;

  return async (header, token) => {
    const isStale = () => !keys || monotonicNow() - keys.at >= STALE_MS;
    if (isStale()) await refresh();
    // In the background: a hanging issuer must not block tokens with known keys.
    else if (monotonicNow() - keys!.at >= FRESH_MS) void refresh();
    if (!keys || isStale()) throw keysUnavailable();
    try {
      return await keys.findKey(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    await refresh();
    // Without its answer, it is unknown whether the key exists.
    if (failing) throw keysUnavailable();
    return keys.findKey(header, token);
  };

  /** Never rejects. Concurrent callers share one fetch. */
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

function keysUnavailable(): Error {
  return unavailable('The token issuer’s keys cannot be fetched at the moment; try again soon.', COOLDOWN_MS / 1000);
}

/** For the operator; repeats nothing that the issuer sent. */
function describe(error: unknown): string {
  if (error instanceof OutboundError) return error.message;
  return error instanceof SyntaxError || error instanceof errors.JWKSInvalid ? 'It is not a key set.' : 'Unknown.';
}
