import type { LogEntry } from '@limen/sdk/device';
import { expect, test } from 'vitest';
import { createTally } from '../../steps/face/tally.ts';
import { createFindingsStore, startOver } from './keep-findings.ts';

const PLAN = { nonce: 'one' };
const LOG: LogEntry[] = [
  ['started', 0, 1],
  ['shown', 0, 2],
];

function createFilledStore() {
  const kept = createFindingsStore();
  const embedding = Float32Array.of(0.6, 0.8);
  const found = kept.get(PLAN, LOG);
  found.face = { face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' }, embedding };
  found.done.push(0);
  found.log = LOG;
  return { kept, embedding };
}

test.each<[string, LogEntry[]]>([
  ['nothing else happened', LOG],
  ['the next step began', [...LOG, ['finished', 0, 3], ['started', 1, 4]]],
  ['the next step began again', [...LOG, ['finished', 0, 3], ['started', 1, 4], ['retried', 1, 5]]],
])('keeps the findings when %s', (_, log) => {
  const { kept, embedding } = createFilledStore();
  expect(kept.get(PLAN, log)).toMatchObject({ done: [0], face: { embedding } });
  expect([...embedding]).not.toEqual([0, 0]);
});

test.each<[string, { nonce: string }, LogEntry[]]>([
  ['the plan changed', { nonce: 'two' }, LOG],
  ['another tab restarted the step', PLAN, [...LOG, ['retried', 0, 3]]],
  ['the log is shorter', PLAN, [['started', 0, 1]]],
  ['the log differs', PLAN, [LOG[0]!, ['shown', 0, 99]]],
])('drops the findings and overwrites the face when %s', (_, plan, log) => {
  const { kept, embedding } = createFilledStore();
  expect(kept.get(plan, log)).toEqual({ tally: createTally(), done: [], log: [] });
  expect([...embedding]).toEqual([0, 0]);
});

test('drops the findings on wipe', () => {
  const { kept, embedding } = createFilledStore();
  kept.wipe();
  expect([...embedding]).toEqual([0, 0]);
  expect(kept.get(PLAN, LOG)).toEqual({ tally: createTally(), done: [], log: [] });
});

test('keeps only what the service accepted when the face starts over', () => {
  const { kept, embedding } = createFilledStore();
  const found = kept.get(PLAN, LOG);
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

test('keeps the tally as long as the plan, even after a wipe', () => {
  const { kept } = createFilledStore();
  kept.get(PLAN, LOG).tally.changes += 1;
  expect(kept.get(PLAN, []).tally.changes).toBe(1);
  kept.wipe();
  expect(kept.get(PLAN, LOG).tally.changes).toBe(1);
  expect(kept.get({ nonce: 'two' }, LOG).tally.changes).toBe(0);
});

test('wipes only the findings of a run that ends late, not those of a later run', () => {
  const { kept, embedding } = createFilledStore();
  const before = kept.get(PLAN, LOG);
  const after = kept.get(PLAN, []);
  const [late, later] = [Float32Array.of(1, 0), Float32Array.of(0, 1)];
  before.face = { face: { spoof: false }, embedding: late };
  after.face = { face: { spoof: false }, embedding: later };
  kept.wipe(before);
  expect([...embedding, ...late, ...later]).toEqual([0, 0, 0, 0, 0, 1]);
  expect(kept.get(PLAN, [])).toBe(after);
});
