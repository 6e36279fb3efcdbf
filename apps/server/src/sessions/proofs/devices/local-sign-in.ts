// What a device signs for a sign-in without the server's comparison, or to be forgotten, and whether the signature holds.
import { createHash } from 'node:crypto';
import { readPoint, verifySignature } from '@limen/p256';

/** One word for each use: a signature made for one is not valid for the other. */
const PROTOCOLS = { signIn: 'limen-device-sign-in-v1', forget: 'limen-device-forget-v1' } as const;

export type DeviceWord = keyof typeof PROTOCOLS;

export interface DeviceStatement {
  word: DeviceWord;
  sessionId: string;
  /** Of the plan. */
  nonce: string;
  /** The plan as it was sent to the device. */
  planText: string;
  deviceId: string;
}

/** Whether these bytes are a public key at all. */
export function isDevicePoint(point: Uint8Array): boolean {
  return readPoint(point) !== null;
}

export async function holdsStatement(
  point: Uint8Array,
  statement: DeviceStatement,
  signature: Uint8Array,
): Promise<boolean> {
  const key = readPoint(point);
  if (!key) return false;
  const { word, sessionId, nonce, planText, deviceId } = statement;
  const planHash = createHash('sha256').update(planText).digest('hex');
  const text = [PROTOCOLS[word], sessionId, nonce, planHash, deviceId].join('\n');
  return verifySignature(key, Buffer.from(text), signature);
}
