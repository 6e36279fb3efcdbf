// Which COSE algorithms there are here, and which key each goes with (RFC 9053, 2).
import type { Profile, SignatureAlgorithm } from '../profiles/profiles.ts';
import type { VerifyingKey } from './key.ts';

interface Algorithm {
  /** The identifier of COSE. */
  id: number;
  /** For the signature; none where the scheme has its own. */
  hash: string | null;
  /** As Node names the curve, or the kind of key. */
  key: string;
  /** Of each of the two numbers of an ECDSA signature; null where it is one string of bytes. */
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
  const name = profile.algorithms.find((one) => SIGNATURE_ALGORITHMS[one].id === id);
  return name ? SIGNATURE_ALGORITHMS[name] : null;
}

export function isKeyOf({ key }: Algorithm, { kind }: VerifyingKey): boolean {
  return key === kind;
}

/** As a wallet wants them named. A MAC needs a key of ours, so it needs an answer that is encrypted. */
export function nameAlgorithms(profile: Profile, isEncrypted: boolean): { issuer: number[]; device: number[] } {
  const issuer = profile.algorithms.map((name) => SIGNATURE_ALGORITHMS[name].id);
  return { issuer, device: profile.takesDeviceMac && isEncrypted ? [...issuer, MAC_ALGORITHM_ID] : issuer };
}
