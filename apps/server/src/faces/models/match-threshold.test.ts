// Thresholds: the table, its growth with the gallery, and separation of people.

import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faceOf, pictureOf, WRITINGS } from '#testing/faces/node-faces.ts';
import { similarity, toUnitVector } from '../galleries/face-vectors.ts';
import { createMatchThresholds } from './match-threshold.ts';

const MOST = 0.75;

describe('the table', () => {
  const { of } = createMatchThresholds();

  it('has 0.6 for FACE3_* and for unknown versions', () => {
    for (const version of ['FACE3_1', 'FACE3_3', 'FACE3_X', 'ANOTHER', 'toString']) expect(of(version, 10)).toBe(0.6);
  });

  it('grows by 0.07 per tenfold above 1,000 people, up to 0.75', () => {
    expect([0, 1, 999, 1_000].map((people) => of('FACE3_1', people))).toEqual([0.6, 0.6, 0.6, 0.6]);
    expect(of('FACE3_1', 1_001)).toBeGreaterThan(0.6);
    expect(of('FACE3_1', 10_000)).toBeCloseTo(0.67, 10);
    expect(of('FACE3_1', 100_000)).toBeCloseTo(0.74, 10);
    expect([1_000_000, 1e9].map((people) => of('FACE3_1', people))).toEqual([MOST, MOST]);
  });

  it('never falls as the gallery grows, and never below the configured value', () => {
    const size = fc.nat(10_000_000);
    fc.assert(
      fc.property(
        fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
        size,
        size,
        (base, a, b) => {
          const thresholds = createMatchThresholds(base);
          const [small, large] = [Math.min(a, b), Math.max(a, b)].map((people) => thresholds.of('FACE3_1', people));
          expect(small!).toBeGreaterThanOrEqual(base ?? 0.6);
          expect(large!).toBeGreaterThanOrEqual(small!);
          expect(large!).toBeLessThanOrEqual(Math.max(base ?? 0.6, MOST));
        },
      ),
    );
  });

  it('is replaced by the setting, which grows equally', () => {
    const { of: configured } = createMatchThresholds(0.5);
    expect(configured('FACE3_1', 10)).toBe(0.5);
    expect(configured('FACE3_1', 10_000)).toBeCloseTo(0.57, 10);
    expect(createMatchThresholds(0.9).of('FACE3_1', 1e9)).toBe(0.9);
    expect(createMatchThresholds(0).of('FACE3_1', 10)).toBe(0);
  });
});

describe('at the default threshold', () => {
  const threshold = createMatchThresholds().of('FACE3_1', 1_000);
  const alike = (a: number[], b: number[]) => similarity(toUnitVector(a)!, toUnitVector(b)!);
  const length = fc.constantFrom(128, 256, 512);
  const runs = { numRuns: onlyWhenLong(20_000, 60) };

  it.each(WRITINGS)('keeps $name vectors of different people apart', ({ write }) => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.integer({ min: 1, max: 1e6 }), length, (person, distance, size) => {
        const [one, other] = [faceOf(person, { length: size }), faceOf(person + distance, { length: size })];
        expect(alike(write(one), write(other))).toBeLessThan(threshold);
      }),
      runs,
    );
  });

  it.each(WRITINGS)('keeps noisy copies of $name vectors together, even in the largest gallery', ({ write }) => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.integer({ min: 1, max: 1e6 }), length, (person, seed, size) => {
        const face = write(faceOf(person, { length: size }));
        // Noise at half the face's strength in one of the two.
        expect(alike(face, pictureOf(face, 0.5, seed))).toBeGreaterThan(MOST);
        // Noise at a third in both.
        expect(alike(pictureOf(face, 0.33, seed), pictureOf(face, 0.33, seed + 1))).toBeGreaterThan(MOST);
      }),
      runs,
    );
  });
});
