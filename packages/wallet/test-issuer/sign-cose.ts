// Creates COSE_Sign1 with ES256, as issuers and wallets do.
import { webcrypto } from 'node:crypto';
import { encodeCbor } from '../src/cbor/codec.ts';

const ES256 = { name: 'ECDSA', hash: 'SHA-256' };
const [ALG, ES256_ID, TYPE, X5CHAIN] = [1, -7, 16, 33];

export interface CoseOptions {
  x5chain?: unknown;
  /** Type of the token. */
  type?: string;
  /** Stated algorithm. The signature uses ES256 in any case. */
  algorithm?: number;
  /** Signed but omitted from the message. */
  isDetached?: boolean;
}

export async function signCose(
  key: webcrypto.CryptoKey,
  payload: Uint8Array,
  { x5chain, type, algorithm = ES256_ID, isDetached = false }: CoseOptions,
): Promise<unknown[]> {
  const protectedBytes = encodeCbor(
    new Map<number, unknown>([[ALG, algorithm], ...(type === undefined ? [] : [[TYPE, type] as const])]),
  );
  const signed = encodeCbor(['Signature1', protectedBytes, new Uint8Array(0), payload]);
  const signature = new Uint8Array(await webcrypto.subtle.sign(ES256, key, signed));
  const unprotectedHeader = new Map(x5chain === undefined ? [] : [[X5CHAIN, x5chain]]);
  return [protectedBytes, unprotectedHeader, isDetached ? null : payload, signature];
}
