import fc from 'fast-check';
import { expect, test } from 'vitest';
import { combineAges, estimateAge } from './age.ts';

function shareOut(...years: number[]): Float32Array {
  const shares = new Float32Array(100);
  for (const year of years) shares[year]! += 1 / years.length;
  return shares;
}

test('returns the common age as bound if the models are sure and agree', () => {
  const { age, lowerBound } = estimateAge({ small: 30, smallMirrored: 30, years: shareOut(30) });
  expect(age).toBeCloseTo(30, 4);
  expect(lowerBound).toBeCloseTo(30, 3);
});

test('lowers the bound by half the deep model’s spread and a third of the mirror difference', () => {
  const { age, lowerBound } = estimateAge({ small: 20, smallMirrored: 24, years: shareOut(20, 30) });
  expect(age).toBeCloseTo((22 + 25) / 2, 4);
  expect(lowerBound).toBeCloseTo(23.5 - 0.5 * 5 - 0.35 * 4, 4);
});

test('supports a stricter service', () => {
  const readings = { small: 20, smallMirrored: 24, years: shareOut(20, 30) };
  const { age, lowerBound } = estimateAge(readings, { spread: 1, mirror: 0.5, years: 2 });
  expect(age).toBe(estimateAge(readings).age);
  expect(lowerBound).toBeCloseTo(23.5 - 5 - 0.5 * 4 - 2, 4);
});

test('never sets the bound above the age', () => {
  const years = fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 10 });
  const small = fc.double({ min: 0, max: 100, noNaN: true });
  fc.assert(
    fc.property(small, small, years, (plain, mirrored, chosen) => {
      const estimate = estimateAge({ small: plain, smallMirrored: mirrored, years: shareOut(...chosen) });
      expect(estimate.lowerBound).toBeLessThanOrEqual(estimate.age + 1e-6);
    }),
  );
});

test('ignores one bad frame of five', () => {
  const good = [29, 30, 31, 32].map((age) => ({ age, lowerBound: age - 4 }));
  const combined = combineAges([...good, { age: 90, lowerBound: 0 }]);
  expect(combined).toEqual({ age: 31, lowerBound: 26 });
  expect(combineAges([])).toBeNull();
});
