// Contribution of a session to the counts.
import { expect, it } from 'vitest';
import type { AnySession } from '../lifecycle/session.ts';
import { listCountNames } from './count.ts';

const session = (requirements: string[]) =>
  ({ kind: 'age', contents: { settings: { requirements } } }) as never as AnySession;
const outcome = (flowStatus: string, errors: { code: number }[] = []) =>
  ({ flowStatus, errors, riskEvaluation: { recommendation: 'ALLOW', flags: ['A', 'A'] } }) as never;
const stages = (names: string[]) => names.flatMap((name) => /stage\/(.*)/.exec(name)?.[1] ?? []);

it.each([
  [null, 'EXPIRED', ['created']],
  [{ stepsStarted: 0, captureMs: null }, 'CANCELLED', ['created', 'opened']],
  [{ stepsStarted: 1, captureMs: null }, 'CANCELLED', ['created', 'opened', 'face']],
  [{ stepsStarted: 1, captureMs: 9_000 }, 'COMPLETED', ['created', 'opened', 'face', 'ended']],
  // A second unrequested step is the document that the face stepped up to.
  [{ stepsStarted: 2, captureMs: 9_000 }, 'COMPLETED', ['created', 'opened', 'face', 'document', 'ended']],
])('counts %o with %s as %j', (behavior, flowStatus, expected) => {
  expect(stages(listCountNames(session(['face']), outcome(flowStatus), behavior))).toEqual(expected);
});

it.each(['wallet', 'age_key'])('counts a %s as a proof, and no face without a capture', (source) => {
  const proven = { ...(outcome('COMPLETED') as object), result: { source } } as never;
  expect(stages(listCountNames(session(['face']), proven, null))).toEqual(['created', 'opened', 'proof', 'ended']);
  const begun = listCountNames(session(['face']), proven, { stepsStarted: 1, captureMs: null });
  expect(stages(begun)).toEqual(['created', 'opened', 'face', 'proof', 'ended']);
});

it('counts a requested document', () => {
  const both = session(['identity_document', 'face']);
  expect(stages(listCountNames(both, outcome('CANCELLED'), { stepsStarted: 1, captureMs: null }))).toEqual([
    ...['created', 'opened', 'document'],
  ]);
});

it.each([
  [10_000, '10'],
  [10_001, '20'],
  [301_000, 'more'],
])('puts %d ms into the bucket up to %s', (captureMs, bucket) => {
  const names = listCountNames(session(['face']), outcome('COMPLETED', [{ code: 1 }, { code: 1 }]), {
    stepsStarted: 1,
    captureMs,
  });
  expect(names).toContain(`age/seconds/${bucket}`);
  expect(names.filter((name) => /flag|error/.test(name))).toEqual(['age/error/1', 'age/flag/A']);
});
