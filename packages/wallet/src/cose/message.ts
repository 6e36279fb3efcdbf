// COSE_Sign1 and COSE_Mac0 (RFC 9052, 4.2 and 6.2): parsing and verification.
import { createHmac, createSecretKey, timingSafeEqual, verify } from 'node:crypto';
import { decodeCbor, isBytes, isMap, readTagged } from '../cbor/codec.ts';
import { writeArray, writeBytes, writeText } from '../cbor/write.ts';
import type { Profile } from '../profiles/profiles.ts';
import { findAlgorithm, isKeyOf, MAC_ALGORITHM_ID } from './algorithms.ts';
import type { VerifyingKey } from './key.ts';

// Converts ECDSA signatures from COSE's two numbers (RFC 9053, 2.1) to DER (RFC 3279, 2.2.3), which
// Node verifies with a bare key. An options object for the other form would cost half a
// verification more.

const [SEQUENCE, INTEGER] = [0x30, 0x02];
/** Maximum length in short form. Longer ones need a byte with the length of the length. */
const SHORT_LENGTH = 127;

/** Returns null for a signature of another length. */
export function encodeDer(signature: Uint8Array, scalarBytes: number): Buffer | null {
  if (signature.length !== 2 * scalarBytes) return null;
  const numbers = [signature.subarray(0, scalarBytes), signature.subarray(scalarBytes)].map(encodeInteger);
  const length = numbers.reduce((sum, { length }) => sum + length, 0);
  const head = length > SHORT_LENGTH ? Buffer.of(SEQUENCE, 0x81, length) : Buffer.of(SEQUENCE, length);
  return Buffer.concat([head, ...numbers]);
}

/** Strips leading zeros, except the one that keeps the number positive. */
function encodeInteger(number: Uint8Array): Buffer {
  let start = 0;
  while (start < number.length - 1 && number[start] === 0) start += 1;
  const digits = number.subarray(start);
  const sign = (digits[0] ?? 0) > SHORT_LENGTH ? [0] : [];
  return Buffer.concat([Buffer.of(INTEGER, digits.length + sign.length, ...sign), digits]);
}

export interface CoseMessage {
  /** Protected header as received, because it is part of the signed bytes. */
  protectedBytes: Uint8Array;
  protectedHeader: ReadonlyMap<unknown, unknown>;
  unprotectedHeader: ReadonlyMap<unknown, unknown>;
  /** Null if detached. */
  payload: Uint8Array | null;
  /** Signature, or tag of the MAC. */
  proof: Uint8Array;
}

const LABELS = { alg: 1, crit: 2, x5chain: 33 } as const;
const SIGN1_TAG = 18;
/** Context at the start of the signed bytes (RFC 9052, 4.4 and 6.3). */
const [SIGNATURE1, MAC0] = ['Signature1', 'MAC0'].map((context) =>
  Buffer.concat([writeArray(4), ...writeText(context)]),
) as [Buffer, Buffer];
const [NOTHING] = writeBytes(new Uint8Array(0)) as [Uint8Array];

/** Returns null for anything else. A COSE_Sign1 may be tagged. */
export function readCose(value: unknown): CoseMessage | null {
  const parts = readTagged(value, SIGN1_TAG, Array.isArray) ?? value;
  if (!Array.isArray(parts) || parts.length !== 4) return null;
  const [protectedBytes, unprotectedHeader, payload, proof] = parts as unknown[];
  if (!isBytes(protectedBytes) || !isMap(unprotectedHeader) || !isBytes(proof)) return null;
  if (payload !== null && !isBytes(payload)) return null;
  const protectedHeader = protectedBytes.length === 0 ? new Map() : decodeCbor(protectedBytes);
  // Refuses critical headers, which would be protected (RFC 9052, 3.1), and repeated ones (3).
  if (!isMap(protectedHeader) || protectedHeader.has(LABELS.crit) || unprotectedHeader.has(LABELS.crit)) return null;
  for (const label of unprotectedHeader.keys()) if (protectedHeader.has(label)) return null;
  return { protectedBytes, protectedHeader, unprotectedHeader, payload, proof };
}

/** RFC 9360, 2: one certificate, or a list with the leaf first. */
export function readCertificateChain({ unprotectedHeader, protectedHeader }: CoseMessage): Uint8Array[] | null {
  const value = unprotectedHeader.get(LABELS.x5chain) ?? protectedHeader.get(LABELS.x5chain);
  if (isBytes(value)) return [value];
  return Array.isArray(value) && value.every(isBytes) ? value : null;
}

/** Returns whether the profile allows the algorithm and the key is of its kind. */
export function takesAlgorithm({ protectedHeader }: CoseMessage, key: VerifyingKey, profile: Profile): boolean {
  const algorithm = findAlgorithm(profile, protectedHeader.get(LABELS.alg));
  return algorithm !== null && isKeyOf(algorithm, key);
}

export function verifySign1(message: CoseMessage, payload: Uint8Array, key: VerifyingKey, profile: Profile): boolean {
  const algorithm = findAlgorithm(profile, message.protectedHeader.get(LABELS.alg));
  if (!algorithm || !isKeyOf(algorithm, key)) return false;
  const signed = writeSigned(SIGNATURE1, message, payload);
  const signature = algorithm.scalarBytes === null ? message.proof : encodeDer(message.proof, algorithm.scalarBytes);
  return signature !== null && verify(algorithm.hash, signed, key.key, signature);
}

export function isMac({ protectedHeader }: CoseMessage): boolean {
  return protectedHeader.get(LABELS.alg) === MAC_ALGORITHM_ID;
}

export function verifyMac0(message: CoseMessage, payload: Uint8Array, key: Uint8Array): boolean {
  const { proof } = message;
  const expected = createHmac('sha256', createSecretKey(key))
    .update(writeSigned(MAC0, message, payload))
    .digest();
  return expected.length === proof.length && timingSafeEqual(expected, proof);
}

function writeSigned(context: Buffer, { protectedBytes }: CoseMessage, payload: Uint8Array): Buffer {
  return Buffer.concat([context, ...writeBytes(protectedBytes), NOTHING, ...writeBytes(payload)]);
}
