// What is kept of lists, and what goes when there are too many.
import { expect, it } from 'vitest';
import { createKeptLists } from './kept-lists.ts';

function keepAll(...lists: [key: string, bytes: number][]) {
  const kept = createKeptLists<string>(10);
  for (const [key, bytes] of lists) kept.keep(key, `${key}${bytes}`, bytes);
  return 'abc'.split('').flatMap((key) => kept.find(key) ?? []);
}

it('keeps as many bytes as it may, and drops what was kept first', () => {
  expect(keepAll(['a', 4], ['b', 6])).toEqual(['a4', 'b6']);
  expect(keepAll(['a', 4], ['b', 6], ['c', 1])).toEqual(['b6', 'c1']);
  expect(keepAll(['a', 4], ['b', 6], ['c', 10])).toEqual(['c10']);
});

it('counts a list that takes the place of another once, and as the newest', () => {
  expect(keepAll(['a', 6], ['a', 4], ['b', 6])).toEqual(['a4', 'b6']);
  expect(keepAll(['a', 4], ['b', 4], ['a', 4], ['c', 4])).toEqual(['a4', 'c4']);
});

it('does not keep what is larger than all may be together', () => {
  expect(keepAll(['a', 11])).toEqual([]);
  expect(keepAll(['a', 11], ['b', 10])).toEqual(['b10']);
});
