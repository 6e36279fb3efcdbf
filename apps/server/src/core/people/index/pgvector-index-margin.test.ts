// The margin covers what single precision loses, and the bound lets no row that may be among the best go.
import { describe, expect, it } from 'vitest';
import { similarity, toUnitVector } from '../face-vectors.ts';
import { candidateBound, SPARE_CANDIDATES, scoreMargin } from './pgvector-index-margin.ts';

describe('scoreMargin', () => {
  it('grows with the number of additions and with the length of the probe', () => {
    const [short, long] = [new Float32Array(128).fill(1), new Float32Array(512).fill(1)];
    expect(scoreMargin(short)).toBeCloseTo((128 + 8) * 2 ** -24 * 1.01 * Math.sqrt(128), 12);
    expect(scoreMargin(long)).toBeCloseTo((512 + 8) * 2 ** -24 * 1.01 * Math.sqrt(512), 12);
  });

  it('is not exceeded by sums in single precision, even where all errors go one way', () => {
    // Equal addends that do not fit: every addition loses in the same direction.
    for (const dimensions of [128, 300, 512]) {
      const vector = new Float32Array(dimensions).fill(Math.fround(1 / Math.sqrt(dimensions)));
      let sum = 0;
      for (const value of vector) sum = Math.fround(sum + Math.fround(value * value));
      expect(Math.abs(sum - similarity(vector, vector))).toBeLessThan(scoreMargin(vector));
    }
    for (let seed = 1; seed <= 50; seed++) {
      const at = (offset: number) =>
        toUnitVector(Array.from({ length: 512 }, (_, i) => Math.sin(seed * (i + offset) ** 2)))!;
      const [a, b] = [at(0), at(3)];
      let sum = 0;
      for (const [i, value] of a.entries()) sum = Math.fround(sum + Math.fround(value * b[i]!));
      expect(Math.abs(sum - similarity(a, b))).toBeLessThan(scoreMargin(a));
    }
  });
});

describe('candidateBound', () => {
  const rowsOf = (...scores: number[]) => scores.map((score) => ({ score }));
  const spare = Array.from({ length: SPARE_CANDIDATES }, () => 0.1);

  it('is not needed when all rows were fetched', () => {
    expect(candidateBound(rowsOf(0.9, 0.9), 1, 0.01)).toBe(undefined);
  });

  it('is not needed when the worst row fetched is out of reach', () => {
    expect(candidateBound(rowsOf(0.9, ...spare), 1, 0.01)).toBe(undefined);
  });

  it('lies two margins below the k-th best score: one for that row, one for the other', () => {
    expect(candidateBound(rowsOf(0.9, ...spare.map(() => 0.885)), 1, 0.01)).toBeCloseTo(0.88, 12);
    expect(candidateBound(rowsOf(0.9, ...spare.map(() => 0.879)), 1, 0.01)).toBe(undefined);
  });
});
