import { describe, expect, it, test } from 'vitest';
import { listed, screenAgainst } from '../../testing/small-list.ts';
import { IndexBuilder } from '../index/build-index.ts';
import { tokenMark } from '../index/posting-others.ts';
import { readTokenText, type ScreeningIndex } from '../index/screening-index.ts';
import { createWantedParts } from './candidates.ts';
import type { KnownPart } from './part-names.ts';

/** So many people share the family name that it alone finds no one. */
const NAMESAKES = Array.from({ length: 60 }, (_, at) =>
  listed(`Vera${'abcdefghij'[at % 10]} Tashkovsky`, { id: `n-${at}` }),
);

describe('a person born on the same day', () => {
  it.each([
    ['with one date', ['1961-02-03']],
    ['with several', ['1950', '1961-02-03']],
    ['with a day before the calendar of names begins', ['1761-02-03']],
  ])('is found by one part, however %s is spelled', (_, birthDates) => {
    const list = screenAgainst(...NAMESAKES, listed('Wolodymyr Tashkovsky', { birthDates }));
    const row = `Volodimmer|Tashkovsky|${birthDates.at(-1)}`;
    expect(list.matches(row)[0]?.matchedName).toBe('Wolodymyr Tashkovsky');
    expect(list.matches(row.replace('02-03', '02-05'))).toEqual([]);
  });

  it('is searched among all people born on that day', () => {
    const day = { birthDates: ['1961-02-03'] };
    const born = ['Zeynep Acar', 'Wolodymyr Tashkovsky', 'Bohdan Leshchenko'].map((name) => listed(name, day));
    const list = screenAgainst(...NAMESAKES, ...born, listed('Yaroslav Tkach', { birthDates: ['1961-02-04'] }));
    expect(list.matches('Volodimmer|Tashkovsky|1961-02-03')).toHaveLength(1);
  });
});

// Summaries of postings must never exclude a name with a second matching part.

function indexOfNames(...names: string[]): ScreeningIndex {
  const builder = new IndexBuilder();
  for (const [at, name] of names.entries()) builder.add(listed(name, { id: `e-${at}`, schema: 'Person' }));
  return builder.finish();
}

function tokenOf({ sections, tokenCount }: ScreeningIndex, text: string): number {
  for (let token = 0; token < tokenCount; token += 1) if (readTokenText(sections, token) === text) return token;
  throw new Error(`${text} is not listed`);
}

/** Returns the names with the first word that may contain two of the words. */
function namesWithTwo(index: ScreeningIndex, ...words: string[]): number[] {
  const { postings, postingOffsets, postingOthers } = index.sections;
  const tokens = words.map((word) => tokenOf(index, word));
  const wanted = createWantedParts(index.sections);
  const part = { tokens: new Uint32Array(tokens), similarities: new Float64Array(tokens.length).fill(1) };
  wanted.begin([part as KnownPart], 0);
  const found: number[] = [];
  for (let at = postingOffsets[tokens[0]!]!; at < postingOffsets[tokens[0]! + 1]!; at += 1)
    if (wanted.mayHaveTwo(postingOthers, at)) found.push(postings[at]!);
  return found;
}

describe('posting summaries', () => {
  test('contain the second part at any position among up to five', () => {
    const words = ['ortega', 'mendes', 'salazar', 'quintero', 'villalba'];
    const index = indexOfNames(words.join(' '), 'ortega navarro', 'navarro castillo');
    for (const other of words.slice(1)) expect(namesWithTwo(index, 'ortega', other)).toEqual([0]);
    expect(namesWithTwo(index, 'ortega', 'castillo')).toEqual([]);
    expect(namesWithTwo(index, 'ortega', 'castillo', 'navarro')).toEqual([1]);
  });

  test('point to the parts of a longer name', () => {
    const words = ['ortega', 'mendes', 'salazar', 'quintero', 'villalba', 'navarro', 'castillo'];
    const index = indexOfNames(words.join(' '), 'ortega peralta');
    for (const other of words.slice(1)) expect(namesWithTwo(index, 'ortega', other)).toEqual([0]);
    expect(namesWithTwo(index, 'ortega', 'peralta')).toEqual([1]);
  });

  test('let names pass that a single part may match', () => {
    const index = indexOfNames('ortega', 'ortega mendes', 'J ortega', 'navarro castillo');
    expect(namesWithTwo(index, 'ortega', 'castillo')).toEqual([0, 2]);
  });

  test('count a word twice that a name contains twice', () => {
    const index = indexOfNames('ortega ortega mendes', 'ortega mendes');
    expect(namesWithTwo(index, 'ortega')).toEqual([0]);
  });
});

test('reserves the special marks', () => {
  expect([0, 1, 0xfffc, 0xfffd, 0xfffe].map(tokenMark)).toEqual([1, 2, 0xfffd, 1, 2]);
});
