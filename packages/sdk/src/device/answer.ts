// Seals a device's answer: JSON, padded to a fixed length, encrypted for the session's own key
// (HPKE, RFC 9180).

import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import type { AgeDeviceAnswer, CaptureFacts, VerificationDeviceAnswer } from '@limen/contract';
import { CAPTURE_PLAINTEXT_BYTES, ENVELOPE_BYTES, readPlan, SELFIE_MAX_BYTES } from '@limen/plan';
import { decodeBase64url } from '../text/base64url.ts';
import { hashHex } from './keys/signing.ts';

/** An uncompressed point of P-256. */
const ENC_BYTES = 65;
const TAG_BYTES = 16;
const LENGTH_BYTES = 2;
const PLAINTEXT_BYTES = ENVELOPE_BYTES - ENC_BYTES - TAG_BYTES;
/** Maximum size of an answer's JSON text. */
export const ANSWER_MAX_BYTES = PLAINTEXT_BYTES - LENGTH_BYTES;
const CONTEXT = 'limen device answer v1';
const SELFIE_CONTEXT = 'limen-selfie-v1';
const CAPTURE_CONTEXT = 'limen-capture-v1';

interface SealOptions {
  /** Plan text exactly as in the claim's reply. */
  planText: string;
  answer: AgeDeviceAnswer | VerificationDeviceAnswer;
}

/** Returns the SHA-256 of the plan's text, in lower-case hex. */
export function planHash(planText: string): Promise<string> {
  return hashHex(planText);
}

/** Returns the envelope: 2,048 bytes, different each time. */
export async function sealAnswer({ planText, answer }: SealOptions): Promise<Uint8Array<ArrayBuffer>> {
  return sealForPlan(planText, CONTEXT, padAnswer(JSON.stringify(answer)));
}

/** Returns the envelope of a selfie. The picture's size is not secret. */
export async function sealSelfie(planText: string, jpeg: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  if (jpeg.length === 0 || jpeg.length > SELFIE_MAX_BYTES) {
    throw new RangeError(`A selfie has 1 to ${SELFIE_MAX_BYTES} bytes.`);
  }
  // Copies, because the library reads the whole buffer behind a view.
  return sealForPlan(planText, SELFIE_CONTEXT, new Uint8Array(jpeg));
}

/** Seals facts about the camera at a fixed length. */
export async function sealCapture(planText: string, facts: CaptureFacts): Promise<Uint8Array<ArrayBuffer>> {
  const text = utf8(JSON.stringify(facts));
  if (text.length > CAPTURE_PLAINTEXT_BYTES - LENGTH_BYTES) throw new RangeError('These are not facts about a camera.');
  const padded = new Uint8Array(CAPTURE_PLAINTEXT_BYTES);
  new DataView(padded.buffer).setUint16(0, text.length);
  padded.set(text, LENGTH_BYTES);
  return sealForPlan(planText, CAPTURE_CONTEXT, padded);
}

async function sealForPlan(
  planText: string,
  context: string,
  plaintext: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const plan = readPlan(planText);
  const point = decodeBase64url(plan.publicKey);
  if (!point) throw new TypeError('The plan has no public key.');
  const suite = new CipherSuite({
    kem: new DhkemP256HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Aes256Gcm(),
  });
  const recipientPublicKey = await suite.kem.deserializePublicKey(point);
  const sender = await suite.createSenderContext({ recipientPublicKey, info: utf8(context) });
  const aad = utf8(`${context}\n${plan.sessionId}\n${await planHash(planText)}`);
  const envelope = new Uint8Array(ENC_BYTES + plaintext.length + TAG_BYTES);
  envelope.set(new Uint8Array(sender.enc));
  envelope.set(new Uint8Array(await sender.seal(plaintext, aad)), ENC_BYTES);
  return envelope;
}

/** Pads to length, text, zeros, so that the envelope's size reveals nothing about its content. */
export function padAnswer(json: string): Uint8Array<ArrayBuffer> {
  const text = utf8(json);
  if (text.length > ANSWER_MAX_BYTES) {
    throw new RangeError(
      `The answer has ${text.length} bytes, but only ${ANSWER_MAX_BYTES} fit. Record fewer events or name fewer indicators.`,
    );
  }
  const padded = new Uint8Array(PLAINTEXT_BYTES);
  new DataView(padded.buffer).setUint16(0, text.length);
  padded.set(text, LENGTH_BYTES);
  return padded;
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
