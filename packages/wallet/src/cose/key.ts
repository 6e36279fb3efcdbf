// Wallets' public keys as COSE keys (RFC 9053, 7), and our key for responses by Annex C.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { importPrivateKey, writePem } from '@limen/p256';
import type { JWK } from 'jose';
import { isBytes, isMap } from '../cbor/codec.ts';

export interface VerifyingKey {
  key: KeyObject;
  /** Node's name of the curve or the kind of key. */
  kind: string;
}

interface Curve {
  kty: number;
  kind: string;
  bytes: number;
  /** DER prefix of the key (RFC 5480, 2; RFC 8410, 4). */
  head: Buffer;
}

const LABELS = { kty: 1, crv: -1, x: -2, y: -3 } as const;
const KTY = { OKP: 1, EC2: 2 } as const;
const UNCOMPRESSED = Buffer.of(4);

const P256: Curve = {
  kty: KTY.EC2,
  kind: 'prime256v1',
  bytes: 32,
  head: fromHex('3059301306072a8648ce3d020106082a8648ce3d030107034200'),
};
/** By COSE's number of the curve. */
const CURVES: Readonly<Record<number, Curve>> = {
  1: P256,
  2: { kty: KTY.EC2, kind: 'secp384r1', bytes: 48, head: fromHex('3076301006072a8648ce3d020106052b81040022036200') },
  3: {
    kty: KTY.EC2,
    kind: 'secp521r1',
    bytes: 66,
    head: fromHex('30819b301006072a8648ce3d020106052b8104002303818600'),
  },
  6: { kty: KTY.OKP, kind: 'ed25519', bytes: 32, head: fromHex('302a300506032b6570032100') },
};

export function encodePublicKey({ x, y }: JWK): Map<number, unknown> {
  return new Map<number, unknown>([
    [LABELS.kty, KTY.EC2],
    [LABELS.crv, 1],
    [LABELS.x, Buffer.from(x ?? '', 'base64url')],
    [LABELS.y, Buffer.from(y ?? '', 'base64url')],
  ]);
}

/** Returns null for an unsupported key, or one that is not on its curve. */
export function readPublicKey(value: unknown): VerifyingKey | null {
  if (!isMap(value)) return null;
  const curveNumber = value.get(LABELS.crv);
  const curve = typeof curveNumber === 'number' ? CURVES[curveNumber] : undefined;
  if (!curve || value.get(LABELS.kty) !== curve.kty) return null;
  const [x, y] = [value.get(LABELS.x), value.get(LABELS.y)].map((coordinate) => readCoordinate(coordinate, curve));
  if (!x || (curve.kty === KTY.EC2 && !y)) return null;
  const key = importPublicKey(curve, y && curve.kty === KTY.EC2 ? [UNCOMPRESSED, x, y] : [x]);
  return key && { key, kind: curve.kind };
}

/** Reads a key on P-256. */
export function writePoint({ x, y }: JWK): Buffer {
  return Buffer.concat([UNCOMPRESSED, Buffer.from(x ?? '', 'base64url'), Buffer.from(y ?? '', 'base64url')]);
}

/** Writes our own key on P-256. */
export function importAnswerKey(jwk: JWK): KeyObject {
  return importPrivateKey({ scalar: Buffer.from(jwk.d ?? '', 'base64url'), point: writePoint(jwk) });
}

export function describeKeyKind({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  return (asymmetricKeyType === 'ec' ? asymmetricKeyDetails?.namedCurve : asymmetricKeyType) ?? '';
}

function importPublicKey({ head }: Curve, parts: readonly Uint8Array[]): KeyObject | null {
  try {
    return createPublicKey(writePem('PUBLIC KEY', [head, ...parts]));
  } catch {
    return null;
  }
}

function readCoordinate(value: unknown, { bytes }: Curve): Uint8Array | null {
  return isBytes(value) && value.length === bytes ? value : null;
}

function fromHex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}
