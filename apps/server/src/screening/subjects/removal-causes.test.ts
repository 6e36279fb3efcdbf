// Why a hit was removed, from the stored hit and the current lists.
import { expect, it } from 'vitest';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { hashEntry } from '../engine/hash-entry.ts';
import { writeEntry } from '../match/write-result.ts';
import type { HitContent } from './contents.ts';
import { explainRemoval } from './removal-causes.ts';

const NORTH = createListedEntity('x', 'Torvald Eskeland', '1961-04-09', { countries: ['no'] });
const SOUTH = createListedEntity('x', 'Torvald Eskeland', '1961', { programs: ['HARBOUR'] });

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
  ['explained as weaker if no other cause is found', STORED, {}, ['strength']],
  ['explained by another engine', STORED, { engineVersion: '2' }, ['engine']],
  ['explained by a changed subject and another engine', STORED, { subjectHash: 't', engineVersion: '2' }, ['subject']],
  ['explained by a raised threshold', STORED, { scoreThreshold: 0.98 }, ['threshold']],
  [
    'explained by several causes',
    STORED,
    { listed: onlyNorth({ ...NORTH, countries: [] }), subjectHash: 't' },
    ['entry', 'subject'],
  ],
  [
    'explained by changed data on a second list',
    ON_BOTH,
    {
      listed: new Map([
        ['north', NORTH],
        ['south', NORTH],
      ]),
    },
    ['entry'],
  ],
  ['explained by its removal from a second list', ON_BOTH, { listed: onlyNorth() }, ['entry']],
  [
    'explained as weaker if a second list could not be searched',
    ON_BOTH,
    { listed: onlyNorth(), isSearched: (list: string) => list === 'north' },
    ['strength'],
  ],
  ['explained by its removal from its list', ON_BOTH, { listed: new Map([['south', SOUTH]]) }, ['delisted']],
  ['explained by the removal of its list', STORED, { isSearched: () => false }, ['list']],
  ['explained by another dataset', STORED, { isSearched: () => false, dataset: 'south' }, ['dataset']],
] as const)('is %s', (_, stored, now, because) => {
  expect(explainRemoval(stored as HitContent, { ...NOW, ...now }).because).toEqual(because);
});

it('names the data that the list has changed', () => {
  const { changes } = explainRemoval(ON_BOTH, { ...NOW, listed: onlyNorth({ ...NORTH, countries: ['se'] }) });
  expect(changes).toEqual([{ field: 'countries', removed: ['no'], added: ['se'] }]);
});
