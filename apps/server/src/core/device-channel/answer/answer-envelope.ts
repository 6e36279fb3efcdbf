// What devices seal to a key pair of the plan: HPKE (RFC 9180, base mode). An answer is always of the same size.

import { createHash } from 'node:crypto';
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import { ENVELOPE_BYTES } from '@limen/plan';

const LABEL = 'limen device answer v1';
const ENCAPSULATED_BYTES = 65;
const LENGTH_BYTES = 2;

const suite = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});

/** Both as base64url: the public one as an uncompressed point, the private one as its scalar. */
export interface AnswerKeys {
  publicKey: string;
  privateKey: string;
}

export async function makeAnswerKeys(): Promise<AnswerKeys> {
  const pair = await suite.kem.generateKeyPair();
  const [publicKey, privateKey] = await Promise.all([
    suite.kem.serializePublicKey(pair.publicKey),
    suite.kem.serializePrivateKey(pair.privateKey),
  ]);
  return {
    publicKey: Buffer.from(publicKey).toString('base64url'),
    privateKey: Buffer.from(privateKey).toString('base64url'),
  };
}

interface Sealed {
  envelope: Uint8Array;
  privateKey: string;
  sessionId: string;
  planText: string;
}

/** The padded text; undefined when it was not sealed to this key, for this session and for this plan. */
export async function openEnvelope({ envelope, privateKey, sessionId, planText }: Sealed): Promise<Buffer | undefined> {
  if (envelope.length !== ENVELOPE_BYTES) return undefined;
  return openSealed(LABEL, { envelope, privateKey, sessionId, planText });
}

/** The same for something of any size, under a label of its own. */
export async function openSealed(
  label: string,
  { envelope, privateKey, sessionId, planText }: Sealed,
): Promise<Buffer | undefined> {
  if (envelope.length < ENCAPSULATED_BYTES) return undefined;
  const recipientKey = await suite.kem.deserializePrivateKey(bytesOf(Buffer.from(privateKey, 'base64url')));
  const planHash = createHash('sha256').update(planText).digest('hex');
  try {
    const recipient = await suite.createRecipientContext({
      recipientKey,
      enc: bytesOf(envelope.subarray(0, ENCAPSULATED_BYTES)),
      info: bytesOf(Buffer.from(label)),
    });
    const aad = Buffer.from([label, sessionId, planHash].join('\n'));
    return Buffer.from(await recipient.open(bytesOf(envelope.subarray(ENCAPSULATED_BYTES)), bytesOf(aad)));
  } catch {
    return undefined;
  }
}

/** The text without its length and padding; undefined when either is not as it has to be. */
export function unpad(padded: Buffer): Buffer | undefined {
  if (padded.length < LENGTH_BYTES) return undefined;
  const end = LENGTH_BYTES + padded.readUInt16BE(0);
  if (end > padded.length || padded.subarray(end).some((byte) => byte !== 0)) return undefined;
  return padded.subarray(LENGTH_BYTES, end);
}

/** A copy of its own: the library looks at the whole buffer behind a view, and small buffers share one. */
function bytesOf(view: Uint8Array): ArrayBuffer {
  return new Uint8Array(view).buffer;
}
