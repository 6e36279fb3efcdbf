// Opens envelopes that devices seal to the plan's key: HPKE (RFC 9180, base mode). An answer always has the same size.
import { createHash } from 'node:crypto';
import { generateKeys, importPrivateKey, openHpke, POINT_BYTES } from '@limen/p256';
import { ENVELOPE_BYTES } from '@limen/plan';

const LABEL = 'limen device answer v1';
const LENGTH_BYTES = 2;

/** Returns base64url: the public key as an uncompressed point, the private key as its scalar. */
export function makeAnswerKeys() {
  const { scalar, point } = generateKeys();
  return { publicKey: point.toString('base64url'), privateKey: scalar.toString('base64url') };
}

interface SealedForPlan {
  envelope: Uint8Array;
  keys: ReturnType<typeof makeAnswerKeys>;
  sessionId: string;
  planText: string;
}

/** Returns the padded text, or undefined unless it was sealed to this key for this session and plan. */
export function openEnvelope(sealed: SealedForPlan): Buffer | undefined {
  return sealed.envelope.length === ENVELOPE_BYTES ? openSealed(LABEL, sealed) : undefined;
}

/** Opens an envelope of any size under its own label. */
export function openSealed(label: string, { envelope, keys, sessionId, planText }: SealedForPlan): Buffer | undefined {
  const publicPoint = Buffer.from(keys.publicKey, 'base64url');
  const planHash = createHash('sha256').update(planText).digest('hex');
  const context = {
    aead: 'aes-256-gcm',
    privateKey: importPrivateKey({ scalar: Buffer.from(keys.privateKey, 'base64url'), point: publicPoint }),
    publicPoint,
    enc: envelope.subarray(0, POINT_BYTES),
    info: Buffer.from(label),
    associatedData: Buffer.from([label, sessionId, planHash].join('\n')),
  } as const;
  return openHpke(context, envelope.subarray(POINT_BYTES)) ?? undefined;
}

/** Returns the text without its length and padding, or undefined if either is wrong. */
export function unpad(padded: Buffer): Buffer | undefined {
  if (padded.length < LENGTH_BYTES) return undefined;
  const end = LENGTH_BYTES + padded.readUInt16BE(0);
  if (end > padded.length || !padded.subarray(end).equals(Buffer.alloc(padded.length - end))) return undefined;
  return padded.subarray(LENGTH_BYTES, end);
}
