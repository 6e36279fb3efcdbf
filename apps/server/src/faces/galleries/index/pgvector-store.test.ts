// The margin covers rounding in half and single precision; the bound keeps every possible best row.
import { describe, expect, it } from 'vitest';
import { similarity, toUnitVector } from '../face-vectors.ts';
import { candidateBound, SPARE_CANDIDATES, scoreMargin } from './pgvector-store.ts';

describe('scoreMargin', () => {
  it('grows with the number of additions and the length of the probe', () => {
    const [short, long] = [new Float32Array(128).fill(1), new Float32Array(512).fill(1)];
    const halves = (dimensions: number) => 2 ** -10 + 2 ** -22 + 2 * Math.sqrt(dimensions) * 2 ** -25;
    expect(scoreMargin(short)).toBeCloseTo((halves(128) + (128 + 8) * 2 ** -24) * 1.01 * Math.sqrt(128), 12);
    expect(scoreMargin(long)).toBeCloseTo((halves(512) + (512 + 8) * 2 ** -24) * 1.01 * Math.sqrt(512), 12);
  });

  it('is not exceeded by halves summed in single precision with one-sided errors', () => {
    const sumOf = (a: Float32Array, b: Float32Array) => {
      const [left, right] = [new Float16Array(a), new Float16Array(b)];
      let sum = 0;
      for (const [at, value] of left.entries()) sum = Math.fround(sum + Math.fround(value * right[at]!));
      return sum;
    };
    // Equal addends that are not representable: every rounding and addition errs in one direction.
    for (const dimensions of [128, 131, 300, 397, 512]) {
      const vector = new Float32Array(dimensions).fill(Math.fround(1 / Math.sqrt(dimensions)));
      expect(Math.abs(sumOf(vector, vector) - similarity(vector, vector))).toBeLessThan(scoreMargin(vector));
    }
    for (let seed = 1; seed <= 50; seed++) {
      const at = (offset: number) =>
        toUnitVector(Array.from({ length: 512 }, (_, i) => Math.sin(seed * (i + offset) ** 2)))!;
      const [a, b] = [at(0), at(3)];
      expect(Math.abs(sumOf(a, b) - similarity(a, b))).toBeLessThan(scoreMargin(a));
    }
  });

  it('holds for numbers too small for half precision', () => {
    const tiny = new Float32Array(512).fill(2 ** -26);
    tiny[0] = 1;
    const other = new Float32Array(512).fill(1 / Math.sqrt(512));
    let sum = 0;
    for (const [at, value] of new Float16Array(tiny).entries()) sum += value * new Float16Array(other)[at]!;
    expect(Math.abs(sum - similarity(tiny, other))).toBeLessThan(scoreMargin(tiny));
  });
});

describe('candidateBound', () => {
  const rowsOf = (...scores: number[]) => scores.map((score) => ({ score }));
  const spare = Array.from({ length: SPARE_CANDIDATES }, () => 0.1);

  it('is undefined when all rows were fetched', () => {
    expect(candidateBound(rowsOf(0.9, 0.9), 1, 0.01)).toBe(undefined);
  });

  it('is undefined when the worst fetched row is out of reach', () => {
    expect(candidateBound(rowsOf(0.9, ...spare), 1, 0.01)).toBe(undefined);
  });

  it('lies two margins below the k-th best score, one for each of the two rows', () => {
    expect(candidateBound(rowsOf(0.9, ...spare.map(() => 0.885)), 1, 0.01)).toBeCloseTo(0.88, 12);
    expect(candidateBound(rowsOf(0.9, ...spare.map(() => 0.879)), 1, 0.01)).toBe(undefined);
  });
});
