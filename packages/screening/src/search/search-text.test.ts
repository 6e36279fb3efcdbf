import { expect, test } from 'vitest';
import { listed } from '../../testing/small-list.ts';
import { IndexBuilder } from '../index/build-index.ts';
import { createTextSearch, type TextSearchOptions } from './search-text.ts';

const builder = new IndexBuilder();
for (const entity of [
  listed(['Torvald Eskeland', 'Thorvald Eskelandt']),
  listed('Torvald Magnus Eskeland', { topics: ['role.pep'], countries: ['no'] }),
  listed('Harbour Lantern Shipping', {
    schema: 'Company',
    identifiers: [{ kind: 'leiCode', value: '5493-00IB-P32U-QZ0K-L24' }],
  }),
  listed('Quorvina Belzanfer'),
])
  builder.add(entity);
const search = createTextSearch(builder.finish());

function find(text: string, options: Partial<TextSearchOptions> = {}) {
  const { entities, complete } = search.search(text, { fuzzy: false, topic: 'all', limit: 10, ...options });
  return { captions: entities.map(({ entity }) => entity.caption), complete };
}
const captions = (text: string, options?: Partial<TextSearchOptions>) => find(text, options).captions;

test('requires every word in one name and ranks the name with the fewest other words first', () => {
  expect(captions('ESKELAND torvald')).toEqual(['Torvald Eskeland', 'Torvald Magnus Eskeland']);
  expect(captions('magnus')).toEqual(['Torvald Magnus Eskeland']);
  expect(captions('torvald belzanfer')).toEqual([]);
});

test('finds an organization by one word', () => {
  expect(captions('lantern')).toEqual(['Harbour Lantern Shipping']);
});

test('matches similar words on request', () => {
  expect(captions('belzanfar')).toEqual([]);
  expect(captions('belzanfar', { fuzzy: true })).toEqual(['Quorvina Belzanfer']);
});

test('ranks closer spellings before names without other words', () => {
  const ships = new IndexBuilder();
  for (const entity of [
    listed('Petion', { schema: 'Vessel' }),
    listed('Python', { schema: 'Vessel' }),
    listed(['Vladimir Vladimirovich Putin', 'Petion']),
    listed('Putina Shipping', { schema: 'Company' }),
    listed('Ludmila Putinn'),
  ])
    ships.add(entity);
  const inShips = createTextSearch(ships.finish());
  const found = (text: string) =>
    inShips.search(text, { fuzzy: true, topic: 'all', limit: 10 }).entities.map(({ entity }) => entity.caption);
  expect(found('putinn').slice(0, 3)).toEqual(['Ludmila Putinn', 'Putina Shipping', 'Vladimir Vladimirovich Putin']);
  // The best of several names counts, and names in which all words are near rank before those with
  // one.
  expect(found('putin')[0]).toBe('Vladimir Vladimirovich Putin');
  expect(found('vladimir putinn')[0]).toBe('Vladimir Vladimirovich Putin');
});

test('finds an identifier as written, whatever its separators', () => {
  expect(captions('549300ibp32uqz0kl24')).toEqual(['Harbour Lantern Shipping']);
});

test('applies topics and filters', () => {
  expect(captions('torvald', { topic: 'peps' })).toEqual(['Torvald Magnus Eskeland']);
  expect(captions('torvald', { filter: { countries: ['Norway'] } })).toEqual(['Torvald Magnus Eskeland']);
});

test('returns everything for an empty query and nothing for a text without words', () => {
  expect(captions(' ')).toHaveLength(4);
  expect(captions('?!')).toEqual([]);
});

test('reports whether there are more results', () => {
  expect(find('torvald', { limit: 1 })).toEqual({ captions: ['Torvald Eskeland'], complete: false });
  expect(find('torvald', { limit: 2 }).complete).toBe(true);
});
