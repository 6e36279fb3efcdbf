// Forgeries of a call with a face: another body with the same header, or another header.
import { PERSON_DEVICE_KEY_BYTES } from '@limen/plan';
import { packBody, Q, reduce, transform, unpackBody } from '@limen/token/shared';
import type { Capture, ReadyChallenge } from '../../apps/server/testing/verification-device.ts';

export const PROBE_AT = 1 + PERSON_DEVICE_KEY_BYTES;
const KEY_ID_AT = PROBE_AT + 8;
const MODEL_ID_AT = PROBE_AT + 24;
const ID_BYTES = 16;
const BODY_AT = PROBE_AT + 40;

export function bodyOfCall(call: Buffer): Buffer {
  return call.subarray(BODY_AT);
}

export function withBody(call: Buffer, body: Uint8Array): Buffer {
  return Buffer.concat([call.subarray(0, BODY_AT), body]);
}

/** Ids as base64url. Omitted fields stay unchanged. */
export function withIds(call: Buffer, { keyId, modelId }: { keyId?: string; modelId?: string }): Buffer {
  const forged = Buffer.from(call);
  if (keyId !== undefined) forged.set(Buffer.from(keyId, 'base64url').subarray(0, ID_BYTES), KEY_ID_AT);
  if (modelId !== undefined) forged.set(Buffer.from(modelId, 'base64url').subarray(0, ID_BYTES), MODEL_ID_AT);
  return forged;
}

/** Adds the forger's polynomial to the ciphertext, which needs no key. */
export function addToBody(body: Uint8Array, polynomial: ArrayLike<number>): Uint8Array {
  const { c0, c1 } = unpackBody(body);
  const added = Int32Array.from({ length: c0.length }, (_, index) => toResidue(Math.round(polynomial[index] ?? 0)));
  transform(added);
  return packBody(
    c0.map((value, index) => (value + added[index]!) % Q),
    c1,
  );
}

/** Multiplies the ciphertext, which needs no key either. */
export function scaleBody(body: Uint8Array, factor: number): Uint8Array {
  const { c0, c1 } = unpackBody(body);
  const scale = (values: Int32Array) => values.map((value) => reduce(value * factor));
  return packBody(scale(c0), scale(c1));
}

export async function openChallenge(session: Pick<Capture, 'challenge'>): Promise<ReadyChallenge> {
  const { body, status } = await session.challenge();
  if (body.outcome !== 'ready') throw new Error(`there is no challenge: ${status} ${body.outcome}`);
  return body;
}

function toResidue(value: number): number {
  return ((value % Q) + Q) % Q;
}
