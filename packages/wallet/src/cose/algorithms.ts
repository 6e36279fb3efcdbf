// Supported COSE algorithms and their keys (RFC 9053, 2).
import type { Profile, SignatureAlgorithm } from '../profiles/profiles.ts';
import type { VerifyingKey } from './key.ts';

interface Algorithm {
  /** COSE identifier. */
  id: number;
  /** Hash of the signature. Absent if the scheme defines its own. */
  hash: string | null;
  /** Node's name of the curve or the kind of key. */
  key: string;
  /** Length of each number of an ECDSA signature. Null if it is a single byte string. */
  scalarBytes: number | null;
}

export const SIGNATURE_ALGORITHMS: Readonly<Record<SignatureAlgorithm, Algorithm>> = {
  ES256: { id: -7, hash: 'sha256', key: 'prime256v1', scalarBytes: 32 },
  ES384: { id: -35, hash: 'sha384', key: 'secp384r1', scalarBytes: 48 },
  ES512: { id: -36, hash: 'sha512', key: 'secp521r1', scalarBytes: 66 },
  EdDSA: { id: -8, hash: null, key: 'ed25519', scalarBytes: null },
};

/** HMAC 256/256. */
export const MAC_ALGORITHM_ID = 5;

export function findAlgorithm(profile: Profile, id: unknown): Algorithm | null {
  const name = profile.algorithms.find((algorithm) => SIGNATURE_ALGORITHMS[algorithm].id === id);
  return name ? SIGNATURE_ALGORITHMS[name] : null;
}

export function isKeyOf({ key }: Algorithm, { kind }: VerifyingKey): boolean {
  return key === kind;
}

/** Names for wallets. A MAC needs one of our keys, and therefore an encrypted response. */
export function nameAlgorithms(profile: Profile, isEncrypted: boolean): { issuer: number[]; device: number[] } {
  const issuer = profile.algorithms.map((name) => SIGNATURE_ALGORITHMS[name].id);
  return { issuer, device: profile.takesDeviceMac && isEncrypted ? [...issuer, MAC_ALGORITHM_ID] : issuer };
}
