// Embeddings: similarity of two vectors in any representation.

import { onlyWhenLong } from '@limen/testing/rounds.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faceAlike, faceOf, pictureOf } from '#testing/faces/node-faces.ts';
import { keepGood, meanDirection, similarity, toUnitVector, vectorFromBytes, vectorToBytes } from './face-vectors.ts';

/** Resolution limit of 32-bit floats. */
const FLOAT_ERROR = 1e-5;
const runs = { numRuns: onlyWhenLong(20_000, 100) };
const person = fc.nat(1_000_000);
const length = fc.integer({ min: 128, max: 512 });

function unit(values: readonly number[]): Float32Array {
  const vector = toUnitVector(values);
  if (!vector) throw new Error('not usable');
  return vector;
}

function normOf(vector: Float32Array): number {
  return Math.sqrt(similarity(vector, vector));
}

/** Direct implementation of the definition, without protection against overflow. */
function centredCosine(a: readonly number[], b: readonly number[]): number {
  const center = (values: readonly number[]) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.map((value) => value - mean);
  };
  const dot = (x: readonly number[], y: readonly number[]) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);
  const [x, y] = [center(a), center(b)];
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}

describe('toUnitVector', () => {
  it('yields the cosine of the centered vectors', () => {
    fc.assert(
      fc.property(person, person, length, fc.double({ min: 0, max: 1, noNaN: true }), (one, other, size, share) => {
        const a = faceOf(one, { length: size });
        const b = faceOf(other, { length: size, seed: 1 }).map((value, i) => share * a[i]! + (1 - share) * value + 2);
        expect(similarity(unit(a), unit(b))).toBeCloseTo(centredCosine(a, b), 4);
      }),
      runs,
    );
  });

  it('has length one and mean zero at any scale and offset', () => {
    fc.assert(
      fc.property(
        person,
        length,
        fc.integer({ min: -290, max: 290 }),
        fc.double({ min: -100, max: 100, noNaN: true }),
        (who, size, exponent, offset) => {
          const face = faceOf(who, { length: size });
          const moved = unit(face.map((value) => (value + offset) * 10 ** exponent));
          expect(Math.abs(normOf(moved) - 1)).toBeLessThan(FLOAT_ERROR);
          expect(Math.abs(moved.reduce((sum, value) => sum + value, 0))).toBeLessThan(size * FLOAT_ERROR);
          expect(Math.abs(similarity(moved, unit(face)) - 1)).toBeLessThan(FLOAT_ERROR);
        },
      ),
      runs,
    );
  });

  it('is finite and of length one for any finite numbers that are not all zero', () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0, -0, Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, -Number.MIN_VALUE, 1e308, 1e-308),
    );
    fc.assert(
      fc.property(fc.array(number, { minLength: 128, maxLength: 140 }), (values) => {
        const vector = toUnitVector(values);
        if (values.every((value) => value === 0)) {
          expect(vector).toBeUndefined();
        } else {
          expect(vector?.every(Number.isFinite)).toBe(true);
          expect(Math.abs(normOf(vector!) - 1)).toBeLessThan(FLOAT_ERROR);
        }
      }),
      runs,
    );
  });

  it('rejects non-finite numbers at any position', () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      for (const place of [0, 64, 127]) expect(toUnitVector(faceOf(1).with(place, bad))).toBeUndefined();
    }
  });

  it('leaves a nearly constant vector unchanged', () => {
    const flat = unit(Array.from({ length: 128 }, () => 0.25));
    expect(flat.every((value) => Math.abs(value - 1 / Math.sqrt(128)) < FLOAT_ERROR)).toBe(true);
    // Centering begins at a variation of 1e-6 of the norm.
    const wavy = (share: number) => unit(faceAlike(1).map((value) => 1 + share * value));
    expect(similarity(wavy(0.9e-6), flat)).toBeCloseTo(1, 5);
    expect(similarity(wavy(1.1e-6), flat)).toBeCloseTo(0, 3);
    expect(similarity(wavy(1.1e-6), unit(faceAlike(1)))).toBeCloseTo(1, 3);
  });
});

describe('meanDirection', () => {
  it('returns nothing for no vectors and for opposites, and the vector itself for one', () => {
    const face = unit(faceOf(1));
    expect(meanDirection([])).toBeUndefined();
    expect(meanDirection([face, face.map((value) => -value)])).toBeUndefined();
    expect(meanDirection([face])).toEqual(face);
  });

  it('lies between the vectors, at length one, in any order', () => {
    fc.assert(
      fc.property(person, fc.integer({ min: 2, max: 8 }), (who, count) => {
        const face = faceOf(who);
        const pictures = Array.from({ length: count }, (_, i) => unit(pictureOf(face, 0.5, i + 1)));
        const mean = meanDirection(pictures)!;
        expect(Math.abs(normOf(mean) - 1)).toBeLessThan(FLOAT_ERROR);
        expect(Math.abs(similarity(mean, meanDirection(pictures.toReversed())!) - 1)).toBeLessThan(FLOAT_ERROR);
        const alone = pictures.map((picture) => similarity(picture, unit(face)));
        // Noise cancels out: the mean is closer to the face than its pictures are on average.
        expect(similarity(mean, unit(face))).toBeGreaterThan(alone.reduce((sum, value) => sum + value, 0) / count);
      }),
      runs,
    );
  });
});

describe('keepGood', () => {
  it('keeps a single vector and returns nothing for an empty list', () => {
    expect(keepGood([unit(faceOf(1))])).toEqual([unit(faceOf(1))]);
    expect(keepGood([])).toEqual([]);
  });

  it('keeps vectors from a similarity of 0.8 to the mean direction', () => {
    // Two vectors with similarity s have sqrt((1 + s) / 2) to their mean: 0.8 at s = 0.28.
    const pair = (alike: number) => [unit(faceAlike(1)), unit(faceAlike(alike))];
    expect(keepGood(pair(0.281))).toEqual(pair(0.281));
    expect(keepGood(pair(0.279))).toEqual([]);
    expect(keepGood(pair(-1))).toEqual([]);
  });

  it('keeps the pictures of one person in order and leaves out strangers', () => {
    fc.assert(
      fc.property(person, fc.integer({ min: 3, max: 8 }), fc.nat(8), (who, count, place) => {
        const pictures = Array.from({ length: count }, (_, i) => unit(pictureOf(faceOf(who), 0.3, i + 1)));
        const stranger = unit(faceOf(who + 1, { seed: 2 }));
        expect(keepGood(pictures.toSpliced(place % (count + 1), 0, stranger))).toEqual(pictures);
      }),
      runs,
    );
  });
});

it('restores the exact floats from bytes', () => {
  fc.assert(
    fc.property(fc.float32Array({ minLength: 128, maxLength: 130 }), (vector) => {
      const bytes = vectorToBytes(vector);
      expect(bytes).toHaveLength(vector.length * 4);
      // At any memory offset, including unaligned ones.
      const shifted = Buffer.concat([Buffer.of(0), bytes]).subarray(1);
      expect(vectorFromBytes(shifted)).toEqual(vector);
    }),
    runs,
  );
  expect([...vectorToBytes(Float32Array.of(1))]).toEqual([0, 0, 0x80, 0x3f]);
});
