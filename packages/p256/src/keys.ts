// Converts P-256 keys between raw bytes and Node's key objects. Node gets PEM text, because it
// tries every other input as an object first, with exceptions, which takes three times as long.
// Either way it rejects points that are not on the curve.
import { createECDH, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** An uncompressed point (SEC 1, 2.3.4): 4, x, y. */
export const POINT_BYTES = 65;
const UNCOMPRESSED = 4;
const SCALAR_BYTES = 32;
/** Prefix of such a point in a SubjectPublicKeyInfo (RFC 5480, 2). */
const PUBLIC_HEAD = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');
/** RFC 5915, 3: parts around the private number and its point. */
const PRIVATE_HEAD = Buffer.from('30770201010420', 'hex');
const PRIVATE_MIDDLE = Buffer.from('a00a06082a8648ce3d030107a144034200', 'hex');

export interface BareKeys {
  /** 32 bytes. */
  scalar: Buffer;
  /** 65 bytes. */
  point: Buffer;
}

export function generateKeys(): BareKeys {
  const pair = createECDH('prime256v1');
  const point = pair.generateKeys();
  const number = pair.getPrivateKey();
  // Node drops leading zeros.
  return { scalar: Buffer.concat([Buffer.alloc(SCALAR_BYTES - number.length), number]), point };
}

export function importPrivateKey({ scalar, point }: BareKeys): KeyObject {
  return createPrivateKey(writePem('EC PRIVATE KEY', [PRIVATE_HEAD, scalar, PRIVATE_MIDDLE, point]));
}

/** Returns null for anything but an uncompressed point on the curve. */
export function readPoint(point: Uint8Array): KeyObject | null {
  if (point.length !== POINT_BYTES || point[0] !== UNCOMPRESSED) return null;
  try {
    return createPublicKey(writePem('PUBLIC KEY', [PUBLIC_HEAD, point]));
  } catch {
    return null;
  }
}

export function writePem(label: string, parts: readonly Uint8Array[]): string {
  return `-----BEGIN ${label}-----\n${Buffer.concat(parts).toString('base64')}\n-----END ${label}-----\n`;
}
