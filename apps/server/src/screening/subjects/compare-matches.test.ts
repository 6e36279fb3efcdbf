import type { SubjectMatch } from '@limen/contract';
import { expect, it } from 'vitest';
import { compareMatches } from './compare-matches.ts';

const NOTHING = {
  ...{ schema: 'Person', aliases: [], birthDate: [], nationalities: [], addresses: [], positions: [], identifiers: [] },
  ...{ topics: [], programs: [], datasets: [], referents: [], firstSeen: null, lastChange: null },
};

function said(countries: string[], caption = 'Gorlan Vestrikov'): SubjectMatch {
  return { ...NOTHING, countries, caption } as Partial<SubjectMatch> as SubjectMatch;
}

it('compares countries by meaning, not spelling', () => {
  expect(compareMatches(said(['Russia']), said(['ru']))).toEqual([]);
  expect(compareMatches(said(['Russia', 'Nowhere']), said(['ru', 'Iran']))).toEqual([
    { field: 'countries', removed: ['Nowhere'], added: ['Iran'] },
  ]);
});

it('compares everything else by spelling', () => {
  expect(compareMatches(said([], 'Iran'), said([], 'ir'))).toEqual([
    { field: 'caption', removed: ['Iran'], added: ['ir'] },
  ]);
});
