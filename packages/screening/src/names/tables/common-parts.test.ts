// Frequency classes must be well formed and disjoint.
import { expect, test } from 'vitest';
import { COMMON, VERY_COMMON } from './common-parts.ts';

const classes = [
  ['VERY_COMMON', VERY_COMMON],
  ['COMMON', COMMON],
] as const;

test.each(classes)('%s contains single plain words, each once', (_name, list) => {
  expect(list.filter((word) => !/^[a-z]+$/.test(word))).toEqual([]);
  expect(list.filter((word, i) => list.indexOf(word) !== i)).toEqual([]);
});

test('lists no name in both classes', () => {
  expect(COMMON.filter((word) => VERY_COMMON.includes(word))).toEqual([]);
});

test.each(['muhammad', 'maria', 'wang', 'kim', 'nguyen', 'garcia', 'singh', 'john'])(
  'classifies %s as very common',
  (word) => {
    expect(VERY_COMMON).toContain(word);
  },
);

test.each(['rossi', 'dubois', 'petrov', 'fernandez', 'yilmaz', 'diallo'])('classifies %s as common', (word) => {
  expect(COMMON).toContain(word);
});
