// Runs are summed up by class, and a seed counts once.
import { expect, it } from 'vitest';
import { addRun, type FaultRun, renderRuns, sumRuns } from './runs.ts';

const countsOf = (name: string, longestSeconds: number, writes: number): FaultRun['classes'][number] => ({
  name,
  longestSeconds,
  writes,
  ...{ rounds: 1, lostWrites: 1, refused: 2, sessions: 3, lostWebhooks: 4, lateWebhooks: 5, repeatedWebhooks: 6 },
  ...{ doubledWebhooks: 7, againSessions: 8, signIns: 9, againSignIns: 10 },
});
const runOfSeed = (seed: number, classes: FaultRun['classes']): FaultRun => ({
  playedOn: '2026-11-18',
  rounds: classes.length,
  seed,
  classes,
});
const first = runOfSeed(7, [countsOf('fail-over', 2.5, 100), countsOf('disk-full', 1, 10)]);
const second = runOfSeed(8, [countsOf('disk-full', 3, 20), countsOf('fail-over', 0.5, 200)]);

it('adds up counts and keeps the longest wait', () => {
  expect(sumRuns([first, second])).toEqual([
    expect.objectContaining({ name: 'fail-over', withinSeconds: 20, rounds: 2, writes: 300, longestSeconds: 2.5 }),
    expect.objectContaining({ name: 'disk-full', writes: 30, longestSeconds: 3, lostWrites: 2, againSignIns: 20 }),
  ]);
  expect(renderRuns([first, second])).toMatch(/: 4 rounds with the seeds\n7 \(2\), 8 \(2\), on one machine/);
});

it('replaces the previous run of a seed', () => {
  const again = runOfSeed(7, [countsOf('fail-over', 1, 1)]);
  expect(addRun([first, second], again)).toEqual([second, again]);
});
