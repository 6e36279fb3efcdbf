// Entries of a status list, decompressed (Token Status List, 4).
import { inflateSync } from 'node:zlib';
import { refuse } from '../refusals.ts';

export interface Statuses {
  bits: number;
  bytes: Uint8Array;
}

/**
 * A status list whose signer the profile trusts. `checkStatus` looks up an attestation in it. Times
 * are seconds since 1970.
 */
export interface StatusList {
  subject: unknown;
  issuedAt: unknown;
  /** Undefined if the list does not expire, which JWTs may omit. */
  expiresAt: unknown;
  statuses: Statuses;
  /** Certificates of its signer. */
  chain: readonly Uint8Array[];
}

const MAX_LIST_BYTES = 12_500_000;
const KNOWN_BITS = [1, 2, 4, 8];

export function inflateStatuses(bits: unknown, compressed: Uint8Array): Statuses {
  if (typeof bits !== 'number' || !KNOWN_BITS.includes(bits)) return refuse('status_list_malformed');
  return { bits, bytes: inflate(compressed) };
}

export function readEntry({ bits, bytes }: Statuses, index: number): number {
  const perByte = 8 / bits;
  const byte = bytes[Math.floor(index / perByte)];
  if (byte === undefined) return refuse('status_out_of_range');
  return (byte >> ((index % perByte) * bits)) & (2 ** bits - 1);
}

function inflate(compressed: Uint8Array): Uint8Array {
  try {
    return inflateSync(compressed, { maxOutputLength: MAX_LIST_BYTES });
  } catch {
    return refuse('status_list_malformed');
  }
}
