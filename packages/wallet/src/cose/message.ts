// COSE_Sign1 and COSE_Mac0 (RFC 9052, 4.2 and 6.2): their four parts, and whether they hold.
import { createHmac, createSecretKey, timingSafeEqual, verify } from 'node:crypto';
import { decodeCbor, isBytes, isMap, readTagged } from '../cbor/codec.ts';
import { writeArray, writeBytes, writeText } from '../cbor/write.ts';
import type { Profile } from '../profiles/profiles.ts';
import { findAlgorithm, isKeyOf, MAC_ALGORITHM_ID } from './algorithms.ts';
import type { VerifyingKey } from './key.ts';

// ECDSA signatures as DER (RFC 3279, 2.2.3), which Node takes with a bare key; COSE has the two numbers one after the other
// (RFC 9053, 2.1), and to be told so Node wants an object around the key, which costs it half a verification more.

const [SEQUENCE, INTEGER] = [0x30, 0x02];
/** Lengths above it have a byte that says how many bytes they have. */
const SHORT_LENGTH = 127;

/** Null for a signature of another length. */
export function encodeDer(signature: Uint8Array, scalarBytes: number): Buffer | null {
  if (signature.length !== 2 * scalarBytes) return null;
  const numbers = [signature.subarray(0, scalarBytes), signature.subarray(scalarBytes)].map(encodeInteger);
  const length = numbers.reduce((sum, { length }) => sum + length, 0);
  const head = length > SHORT_LENGTH ? Buffer.of(SEQUENCE, 0x81, length) : Buffer.of(SEQUENCE, length);
  return Buffer.concat([head, ...numbers]);
}

/** Without leading zeros, but for the one that keeps it from being negative. */
function encodeInteger(number: Uint8Array): Buffer {
  let start = 0;
  while (start < number.length - 1 && number[start] === 0) start += 1;
  const digits = number.subarray(start);
  const sign = (digits[0] ?? 0) > SHORT_LENGTH ? [0] : [];
  return Buffer.concat([Buffer.of(INTEGER, digits.length + sign.length, ...sign), digits]);
}

export interface CoseMessage {
  /** As it came: it is part of what is signed. */
  protectedBytes: Uint8Array;
  protectedHeader: ReadonlyMap<unknown, unknown>;
  unprotectedHeader: ReadonlyMap<unknown, unknown>;
  /** Null where it is detached. */
  payload: Uint8Array | null;
  /** The signature, or the tag of the MAC. */
  proof: Uint8Array;
}

const LABELS = { alg: 1, crit: 2, x5chain: 33 } as const;
const SIGN1_TAG = 18;
/** What is signed begins with it, and has nothing from outside in the middle (RFC 9052, 4.4 and 6.3). */
const [SIGNATURE1, MAC0] = ['Signature1', 'MAC0'].map((context) =>
  Buffer.concat([writeArray(4), ...writeText(context)]),
) as [Buffer, Buffer];
const [NOTHING] = writeBytes(new Uint8Array(0)) as [Uint8Array];

/** Null for anything else. A COSE_Sign1 may be tagged as such. */
export function readCose(value: unknown): CoseMessage | null {
  const parts = readTagged(value, SIGN1_TAG, Array.isArray) ?? value;
  if (!Array.isArray(parts) || parts.length !== 4) return null;
  const [protectedBytes, unprotectedHeader, payload, proof] = parts as unknown[];
  if (!isBytes(protectedBytes) || !isMap(unprotectedHeader) || !isBytes(proof)) return null;
  if (payload !== null && !isBytes(payload)) return null;
  const protectedHeader = protectedBytes.length === 0 ? new Map() : decodeCbor(protectedBytes);
  // Nothing that must be understood is understood here, and it would be protected (RFC 9052, 3.1); nothing is said twice (3).
  if (!isMap(protectedHeader) || protectedHeader.has(LABELS.crit) || unprotectedHeader.has(LABELS.crit)) return null;
  for (const label of unprotectedHeader.keys()) if (protectedHeader.has(label)) return null;
  return { protectedBytes, protectedHeader, unprotectedHeader, payload, proof };
}

/** RFC 9360, 2: one certificate, or several as a list, leaf first. */
export function readCertificateChain({ unprotectedHeader, protectedHeader }: CoseMessage): Uint8Array[] | null {
  const value = unprotectedHeader.get(LABELS.x5chain) ?? protectedHeader.get(LABELS.x5chain);
  if (isBytes(value)) return [value];
  return Array.isArray(value) && value.every(isBytes) ? value : null;
}

/** Whether the algorithm is one that the profile allows, and the key is of its kind. */
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
