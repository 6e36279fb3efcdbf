// Verifies the signature on a device's call.
import { createHash, type KeyObject } from 'node:crypto';
import { POINT_BYTES, readPoint, SIGNATURE_BYTES, verifySignature } from '@limen/p256';

const PROTOCOL = 'limen-device-v1';
const COUNTER = /^[1-9][0-9]{0,15}$/;
const knownKeys = createKnownKeys(256, readDeviceKey);

/** Device that signed a call. */
export interface Signer {
  key: string;
  counter: number;
}

interface SignedCall {
  method: string;
  sessionId: string;
  /** Empty for the view. */
  operation: string;
  body: Uint8Array;
  key: string;
  counter: string;
  signature: string;
}

/** Returns undefined unless the text is the only spelling of a whole number. */
export function readCounter(text: string): number | undefined {
  const count = COUNTER.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(count) ? count : undefined;
}

/** Returns undefined unless counter, key and signature are valid. */
export async function verifyCall(call: SignedCall): Promise<Signer | undefined> {
  const { method, sessionId, operation, body, key, counter, signature } = call;
  const count = readCounter(counter);
  if (count === undefined) return undefined;
  const path = `/device/sessions/${sessionId}${operation === '' ? '' : `/${operation}`}`;
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const text = [PROTOCOL, method, path, bodyHash, counter].join('\n');
  return (await verifyText(text, key, signature)) ? { key, counter: count } : undefined;
}

/** Returns whether this key signed the text. Key and signature are base64url. */
export async function verifyText(text: string, key: string, signature: string): Promise<boolean> {
  const bytes = decodeOnly(signature, SIGNATURE_BYTES);
  if (!bytes) return false;
  return knownKeys.check(key, (publicKey) => verifySignature(publicKey, Buffer.from(text), bytes));
}

function readDeviceKey(text: string): KeyObject | undefined {
  const point = decodeOnly(text, POINT_BYTES);
  return (point && readPoint(point)) ?? undefined;
}

/** Refuses a second spelling of the same bytes: with two spellings of its key, a device could pass for two. */
function decodeOnly(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === length && bytes.toString('base64url') === text ? bytes : undefined;
}

/** Creates an LRU cache of up to `max` keys. `read` returns undefined for a text that is not a key. */
export function createKnownKeys(max: number, read: (text: string) => KeyObject | undefined) {
  /** Least recently used first. */
  const keys = new Map<string, KeyObject>();
  return {
    /**
     * Returns whether the key of this text passes the check. Only keys that pass are cached.
     * Otherwise keys that signed nothing could evict those of real devices.
     */
    async check(text: string, stands: (key: KeyObject) => Promise<boolean>) {
      const key = keys.get(text) ?? read(text);
      if (!key || !(await stands(key))) return false;
      keys.delete(text);
      const [oldest] = keys.keys();
      if (oldest !== undefined && keys.size >= max) keys.delete(oldest);
      keys.set(text, key);
      return true;
    },
  };
}
