// How the subjects of a request are handed out: in order, none lost, and no task with more than a few names.
import type { Subject } from '@limen/screening';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inParts } from './matcher.ts';

const withNames = (names: number): Subject => ({ names: Array.from({ length: names }, (_, at) => `Name ${at}`) });

it('keeps ten with one name together, and those with many apart', () => {
  expect(inParts(Array.from({ length: 25 }, () => withNames(1))).map((part) => part.length)).toEqual([10, 10, 5]);
  expect(inParts(Array.from({ length: 100 }, () => withNames(21)))).toHaveLength(100);
  expect(inParts([10, 10, 1, 30, 1].map(withNames)).map((part) => part.length)).toEqual([2, 1, 1, 1]);
});

it('loses nobody and keeps the order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40)), (names) => {
      const subjects = names.map(withNames);
      expect(inParts(subjects).flat()).toEqual(subjects);
    }),
  );
});
