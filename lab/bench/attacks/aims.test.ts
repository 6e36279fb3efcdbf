// When a target is met, missed, or undecidable.
import { expect, test } from 'vitest';
import { judgeEvenness, judgeLeast, judgeMost } from './aims.ts';

const text = 'x';
const met = 'aim x: met';
const missed = 'aim x: NOT MET';
const unknown = 'aim x: not shown by so few';

test('uses the upper end of the interval for "at most"', () => {
  expect(judgeMost(0, 400, 0.01, text)).toBe(met);
  expect(judgeMost(0, 2, 0.01, text)).toBe(unknown);
  expect(judgeMost(1, 2, 0.01, text)).toBe(missed);
  expect(judgeMost(0, 0, 0.01, text)).toBe(unknown);
});

test('uses the lower end of the interval for "at least"', () => {
  expect(judgeLeast(199, 200, 0.9, text)).toBe(met);
  expect(judgeLeast(2, 2, 0.9, text)).toBe(unknown);
  expect(judgeLeast(1, 2, 0.9, text)).toBe(missed);
  expect(judgeLeast(0, 0, 0.9, text)).toBe(unknown);
});

test('uses the extreme ends of all intervals for "even", and requires data for every group', () => {
  const many = { hits: 5_000, of: 10_000 };
  expect(judgeEvenness([many, { hits: 5_500, of: 10_000 }], 1.5, text)).toBe(met);
  expect(judgeEvenness([many, { hits: 8_000, of: 10_000 }], 1.5, text)).toBe(missed);
  expect(judgeEvenness([many, { hits: 0, of: 0 }], 1.5, text)).toBe(unknown);
  expect(
    judgeEvenness(
      [
        { hits: 0, of: 2 },
        { hits: 0, of: 2 },
      ],
      1.5,
      text,
    ),
  ).toBe(unknown);
  expect(
    judgeEvenness(
      [
        { hits: 0, of: 2 },
        { hits: 1, of: 2 },
      ],
      1.5,
      text,
    ),
  ).toBe(missed);
});
