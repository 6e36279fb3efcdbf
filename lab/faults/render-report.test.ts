// Losses and delays in a report of faults.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FAULT_CLASSES } from './fault-classes.ts';
import type { ClassResult } from './play-faults.ts';
import { listDelays, listLosses, renderTable } from './render-report.ts';

const fine: ClassResult = {
  name: 'fail-over',
  what: 'the replica takes over',
  withinSeconds: 20,
  rounds: 2,
  writes: 100,
  lostWrites: 0,
  refused: 7,
  longestSeconds: 1.84,
  sessions: 30,
  lostWebhooks: 0,
  lateWebhooks: 1,
  repeatedWebhooks: 2,
  doubledWebhooks: 0,
  againSessions: 0,
  signIns: 9,
  againSignIns: 1,
};
const reportOf = (one: ClassResult, surprises: string[] = []) => ({ classes: [one], leftOut: [], surprises });

it("accepts the document's name of each class", () => {
  const text = readFileSync('docs/reference/faults.md', 'utf8');
  expect(FAULT_CLASSES.filter(({ name }) => !text.includes(`\`${name}\``))).toEqual([]);
});

it('reports nothing that at-least-once delivery allows', () => {
  expect(listLosses(reportOf(fine))).toEqual([]);
  expect(listDelays(reportOf(fine))).toEqual([]);
});

it.each(['lostWrites', 'lostWebhooks', 'doubledWebhooks'] as const)('reports %s', (count) => {
  expect(listLosses(reportOf({ ...fine, [count]: 3 }))).toEqual([expect.stringMatching(/^fail-over: 3 /)]);
});

it('reports unexplained errors and excessive durations', () => {
  expect(listLosses(reportOf(fine, ['/strings answered 400']))).toEqual(['/strings answered 400']);
  expect(listDelays(reportOf({ ...fine, longestSeconds: 20.1 }))).toHaveLength(1);
});

it('has a line per class', () => {
  expect(renderTable([fine]).split('\n').at(-1)).toBe(
    '| `fail-over` | the replica takes over | 2 | 0 of 100 | 0 of 30 | 1 | 2 | 7 | 1.8 s | 0 of 30 | 1 of 10 |',
  );
});
