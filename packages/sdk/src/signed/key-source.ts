// Public keys of a service: given, or fetched and cached as long as the service allows.
import { SignedError } from './signed-error.ts';

/** A JSON Web Key Set, as served by `/.well-known/jwks.json`. */
export interface KeySet {
  keys: readonly unknown[];
}

/** WebCrypto's key type, which platforms declare differently. */
export type VerifyingKey = Parameters<typeof crypto.subtle.verify>[1];

export interface KeySourceOptions {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  now: () => number;
}

interface Fetched {
  keys: readonly PublicJwk[];
  at: number;
}

interface PublicJwk {
  kid: string;
  x: string;
  y: string;
}

const KEPT_MS = 300_000;
/** Minimum interval between fetches for unknown key ids, so that made-up ids cannot cause more. */
const COOLDOWN_MS = 30_000;
const TIMEOUT_MS = 10_000;
/** Maximum size of a key set: several thousand keys, where the service has a few dozen. */
const MAX_CHARACTERS = 1_000_000;
/** Maximum number of cached sets. A host has one service, perhaps two. */
const MAX_SOURCES = 50;

const kept = new Map<string, Fetched>();
const underWay = new Map<string, Promise<Fetched>>();

/** Returns the key with this id for verifying ES256, or undefined. */
export async function findGivenKey(set: KeySet, kid: string): Promise<VerifyingKey | undefined> {
  if (typeof set !== 'object' || set === null || !Array.isArray(set.keys)) {
    throw new TypeError('jwks must be a key set: { keys: […] }');
  }
  return importKey(readKeys(set), kid);
}

/** Returns the key from a fetched set. Unknown ids cause one extra fetch, rate-limited. */
export async function findFetchedKey(
  url: string,
  kid: string,
  options: KeySourceOptions,
): Promise<VerifyingKey | undefined> {
  const known = kept.get(url);
  const age = known ? options.now() - known.at : Number.POSITIVE_INFINITY;
  const isFresh = age >= 0 && age < KEPT_MS;
  const found = known && isFresh && (await importKey(known.keys, kid));
  if (found) return found;
  if (isFresh && age < COOLDOWN_MS) return undefined;
  return importKey((await fetchOnce(url, options)).keys, kid);
}

/** Concurrent calls share the fetch. A failure keeps the cached set. */
function fetchOnce(url: string, options: KeySourceOptions): Promise<Fetched> {
  const begun = underWay.get(url);
  if (begun !== undefined) return begun;
  const fetching = fetchKeys(url, options)
    .then((fetched) => {
      if (kept.size >= MAX_SOURCES) kept.clear();
      kept.set(url, fetched);
      return fetched;
    })
    .finally(() => underWay.delete(url));
  underWay.set(url, fetching);
  return fetching;
}

async function fetchKeys(url: string, { fetch, now }: KeySourceOptions): Promise<Fetched> {
  const at = now();
  try {
    const init = {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    };
    const response = await fetch(url, init as RequestInit);
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    const text = await response.text();
    if (text.length > MAX_CHARACTERS) throw new Error('too large');
    return { keys: readKeys(JSON.parse(text)), at };
  } catch (cause) {
    throw new SignedError('keys_unavailable', 'The public keys of the service could not be fetched.', cause);
  }
}

/** Returns the keys for ES256. Keys for other purposes are ignored. */
function readKeys(set: unknown): PublicJwk[] {
  const { keys } = (set ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error('not a key set');
  return keys.filter(isForEs256);
}

function isForEs256(key: unknown): key is PublicJwk {
  if (typeof key !== 'object' || key === null) return false;
  const { kty, crv, kid, alg = 'ES256', use = 'sig', x, y } = key as Record<string, unknown>;
  if (kty !== 'EC' || crv !== 'P-256' || alg !== 'ES256' || use !== 'sig') return false;
  return typeof kid === 'string' && typeof x === 'string' && typeof y === 'string';
}

async function importKey(keys: readonly PublicJwk[], kid: string): Promise<VerifyingKey | undefined> {
  const key = keys.find((key) => key.kid === kid);
  if (!key) return undefined;
  const { x, y } = key;
  const jwk = { kty: 'EC', crv: 'P-256', x, y };
  return crypto.subtle.importKey('jwk', jwk, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['verify']);
}
