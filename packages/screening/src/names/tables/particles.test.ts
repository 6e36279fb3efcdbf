// The lists of particles must be well formed, disjoint and without common names.
import { expect, test } from 'vitest';
import { COMMON, VERY_COMMON } from './common-parts.ts';
import { LOW_VALUE, PARTICLES, PATRONYMIC_MARKERS, PATRONYMIC_SUFFIXES, TITLES } from './particles.ts';

const lists = [
  ['PARTICLES', PARTICLES],
  ['PATRONYMIC_MARKERS', PATRONYMIC_MARKERS],
  ['TITLES', TITLES],
  ['LOW_VALUE', LOW_VALUE],
  ['PATRONYMIC_SUFFIXES', PATRONYMIC_SUFFIXES],
] as const;

const commonNames = new Set([...VERY_COMMON, ...COMMON]);

test.each(lists)('%s contains single plain words, each once', (_name, list) => {
  expect(list.filter((word) => !/^[a-z]+$/.test(word))).toEqual([]);
  expect(list.filter((word, i) => list.indexOf(word) !== i)).toEqual([]);
});

test.each([
  ['PARTICLES', PARTICLES],
  ['PATRONYMIC_MARKERS', PATRONYMIC_MARKERS],
  ['TITLES', TITLES],
] as const)('%s contains no common name', (_name, list) => {
  expect(list.filter((word) => commonNames.has(word))).toEqual([]);
});

test('lists no word twice', () => {
  const all = [...PARTICLES, ...PATRONYMIC_MARKERS, ...TITLES, ...LOW_VALUE];
  expect(all.filter((word, i) => all.indexOf(word) !== i)).toEqual([]);
});

test.each(['amir', 'syed', 'uddin', 'mac', 'king', 'ali', 'hassan', 'rahman', 'lo', 'ho', 'don'])(
  'treats %s as a name, not as a title or a particle',
  (word) => {
    expect([...PARTICLES, ...TITLES]).not.toContain(word);
  },
);

test.each(['jovanovic', 'petrovic', 'milosevic', 'ivanov', 'kowalski', 'friedrich', 'dietrich', 'ulrich'])(
  'does not treat %s as a patronymic',
  (name) => {
    expect(PATRONYMIC_SUFFIXES.filter((suffix) => name.endsWith(suffix))).toEqual([]);
  },
);

test.each(['petrovich', 'sergeevich', 'mykolayovych', 'ivanivna', 'petrovna', 'ilyich'])(
  'treats %s as a patronymic',
  (name) => {
    expect(PATRONYMIC_SUFFIXES.some((suffix) => name.endsWith(suffix))).toBe(true);
  },
);
