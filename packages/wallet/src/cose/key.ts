// Public keys as wallets send them, as COSE keys (RFC 9053, 7) or bare points, and our own for the answers to Annex C.
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import { isBytes, isMap } from '../cbor/codec.ts';

const LABELS = { kty: 1, crv: -1, x: -2, y: -3 } as const;
const KTY = { OKP: 1, EC2: 2 } as const;

/** By the number that COSE gives the curve. */
const CURVES: Readonly<Record<number, { kty: number; crv: string; bytes: number }>> = {
  1: { kty: KTY.EC2, crv: 'P-256', bytes: 32 },
  2: { kty: KTY.EC2, crv: 'P-384', bytes: 48 },
  3: { kty: KTY.EC2, crv: 'P-521', bytes: 66 },
  6: { kty: KTY.OKP, crv: 'Ed25519', bytes: 32 },
};

const POINT_BYTES = 65;
const UNCOMPRESSED = 4;

interface PublicJwk extends Record<string, string> {
  kty: string;
  crv: string;
  x: string;
}

export function encodePublicKey({ x, y }: JWK): Map<number, unknown> {
  return new Map<number, unknown>([
    [LABELS.kty, KTY.EC2],
    [LABELS.crv, 1],
    [LABELS.x, Buffer.from(x ?? '', 'base64url')],
    [LABELS.y, Buffer.from(y ?? '', 'base64url')],
  ]);
}

/** Null for a key that is of no use here, or not on its curve. */
export function readPublicKey(value: unknown): KeyObject | null {
  const jwk = readJwk(value);
  return jwk && importPublicKey(jwk);
}

/** A point of P-256, uncompressed (SEC 1, 2.3.4): 4, x, y. Null for anything else, and for one that is not on the curve. */
export function readPoint(point: Uint8Array): KeyObject | null {
  const bytes = Buffer.from(point.buffer, point.byteOffset, point.byteLength);
  if (bytes.length !== POINT_BYTES || bytes[0] !== UNCOMPRESSED) return null;
  const [x, y] = [bytes.toString('base64url', 1, 33), bytes.toString('base64url', 33)];
  return importPublicKey({ kty: 'EC', crv: 'P-256', x, y });
}

/** That of a key on P-256. */
export function writePoint({ x, y }: JWK): Buffer {
  return Buffer.concat([Buffer.of(UNCOMPRESSED), Buffer.from(x ?? '', 'base64url'), Buffer.from(y ?? '', 'base64url')]);
}

function importPublicKey(jwk: PublicJwk): KeyObject | null {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return null;
  }
}

function readJwk(value: unknown): PublicJwk | null {
  if (!isMap(value)) return null;
  const curveNumber = value.get(LABELS.crv);
  const curve = typeof curveNumber === 'number' ? CURVES[curveNumber] : undefined;
  if (!curve || value.get(LABELS.kty) !== curve.kty) return null;
  const [x, y] = [readCoordinate(value.get(LABELS.x), curve.bytes), readCoordinate(value.get(LABELS.y), curve.bytes)];
  if (x === null) return null;
  if (curve.kty === KTY.OKP) return { kty: 'OKP', crv: curve.crv, x };
  return y === null ? null : { kty: 'EC', crv: curve.crv, x, y };
}

function readCoordinate(value: unknown, bytes: number): string | null {
  return isBytes(value) && value.length === bytes ? Buffer.from(value).toString('base64url') : null;
}
