// The box that a device seals for the next one, encrypted with a key that only the QR code carries.
import { HANDOFF_BOX_BYTES } from '@limen/plan';
import { decodeBase64url, encodeBase64url } from '../../text/base64url.ts';
import type { DeviceFindings } from '../findings.ts';
import { type DeviceKey, hashHex, signText } from '../keys/signing.ts';

const KEY_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const LENGTH_BYTES = 2;
const PLAINTEXT_BYTES = HANDOFF_BOX_BYTES - NONCE_BYTES - TAG_BYTES;
const FLOAT_BYTES = 4;
const CONTEXT = 'limen handoff box v1';
const SIGNED_CONTEXT = 'limen-handoff-box-v1';

/** Findings to carry over. Never contains a picture. */
export interface HandoffFindings extends DeviceFindings {
  /**
   * Embedding of the live face, or of the document's portrait if the face step follows, for
   * comparison on the next device.
   */
  embedding?: Float32Array | undefined;
}

/** Context to which a box is bound: session, plan and list of steps. */
export interface HandoffBoxPlace {
  sessionId: string;
  /** SHA-256 of the sealing device's plan text, in lower-case hex. */
  planHash: string;
  /** Positions of the completed steps whose findings are in the box. */
  steps: readonly number[];
}

export interface SealedHandoffBox extends HandoffBoxPlace {
  box: Uint8Array<ArrayBuffer>;
  /** 64 bytes. */
  signature: Uint8Array<ArrayBuffer>;
  /** Public key of the sealing device, 65 bytes. */
  deviceKey: Uint8Array<ArrayBuffer>;
}

/** Returns a new key for one box. It belongs only into the fragment of the QR code's URL. */
export function drawHandoffBoxKey(): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(KEY_BYTES));
}

/** Returns nonce, ciphertext and tag: 4,096 bytes. Throws a `RangeError` if too large. */
export function sealHandoffBox(
  place: HandoffBoxPlace,
  key: Uint8Array<ArrayBuffer>,
  findings: HandoffFindings,
): Promise<Uint8Array<ArrayBuffer>> {
  return sealWithNonce(place, key, findings, crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
}

/** For test vectors only: reusing a nonce with the same key reveals the texts. */
export async function sealWithNonce(
  place: HandoffBoxPlace,
  key: Uint8Array<ArrayBuffer>,
  findings: HandoffFindings,
  nonce: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const text = utf8(JSON.stringify(toJson(findings)));
  if (text.length > PLAINTEXT_BYTES - LENGTH_BYTES) {
    throw new RangeError(`The findings have ${text.length} bytes, but only ${PLAINTEXT_BYTES - LENGTH_BYTES} fit.`);
  }
  const padded = new Uint8Array(PLAINTEXT_BYTES);
  new DataView(padded.buffer).setUint16(0, text.length);
  padded.set(text, LENGTH_BYTES);
  const cipher = await importKey(key, 'encrypt');
  const sealed = await crypto.subtle.encrypt(cipherParameters(place, nonce), cipher, padded);
  const box = new Uint8Array(HANDOFF_BOX_BYTES);
  box.set(nonce);
  box.set(new Uint8Array(sealed), NONCE_BYTES);
  return box;
}

/** Returns the text to sign with the session's device key: five lines, joined with line feeds. */
export async function handoffBoxText(place: HandoffBoxPlace, box: Uint8Array<ArrayBuffer>): Promise<string> {
  const { sessionId, planHash, steps } = place;
  return [SIGNED_CONTEXT, sessionId, planHash, steps.join(','), await hashHex(box)].join('\n');
}

export async function signHandoffBox(
  privateKey: DeviceKey,
  place: HandoffBoxPlace,
  box: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  return signText(privateKey, await handoffBoxText(place, box));
}

/**
 * Returns undefined for a modified box, and for one with another session, plan, list of steps or
 * key. The steps must then be repeated.
 */
export async function openHandoffBox(
  sealed: SealedHandoffBox,
  key: Uint8Array<ArrayBuffer>,
): Promise<HandoffFindings | undefined> {
  const { box, signature, deviceKey } = sealed;
  if (box.length !== HANDOFF_BOX_BYTES || key.length !== KEY_BYTES) return undefined;
  try {
    const verifier = await crypto.subtle.importKey('raw', deviceKey, { name: 'ECDSA', namedCurve: 'P-256' }, false, [
      'verify',
    ]);
    const text = utf8(await handoffBoxText(sealed, box));
    if (!(await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, verifier, signature, text))) return undefined;
    const params = cipherParameters(sealed, box.slice(0, NONCE_BYTES));
    const opened = await crypto.subtle.decrypt(params, await importKey(key, 'decrypt'), box.slice(NONCE_BYTES));
    return readFindings(new Uint8Array(opened));
  } catch {
    return undefined;
  }
}

function importKey(key: Uint8Array<ArrayBuffer>, use: 'encrypt' | 'decrypt') {
  if (key.length !== KEY_BYTES) throw new RangeError(`The key of a box has ${KEY_BYTES} bytes.`);
  return crypto.subtle.importKey('raw', key, { name: 'AES-GCM' }, false, [use]);
}

function cipherParameters({ sessionId, planHash, steps }: HandoffBoxPlace, iv: Uint8Array<ArrayBuffer>) {
  return { name: 'AES-GCM', iv, additionalData: utf8([CONTEXT, sessionId, planHash, steps.join(',')].join('\n')) };
}

function toJson({ face, document, contact, indicators, camera, embedding }: HandoffFindings): object {
  return { version: 1, face, document, contact, indicators, camera, embedding: embedding && encodeFloats(embedding) };
}

/** Checks only the format. The plan determines later whether the findings fit. */
function readFindings(padded: Uint8Array<ArrayBuffer>): HandoffFindings | undefined {
  const length = new DataView(padded.buffer).getUint16(0);
  const text = padded.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
  const { version, face, document, contact, indicators, camera, embedding } = JSON.parse(
    new TextDecoder('utf-8', { fatal: true }).decode(text),
  );
  const floats = embedding === undefined ? undefined : decodeFloats(embedding);
  if (version !== 1 || (embedding !== undefined && !floats)) return undefined;
  return {
    ...(face !== undefined && { face }),
    ...(document !== undefined && { document }),
    ...(contact !== undefined && { contact }),
    ...(indicators !== undefined && { indicators }),
    ...(camera !== undefined && { camera }),
    ...(floats && { embedding: floats }),
  };
}

/** Little-endian on all machines. */
function encodeFloats(values: Float32Array): string {
  const view = new DataView(new ArrayBuffer(values.length * FLOAT_BYTES));
  for (const [index, value] of values.entries()) view.setFloat32(index * FLOAT_BYTES, value, true);
  return encodeBase64url(new Uint8Array(view.buffer));
}

function decodeFloats(text: unknown): Float32Array | undefined {
  const bytes = typeof text === 'string' ? decodeBase64url(text) : undefined;
  if (!bytes || bytes.length % FLOAT_BYTES !== 0) return undefined;
  const view = new DataView(bytes.buffer);
  const floats = Float32Array.from({ length: bytes.length / FLOAT_BYTES }, (_, index) =>
    view.getFloat32(index * FLOAT_BYTES, true),
  );
  return floats.every(Number.isFinite) ? floats : undefined;
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
