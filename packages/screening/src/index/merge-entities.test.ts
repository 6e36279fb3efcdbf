// Lists repeat ids: what their records say is kept, in whatever order they come.
import { expect, it } from 'vitest';
import { listed } from '../../testing/small-list.ts';
import { createScreener, readQuery } from '../index.ts';
import { createIndexBuilder } from './build-index.ts';
import { entitiesOf } from './screening-index.ts';

const passport = { kind: 'passportNumber', value: 'K1234567' } as const;
const halves = [
  listed('Imre Valdor', {
    id: 'a',
    weakNames: ['The Ferryman'],
    birthDates: ['1960'],
    identifiers: [passport],
    firstSeen: '2020-01-01',
    lastChange: '2024-01-01',
  }),
  listed(['Imre Valdor', 'Emre Waldor'], {
    id: 'a',
    countries: ['hu'],
    identifiers: [passport, { kind: 'taxNumber', value: '77001' }],
    firstSeen: '2019-01-01',
    lastSeen: '2026-01-01',
  }),
  listed(['Imri Valdor', 'The Ferryman'], { id: 'a', lastChange: '2025-01-01' }),
];

function build(entities: typeof halves) {
  const builder = createIndexBuilder();
  for (const entity of entities) builder.add(entity);
  return { repeated: builder.repeated, index: builder.finish() };
}

it('makes one entity of records with one id, with all that they say', () => {
  const { repeated, index } = build([...halves, listed('Somebody Else')]);
  expect(repeated).toBe(2);
  expect([...entitiesOf(index)]).toEqual([
    {
      ...halves[0]!,
      names: ['Imre Valdor', 'Emre Waldor', 'Imri Valdor', 'The Ferryman'],
      weakNames: [],
      countries: ['hu'],
      identifiers: [passport, { kind: 'taxNumber', value: '77001' }],
      firstSeen: '2019-01-01',
      lastSeen: '2026-01-01',
      lastChange: '2025-01-01',
    },
    listed('Somebody Else'),
  ]);
});

it('finds it by the name of any record, once', () => {
  const screener = createScreener(build([...halves.slice(0, 1), listed('Somebody Else'), ...halves.slice(1)]).index);
  const query = readQuery({ firstName: 'Emre', lastName: 'Waldor', birthDate: '' });
  expect(screener.screen(query, { limit: 5, topic: 'all' })).toHaveLength(1);
});
