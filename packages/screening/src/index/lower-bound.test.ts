import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evenBound, lowerBound } from './lower-bound.ts';

/** Ascending values, evenly spread or clustered, so that the guess may be arbitrarily wrong. */
const values = fc
  .tuple(
    fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 40, maxLength: 300, size: 'max' }),
    fc.constantFrom(1, 0.01),
  )
  .map(([all, share]) => Uint32Array.from(all, (value) => (value % 2 === 0 ? value : value * share)).sort());

it('finds the same position as binary search, however wrong the guess is', () => {
  fc.assert(
    fc.property(
      values,
      fc.nat(20),
      fc.integer({ min: 20, max: 300 }),
      fc.nat(1_100),
      fc.nat(400),
      fc.nat(1_200),
      (all, from, last, wanted, least, more) => {
        const to = Math.min(last, all.length);
        expect(evenBound(all, from, to, wanted, least, least + more)).toBe(lowerBound(all, from, to, wanted));
      },
    ),
    { numRuns: 2_000 },
  );
});
