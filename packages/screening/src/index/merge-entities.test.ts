// Lists repeat ids. The values of all their records must be kept, in any order.
import { expect, it } from 'vitest';
import { listed } from '../../testing/small-list.ts';
import { createScreener, readQuery } from '../index.ts';
import { IndexBuilder } from './build-index.ts';
import { listEntities } from './screening-index.ts';

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
  const builder = new IndexBuilder();
  for (const entity of entities) builder.add(entity);
  return { repeated: builder.repeated, index: builder.finish() };
}

it('merges all values of records with the same id', () => {
  const { repeated, index } = build([...halves, listed('Somebody Else')]);
  expect(repeated).toBe(2);
  expect([...listEntities(index)]).toEqual([
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

it('finds the merged entity once, by the name of any record', () => {
  const screener = createScreener(build([...halves.slice(0, 1), listed('Somebody Else'), ...halves.slice(1)]).index);
  const query = readQuery({ firstName: 'Emre', lastName: 'Waldor', birthDate: '' });
  expect(screener.screen(query, { limit: 5, topic: 'all' })).toHaveLength(1);
});

it('limits a merged entity to the bounds of a single record and reports it', () => {
  const builder = new IndexBuilder();
  for (let record = 0; record < 12; record += 1) {
    const names = Array.from({ length: 1_000 }, (_, at) => `Alias ${record * 1_000 + at}`);
    const identifiers = names.map((value) => ({ kind: 'identifier', value }) as const).slice(0, 100);
    builder.add(listed(names, { id: 'many', addresses: names, identifiers }));
  }
  for (const name of ['First', 'Second']) builder.add(listed(name, { id: 'few' }));
  const [many, few] = [...listEntities(builder.finish())];
  expect([many!.names.length, many!.addresses.length, many!.identifiers.length]).toEqual([5_000, 5_000, 500]);
  expect([many!.names[0], many!.names.at(-1)]).toEqual(['Alias 0', 'Alias 4999']);
  expect(few!.names).toEqual(['First', 'Second']);
  expect(builder.cut).toEqual(['many']);
});

it('distinguishes ids that share a prefix or differ in punctuation', () => {
  const ids = ['a', 'ab', 'a"', 'a\\', 'ä', ''];
  const builder = new IndexBuilder();
  for (const id of [...ids, ...ids]) builder.add(listed(`Name of ${id}`, { id }));
  expect([...listEntities(builder.finish())].map(({ id }) => id)).toEqual(ids);
});
