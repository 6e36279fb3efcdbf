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

test('every word is in one name, and the name with the least else comes first', () => {
  expect(captions('ESKELAND torvald')).toEqual(['Torvald Eskeland', 'Torvald Magnus Eskeland']);
  expect(captions('magnus')).toEqual(['Torvald Magnus Eskeland']);
  expect(captions('torvald belzanfer')).toEqual([]);
});

test('a word of an organisation is enough', () => {
  expect(captions('lantern')).toEqual(['Harbour Lantern Shipping']);
});

test('what merely resembles counts where that is asked for', () => {
  expect(captions('belzanfar')).toEqual([]);
  expect(captions('belzanfar', { fuzzy: true })).toEqual(['Quorvina Belzanfer']);
});

test('what is nearer by its letters comes first, before a name that has nothing else', () => {
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
  // The best of several names counts, and words that are all near count before one.
  expect(found('putin')[0]).toBe('Vladimir Vladimirovich Putin');
  expect(found('vladimir putinn')[0]).toBe('Vladimir Vladimirovich Putin');
});

test('an identifier is found as it is written, whatever stands between', () => {
  expect(captions('549300ibp32uqz0kl24')).toEqual(['Harbour Lantern Shipping']);
});

test('topics and filters leave the others out', () => {
  expect(captions('torvald', { topic: 'peps' })).toEqual(['Torvald Magnus Eskeland']);
  expect(captions('torvald', { filter: { countries: ['Norway'] } })).toEqual(['Torvald Magnus Eskeland']);
});

test('nothing to look for is everything, a text without a word is nothing', () => {
  expect(captions(' ')).toHaveLength(4);
  expect(captions('?!')).toEqual([]);
});

test('says when there is more', () => {
  expect(find('torvald', { limit: 1 })).toEqual({ captions: ['Torvald Eskeland'], complete: false });
  expect(find('torvald', { limit: 2 }).complete).toBe(true);
});
