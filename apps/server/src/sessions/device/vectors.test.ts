// The published vectors of the device protocol against the service.

import { checkWhole, readLog } from '@limen/plan';
import { describe, expect, it } from 'vitest';
import { type SignedVector, vectors } from '../../../../../packages/sdk/testing/device-vectors.ts';
import { openEnvelope, unpad } from './envelope.ts';
import { verifyCall } from './signature.ts';

const { signing, sealing, logs } = vectors;

describe('signatures', () => {
  it.each(signing.signed)('accepts $name', async ({ operation, counter, body, bodyHex, ...call }) => {
    const bytes = bodyHex === undefined ? Buffer.from(body ?? '') : Buffer.from(bodyHex, 'hex');
    const place = operation === 'view' ? '' : operation;
    const given = { ...call, operation: place, body: bytes, key: signing.publicKey, counter: String(counter) };
    expect(await verifyCall(given)).toEqual({ key: signing.publicKey, counter });
  });

  it('refuses the same bytes in another encoding', async () => {
    const { signature } = signing.refused.find(({ name }) => name.includes('another spelling'))!;
    const bytes = Buffer.from(signature, 'base64url');
    const { operation, counter, body = '', ...call } = signing.signed.find((good) => isSpelling(good, bytes))!;
    const given = { ...call, operation, body: Buffer.from(body), key: signing.publicKey, counter: String(counter) };
    expect(await verifyCall(given)).toBeDefined();
    expect(await verifyCall({ ...given, signature })).toBe(undefined);
  });
});

describe('envelopes', () => {
  it.each(sealing.sealed)('opens $name', async ({ planText, recipientPrivateKey, envelope, answer }) => {
    const padded = openEnvelope({ ...placeOf(planText, recipientPrivateKey), envelope: bytesOf(envelope) });
    expect(padded && unpad(padded)?.toString()).toBe(answer);
  });

  it.each(sealing.refused)('refuses to open $name', async ({ envelope }) => {
    const { planText, recipientPrivateKey } = sealing.sealed[0]!;
    const place = placeOf(planText, recipientPrivateKey);
    expect(openEnvelope({ ...place, envelope: bytesOf(envelope) })).toBe(undefined);
  });
});

it.each(logs.cases)('judges the log: $name', ({ plan, carried, log, legal, ...due }) => {
  const read = readLog(log);
  expect(
    read !== undefined &&
      checkWhole({ steps: logs.plans[plan]!, ...(carried && { carried }) }, read, due) === undefined,
  ).toBe(legal);
});

function isSpelling({ signature }: SignedVector, bytes: Buffer): boolean {
  return Buffer.from(signature, 'base64url').equals(bytes);
}

function placeOf(planText: string, privateKey: string) {
  const { sessionId, publicKey } = JSON.parse(planText) as { sessionId: string; publicKey: string };
  return { planText, sessionId, keys: { publicKey, privateKey: bytesOf(privateKey).toString('base64url') } };
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}
