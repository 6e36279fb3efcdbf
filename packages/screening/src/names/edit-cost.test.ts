import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editCost, lettersOf, mayCost } from './edit-cost.ts';

const codes = (text: string) => new TextEncoder().encode(text);
function cost(a: string, b: string, limit = 100): number {
  return editCost(codes(a), 0, a.length, codes(b), 0, b.length, limit);
}
const word = fc.stringMatching(/^[a-z]{0,12}$/);

describe('editCost', () => {
  test('charges less for common typos than for other edits', () => {
    expect(cost('petrov', 'petrov')).toBe(0);
    expect(cost('hassan', 'hasssan')).toBeLessThan(cost('hassan', 'haskan'));
    expect(cost('maria', 'meria')).toBeLessThan(cost('maria', 'mkria'));
    expect(cost('bader', 'pader')).toBeLessThan(cost('bader', 'lader'));
    expect(cost('ahmed', 'amhed')).toBeLessThan(2 * cost('ahmed', 'axmed'));
  });

  test('is symmetric, and 0 only for equal words', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(cost(a, b)).toBeCloseTo(cost(b, a), 10);
        expect(cost(a, b) === 0).toBe(a === b);
      }),
    );
  });

  test('is unchanged by a limit that it does not exceed', () => {
    fc.assert(
      fc.property(word, word, fc.double({ min: 0, max: 4, noNaN: true }), (a, b, limit) => {
        const whole = cost(a, b);
        expect(cost(a, b, limit)).toBe(whole > limit ? Number.POSITIVE_INFINITY : whole);
      }),
    );
  });

  test('is never below the bound by letters alone', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(mayCost(lettersOf(codes(a)), lettersOf(codes(b)), cost(a, b) + 1e-9)).toBe(true);
      }),
    );
    expect(mayCost(lettersOf(codes('petrov')), lettersOf(codes('sidorkin')), 2)).toBe(false);
  });

  test('reads only the given range', () => {
    expect(editCost(codes('xxanna'), 2, 6, codes('annayy'), 0, 4, 5)).toBe(0);
  });
});
