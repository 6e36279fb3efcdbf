// An independent implementation of sealing and opening a box, by docs/device-protocol.md alone.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { CarriedBox, HandoffRequest } from '@limen/contract';
import type { DevicePlan } from '@limen/plan';
import type { TestDevice } from './device.ts';

const [BOX_BYTES, NONCE_BYTES, TAG_BYTES] = [4_096, 12, 16];

interface Sealing {
  device: Pick<TestDevice, 'sign'>;
  planText: string;
}

export interface SealedBox {
  carried: NonNullable<HandoffRequest['carried']>;
  key: Buffer;
}

/** Seals and signs what these steps found, for the next device. */
export async function sealBox({ device, planText }: Sealing, steps: number[], found: object): Promise<SealedBox> {
  const { sessionId } = JSON.parse(planText) as DevicePlan;
  const key = randomBytes(16);
  const text = Buffer.from(JSON.stringify({ version: 1, ...found }));
  const padded = Buffer.alloc(BOX_BYTES - NONCE_BYTES - TAG_BYTES);
  padded.writeUInt16BE(text.length);
  text.copy(padded, 2);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  cipher.setAAD(formatPlace(sessionId, hashContent(planText), steps));
  const box = Buffer.concat([nonce, cipher.update(padded), cipher.final(), cipher.getAuthTag()]);
  const signed = ['limen-handoff-box-v1', sessionId, hashContent(planText), steps.join(','), hashContent(box)].join(
    '\n',
  );
  return { key, carried: { box: box.toString('base64url'), steps, signature: await device.sign(signed) } };
}

/** Throws for a box of another session or key. */
export function openBox({ box, planHash, steps }: CarriedBox, sessionId: string, key: Buffer): unknown {
  const bytes = Buffer.from(box, 'base64url');
  const decipher = createDecipheriv('aes-128-gcm', key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAAD(formatPlace(sessionId, planHash, steps));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const padded = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  return JSON.parse(padded.subarray(2, 2 + padded.readUInt16BE()).toString());
}

function formatPlace(sessionId: string, planHash: string, steps: readonly number[]): Buffer {
  return Buffer.from(['limen handoff box v1', sessionId, planHash, steps.join(',')].join('\n'));
}

function hashContent(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
