// Verifies the signature on a device's call.
import { createHash } from 'node:crypto';
import { POINT_BYTES, readPoint, SIGNATURE_BYTES, verifySignature } from '@limen/p256';

const PROTOCOL = 'limen-device-v1';
const COUNTER = /^[1-9][0-9]{0,15}$/;

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
  const point = decodeOnly(key, POINT_BYTES);
  const publicKey = point && readPoint(point);
  return bytes && publicKey ? verifySignature(publicKey, Buffer.from(text), bytes) : false;
}

/** Refuses a second spelling of the same bytes: with two spellings of its key, a device could pass for two. */
function decodeOnly(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === length && bytes.toString('base64url') === text ? bytes : undefined;
}
