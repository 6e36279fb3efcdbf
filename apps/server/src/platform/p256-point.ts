// Reads the public key of a device: an uncompressed point of P-256.
import { createPublicKey, type KeyObject } from 'node:crypto';

export const POINT_BYTES = 65;
/** What precedes an uncompressed P-256 point in a SubjectPublicKeyInfo (RFC 5480). */
const SPKI_HEAD = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');

/** Undefined unless it is a point of the curve in that form. */
export function readPoint(point: Uint8Array): KeyObject | undefined {
  if (point.length !== POINT_BYTES || point[0] !== 4) return undefined;
  try {
    return createPublicKey({ key: Buffer.concat([SPKI_HEAD, point]), format: 'der', type: 'spki' });
  } catch {
    return undefined; // not on the curve
  }
}
