// A piece is screened in as many tasks as needed, with the same result as in one.
import { expect, it } from 'vitest';
import { PLAN } from '#testing/screening/listed-people.ts';
import type { PieceOutcome } from '../engine/messages.ts';
import { screenPiece } from './pass.ts';

const outcomeOf = (row: number): PieceOutcome => ({
  scores: Float64Array.of(row / 10),
  warned: Uint8Array.of(row % 2),
  hits: Uint32Array.of(row, 0, 5, 6),
  hitScores: Float64Array.of(0.97),
  matched: 1,
});

it('continues after the rows that a task has done', async () => {
  const asked: number[] = [];
  const lane = {
    run: async (make: () => object) => {
      const { from } = make() as { from: number };
      asked.push(from);
      return outcomeOf(from) as never;
    },
  };
  const outcome = await screenPiece(lane, { rows: 3, copy: () => new Uint8Array(), plan: PLAN });
  expect(asked).toEqual([0, 1, 2]);
  expect([...outcome.scores]).toEqual([0, 0.1, 0.2]);
  expect([...outcome.warned]).toEqual([0, 1, 0]);
  expect([...outcome.hits]).toEqual([0, 0, 5, 6, 1, 0, 5, 6, 2, 0, 5, 6]);
  expect(outcome.matched).toBe(3);
});
