// Pieces of a step log: what extends it, what contradicts it, and what the plan cannot have.
import type { FacePlanStep, LogEntry } from '@limen/plan';
import { expect, it } from 'vitest';
import { extendLog } from './extend-log.ts';

const FACE: FacePlanStep = {
  step: 'face',
  when: 'always',
  report: 'threshold',
  ageThreshold: 18,
  challenges: ['blink', 'look_up', 'turn_left'],
  challengeMs: 15_000,
};
const KEPT: LogEntry[] = [
  ['started', 0, 500],
  ['shown', 0, 900],
  ['done', 0, 2_000],
];
const NEXT: LogEntry = ['shown', 1, 2_300];

it('goes on behind what is there, whether that comes again or not', () => {
  for (const from of [0, 1, 3]) {
    expect(extendLog({ steps: [FACE] }, KEPT, from, [...KEPT.slice(from), NEXT])).toEqual({ log: [...KEPT, NEXT] });
  }
  expect(extendLog({ steps: [FACE] }, KEPT, 0, KEPT.slice(0, 2))).toEqual({ log: KEPT });
});

it('is in conflict with another course that the plan could have had too', () => {
  expect(extendLog({ steps: [FACE] }, KEPT, 1, [['shown', 0, 901]])).toEqual({ conflict: true });
  expect(extendLog({ steps: [FACE] }, KEPT, 1, [['retried', 0, 700]])).toEqual({ conflict: true });
  // Longer than what is kept, and of no sense behind it.
  const other: LogEntry[] = [
    ['shown', 0, 600],
    ['retried', 0, 3_000],
    ['shown', 0, 3_100],
    ['done', 0, 4_000],
  ];
  expect(extendLog({ steps: [FACE] }, KEPT, 1, other)).toEqual({ conflict: true });
});

it('does not fit when the plan cannot have it, whatever is kept', () => {
  expect(extendLog({ steps: [FACE] }, KEPT, 3, [['shown', 2, 2_300]])).toEqual({ misfit: { step: 0 } });
  expect(extendLog({ steps: [FACE] }, KEPT, 1, [['shown', 1, 900]])).toEqual({ misfit: { step: 0 } });
});
