import { expect, it } from 'vitest';
import { combineRevisions, ENGINE, formatEngineVersion } from './engine.ts';

it('gives a later version or revision a greater number', () => {
  const numbers = [
    combineRevisions('0.1.0', 4),
    combineRevisions('0.1.0', 5),
    combineRevisions('0.1.1', 1),
    combineRevisions('0.2.0-rc.1', 4),
    combineRevisions('1.0.0', 4),
  ];
  expect(numbers.toSorted((one, other) => one - other)).toEqual(numbers);
  expect(new Set(numbers).size).toBe(numbers.length);
});

it('formats a number as its version', () => {
  expect(formatEngineVersion(ENGINE.number)).toBe(ENGINE.version);
  expect(formatEngineVersion(combineRevisions('12.345.6', 789))).toBe('12.345.6+789');
});
