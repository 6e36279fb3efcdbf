import { expect, it } from 'vitest';
import { ENGINE, numberOf, versionOf } from './engine.ts';

it('a later version or revision has a greater number', () => {
  const numbers = [
    numberOf('0.1.0', 4),
    numberOf('0.1.0', 5),
    numberOf('0.1.1', 1),
    numberOf('0.2.0-rc.1', 4),
    numberOf('1.0.0', 4),
  ];
  expect(numbers.toSorted((one, other) => one - other)).toEqual(numbers);
  expect(new Set(numbers).size).toBe(numbers.length);
});

it('a number says which version it is of', () => {
  expect(versionOf(ENGINE.number)).toBe(ENGINE.version);
  expect(versionOf(numberOf('12.345.6', 789))).toBe('12.345.6+789');
});
