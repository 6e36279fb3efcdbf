import type { LogEntry } from '@limen/sdk/device';
import { expect, test } from 'vitest';
import { createTally } from '../../steps/face/tally.ts';
import { keepFindings, startOver } from './keep-findings.ts';

const PLAN = { nonce: 'one' };
const LOG: LogEntry[] = [
  ['started', 0, 1],
  ['shown', 0, 2],
];

function keepOne() {
  const kept = keepFindings();
  const embedding = Float32Array.of(0.6, 0.8);
  const found = kept.of(PLAN, LOG);
  found.face = { face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' }, embedding };
  found.done.push(0);
  found.log = LOG;
  return { kept, embedding };
}

test.each<[string, LogEntry[]]>([
  ['nothing more happened', LOG],
  ['the next step began', [...LOG, ['finished', 0, 3], ['started', 1, 4]]],
  ['the next step began again', [...LOG, ['finished', 0, 3], ['started', 1, 4], ['retried', 1, 5]]],
])('what was found is there as long as it stands: %s', (_, log) => {
  const { kept, embedding } = keepOne();
  expect(kept.of(PLAN, log)).toMatchObject({ done: [0], face: { embedding } });
  expect([...embedding]).not.toEqual([0, 0]);
});

test.each<[string, { nonce: string }, LogEntry[]]>([
  ['the plan is another', { nonce: 'two' }, LOG],
  ['the step began again, as another tab has it', PLAN, [...LOG, ['retried', 0, 3]]],
  ['the log is another', PLAN, [['started', 0, 1]]],
  ['the log tells another course', PLAN, [LOG[0]!, ['shown', 0, 99]]],
])('it is gone, and its face overwritten, when %s', (_, plan, log) => {
  const { kept, embedding } = keepOne();
  expect(kept.of(plan, log)).toEqual({ tally: createTally(), done: [], log: [] });
  expect([...embedding]).toEqual([0, 0]);
});

test('it is gone when it is not wanted any more', () => {
  const { kept, embedding } = keepOne();
  kept.wipe();
  expect([...embedding]).toEqual([0, 0]);
  expect(kept.of(PLAN, LOG)).toEqual({ tally: createTally(), done: [], log: [] });
});

test('back at the face nothing of it stands, nor of what came after; what the service took stays', () => {
  const { kept, embedding } = keepOne();
  const found = kept.of(PLAN, LOG);
  const selfie = Uint8Array.of(1, 2);
  found.face = { ...found.face!, selfie };
  Object.assign(found, { passkey: true, contact: { email: 'name@example.org' }, remember: null });
  startOver(found);
  expect(found).toEqual({ tally: createTally(), done: [], log: LOG, passkey: true });
  expect([[...embedding], [...selfie]]).toEqual([
    [0, 0],
    [0, 0],
  ]);
});

test('what was forgiven before the camera is remembered for as long as the plan is, whatever else is gone', () => {
  const { kept } = keepOne();
  kept.of(PLAN, LOG).tally.changes += 1;
  expect(kept.of(PLAN, []).tally.changes).toBe(1);
  kept.wipe();
  expect(kept.of(PLAN, LOG).tally.changes).toBe(1);
  expect(kept.of({ nonce: 'two' }, LOG).tally.changes).toBe(0);
});

test('a run that ends late takes its own with it, and not what a later one found', () => {
  const { kept, embedding } = keepOne();
  const before = kept.of(PLAN, LOG);
  const after = kept.of(PLAN, []);
  const [late, later] = [Float32Array.of(1, 0), Float32Array.of(0, 1)];
  before.face = { face: { spoof: false }, embedding: late };
  after.face = { face: { spoof: false }, embedding: later };
  kept.wipe(before);
  expect([...embedding, ...late, ...later]).toEqual([0, 0, 0, 0, 0, 1]);
  expect(kept.of(PLAN, [])).toBe(after);
});
