// The box of a handoff: published vectors, rejected boxes, and the findings that a device seals.

import type { DevicePlan, FacePlanStep, LogEntry, PlanStep } from '@limen/plan';
import { describe, expect, it } from 'vitest';
import { type BoxVector, vectors } from '../../../testing/device-vectors.ts';
import {
  drawHandoffBoxKey,
  exportDeviceKey,
  generateDeviceKeyPair,
  HANDOFF_BOX_BYTES,
  type HandoffFindings,
  handoffBoxText,
  openHandoffBox,
  planHash,
  sealHandoffBox,
  signHandoffBox,
} from '../../device.ts';
import { packHandoff, unpackCarried } from './handoff.ts';
import { sealWithNonce } from './handoff-box.ts';

const { handoffBox } = vectors;

const fromHex = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const fromText = (text: string) => Uint8Array.from(Buffer.from(text, 'base64url'));
const open = ({ box, signature, key, ...place }: BoxVector) =>
  openHandoffBox(
    { ...place, box: fromHex(box), signature: fromText(signature), deviceKey: fromText(handoffBox.deviceKey) },
    fromHex(key),
  );
const asJson = ({ embedding, ...findings }: HandoffFindings) =>
  JSON.stringify({
    version: 1,
    ...findings,
    ...(embedding && { embedding: Buffer.from(embedding.buffer).toString('base64url') }),
  });

it('has the contract’s size', () => {
  expect(HANDOFF_BOX_BYTES).toBe(4_096);
});

describe('the published vectors', () => {
  it.each(handoffBox.sealed)('$name: opens, and seals to the same bytes with the same nonce', async (vector) => {
    const findings = await open(vector);
    expect(findings && asJson(findings)).toBe(vector.json);
    const box = await sealWithNonce(vector, fromHex(vector.key), findings!, fromHex(vector.nonce));
    expect(Buffer.from(box).toString('hex')).toBe(vector.box);
    expect(await handoffBoxText(vector, box)).toBe(vector.signedText);
  });

  it.each(handoffBox.refused)('$name: does not open', async ({ change }) => {
    expect(await open({ ...handoffBox.sealed[0]!, ...change })).toBe(undefined);
  });
});

const FACE: FacePlanStep = {
  step: 'face',
  when: 'always',
  report: 'threshold',
  ageThreshold: 18,
  challenges: [],
  challengeMs: 1,
};
const DOCUMENT = {
  step: 'identity_document',
  when: 'always',
  report: 'threshold',
  ageThreshold: 18,
  fromFile: false,
} as const;
const TOKEN = {
  step: 'token',
  when: 'always',
  operation: 'ENROLL',
  gallery: 'g',
  modelId: 'm',
  sendsSelfie: false,
} as const;
const CONTACT: PlanStep = { step: 'contact', when: 'always', fields: ['email'] };
const found = { face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' } } as const;
const embedding = Float32Array.from({ length: 512 }, (_, index) => Math.sin(index));
const PASSPORT: NonNullable<HandoffFindings['document']> = {
  thresholdResult: 'AGE_ABOVE_THRESHOLD',
  matchScore: null,
  type: 'passport',
  country: 'NLD',
  verifiedAt: '2026-03-01T12:00:00Z',
  signs: [],
};
const done = (...steps: number[]): LogEntry[] =>
  steps.flatMap((step): LogEntry[] => [
    ['started', step, 0],
    ['finished', step, 1],
  ]);

async function pack(steps: readonly PlanStep[], log: LogEntry[], findings: HandoffFindings) {
  const pair = await generateDeviceKeyPair();
  const plan = {
    version: 1,
    sessionId: '7d1f0c52-9a3e-4b6d-8f21-5c0e9b7a4d13',
    steps: [...steps],
    carried: log.flatMap(([event, index]) => (event === 'carried' ? [index] : [])),
  } as unknown as DevicePlan;
  const planText = JSON.stringify(plan);
  const packed = await packHandoff({ planText, plan, log, privateKey: pair.privateKey }, findings);
  const deviceKey = await exportDeviceKey(pair.publicKey);
  const carried = packed && { ...packed.carried, deviceKey, planHash: await planHash(planText) };
  return { plan, packed, carried };
}

describe('carried findings', () => {
  it.each<[string, readonly PlanStep[], LogEntry[], HandoffFindings, number[]]>([
    ['a finished face with its embedding', [FACE, DOCUMENT], done(0), { ...found, embedding }, [0]],
    ['not a face without one: the document could not be compared', [FACE, DOCUMENT], done(0), found, []],
    ['not a face that is being done', [FACE, DOCUMENT], [['started', 0, 0]], { ...found, embedding }, []],
    ['not a face that began again', [FACE, DOCUMENT], [...done(0), ['retried', 0, 2]], { ...found, embedding }, []],
    ['not a spoof', [FACE, DOCUMENT], done(0), { face: { spoof: true }, embedding }, []],
    [
      'a document before the face, with its portrait',
      [DOCUMENT, FACE],
      done(0),
      { document: PASSPORT, embedding },
      [0],
    ],
    [
      'all that needs no comparison anymore, without one',
      [FACE, TOKEN, CONTACT],
      done(0, 1),
      { face: { spoof: false } },
      [0, 1],
    ],
    ['what came along itself', [FACE, DOCUMENT], [['carried', 0, 0]], { ...found, embedding }, [0]],
    ['only the steps whose findings are there', [FACE, DOCUMENT, TOKEN], done(0, 1), { ...found, embedding }, [0]],
    [
      'nothing where a picture is wanted',
      [FACE, { ...TOKEN, sendsSelfie: true }],
      done(0),
      { ...found, embedding },
      [],
    ],
  ])('include %s', async (_what, steps, log, findings, expected) => {
    expect((await pack(steps, log, findings)).packed?.carried.steps ?? []).toEqual(expected);
  });

  it('are unchanged for a plan with the same steps', async () => {
    const { plan, packed, carried } = await pack([FACE, DOCUMENT], done(0), { ...found, indicators: null, embedding });
    const next = { ...plan, nonce: 'another', carried: [0] };
    expect(await unpackCarried(next, carried, packed?.key)).toEqual({
      steps: [0],
      findings: { ...found, indicators: null, embedding },
    });
    expect(await unpackCarried({ ...next, carried: [0, 1] }, carried, packed?.key)).toBe(undefined);
    expect(await unpackCarried(next, carried, undefined)).toBe(undefined);
    expect(await unpackCarried(next, carried, 'not a key')).toBe(undefined);
  });

  it('have a fixed size, and the box excludes what does not fit', async () => {
    const pair = await generateDeviceKeyPair();
    const place = { sessionId: 's', planHash: '00', steps: [0] };
    const key = drawHandoffBoxKey();
    for (const findings of [{}, { ...found, embedding }]) {
      const box = await sealHandoffBox(place, key, findings);
      expect([box.length, (await signHandoffBox(pair.privateKey, place, box)).length]).toEqual([4_096, 64]);
    }
    const huge = new Float32Array(1_024);
    await expect(sealHandoffBox(place, key, { embedding: huge })).rejects.toThrow(RangeError);
    expect((await pack([FACE, DOCUMENT], done(0), { ...found, embedding: huge })).packed).toBe(undefined);
  });
});
