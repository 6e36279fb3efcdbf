// When an aim is met, when it is missed, and when there is too little to say so.
import { expect, test } from 'vitest';
import { judgeEvenness, judgeLeast, judgeMost } from './aims.ts';

const text = 'x';
const met = 'aim x: met';
const missed = 'aim x: NOT MET';
const unknown = 'aim x: not shown by so few';

test('at most: the upper end of the interval counts', () => {
  expect(judgeMost(0, 400, 0.01, text)).toBe(met);
  expect(judgeMost(0, 2, 0.01, text)).toBe(unknown);
  expect(judgeMost(1, 2, 0.01, text)).toBe(missed);
  expect(judgeMost(0, 0, 0.01, text)).toBe(unknown);
});

test('at least: the lower end of the interval counts', () => {
  expect(judgeLeast(199, 200, 0.9, text)).toBe(met);
  expect(judgeLeast(2, 2, 0.9, text)).toBe(unknown);
  expect(judgeLeast(1, 2, 0.9, text)).toBe(missed);
  expect(judgeLeast(0, 0, 0.9, text)).toBe(unknown);
});

test('even: the farthest ends of all intervals count, and every group has to have somebody', () => {
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
