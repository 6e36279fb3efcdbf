// Creates status lists in both formats (Token Status List, 5).
import type { webcrypto } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { CompactSign } from 'jose';
import { encodeCbor } from '../src/cbor/codec.ts';
import { signCose } from '../test-issuer/sign-cose.ts';
import type { TestIssuer } from '../test-issuer/test-issuer.ts';

export interface StatusListOptions {
  subject: string;
  /** Seconds since 1970. */
  issuedAt: unknown;
  expiresAt?: unknown;
  bits?: unknown;
  compressed: Uint8Array;
  type?: string;
  /** URL in the list. CWT only. */
  algorithm?: number;
  /** Replaces the issuer's own. */
  chain?: readonly Uint8Array[];
}

/** One bit per entry, set if revoked. */
export function compressStatuses(revoked: readonly number[], bytes = 2): Uint8Array {
  const list = new Uint8Array(bytes);
  for (const index of revoked) list[index >> 3]! |= 1 << (index & 7);
  return deflateSync(list);
}

export async function makeStatusJwt(issuer: TestIssuer, options: StatusListOptions): Promise<string> {
  const { subject, issuedAt, expiresAt, bits = 1, compressed, type = 'statuslist+jwt', chain = issuer.chain } = options;
  const claims = {
    sub: subject,
    iat: issuedAt,
    exp: expiresAt,
    status_list: { bits, lst: Buffer.from(compressed).toString('base64url') },
  };
  const x5c = chain.map((der) => Buffer.from(der).toString('base64'));
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256', typ: type, ...(x5c.length > 0 ? { x5c } : {}) })
    .sign(issuer.signingKey as webcrypto.CryptoKey);
}

export async function makeStatusCwt(issuer: TestIssuer, options: StatusListOptions): Promise<Uint8Array> {
  const { subject, issuedAt, expiresAt, bits = 1, compressed, chain = issuer.chain } = options;
  const list = new Map<string, unknown>([
    ['bits', bits],
    ['lst', compressed],
  ]);
  const claims = new Map<number, unknown>([
    [2, subject],
    [65533, list],
  ]);
  if (issuedAt !== undefined) claims.set(6, issuedAt);
  if (expiresAt !== undefined) claims.set(4, expiresAt);
  const message = await signCose(issuer.signingKey, encodeCbor(claims), {
    x5chain: chain[0],
    type: options.type ?? 'application/statuslist+cwt',
    ...(options.algorithm !== undefined && { algorithm: options.algorithm }),
  });
  return encodeCbor(message);
}
