// Why a hit was removed, from the stored hit and the current lists.
import { expect, it } from 'vitest';
import { listed } from '#testing/screening/listed-people.ts';
import { hashEntry } from '../engine/hash-entry.ts';
import { writeEntry } from '../match/write-result.ts';
import type { HitContent } from './contents.ts';
import { explainRemoval } from './removal-causes.ts';

const NORTH = listed('x', 'Torvald Eskeland', '1961-04-09', { countries: ['no'] });
const SOUTH = listed('x', 'Torvald Eskeland', '1961', { programs: ['HARBOUR'] });

const STORED = {
  list: 'north',
  listVersion: '1',
  entryHash: hashEntry(NORTH),
  engineVersion: '1',
  subjectHash: 's',
  dataset: 'default',
  others: [],
  match: { ...writeEntry(NORTH), score: 0.97 },
} as unknown as HitContent;
const ON_BOTH: HitContent = {
  ...STORED,
  ownHash: hashEntry(NORTH),
  entryHash: 'of both',
  others: [{ list: 'south', listVersion: '1', entryHash: hashEntry(SOUTH), entry: writeEntry(SOUTH) }],
};
const NOW = {
  subjectHash: 's',
  dataset: 'default',
  scoreThreshold: 0.95,
  engineVersion: '1',
  isSearched: (_list: string) => true,
  listed: new Map([
    ['north', NORTH],
    ['south', SOUTH],
  ]),
};
const onlyNorth = (entity = NORTH) => new Map([['north', entity]]);

it.each([
  ['nothing that could be named has changed', STORED, {}, ['strength']],
  ['the engine is another one', STORED, { engineVersion: '2' }, ['engine']],
  ['the subject is another one, and so is the engine', STORED, { subjectHash: 't', engineVersion: '2' }, ['subject']],
  ['the threshold was raised', STORED, { scoreThreshold: 0.98 }, ['threshold']],
  ['several', STORED, { listed: onlyNorth({ ...NORTH, countries: [] }), subjectHash: 't' }, ['entry', 'subject']],
  [
    'a second list says something else',
    ON_BOTH,
    {
      listed: new Map([
        ['north', NORTH],
        ['south', NORTH],
      ]),
    },
    ['entry'],
  ],
  ['a second list dropped it', ON_BOTH, { listed: onlyNorth() }, ['entry']],
  [
    'a second list could not be searched',
    ON_BOTH,
    { listed: onlyNorth(), isSearched: (list: string) => list === 'north' },
    ['strength'],
  ],
  ['it is gone from its list', ON_BOTH, { listed: new Map([['south', SOUTH]]) }, ['delisted']],
  ['its list is gone', STORED, { isSearched: () => false }, ['list']],
  ['its list was not meant any more', STORED, { isSearched: () => false, dataset: 'south' }, ['dataset']],
] as const)('is %s', (_, stored, now, because) => {
  expect(explainRemoval(stored as HitContent, { ...NOW, ...now }).because).toEqual(because);
});

it('names the data that the list has changed', () => {
  const { changes } = explainRemoval(ON_BOTH, { ...NOW, listed: onlyNorth({ ...NORTH, countries: ['se'] }) });
  expect(changes).toEqual([{ field: 'countries', removed: ['no'], added: ['se'] }]);
});
