// The work of a search, counted in compared names, is bounded for every query, including crafted
// ones.
import { describe, expect, it } from 'vitest';
import { listed } from '../../testing/small-list.ts';
import { IndexBuilder } from '../index/build-index.ts';
import { SubjectScreener } from '../subjects/screen-subject.ts';
import { readSubject } from '../subjects/subject.ts';
import { readName } from './query.ts';
import { createScreener, SEARCH_ENDED } from './screener.ts';

const SOUND_ALIKE = ['Mohamad', 'Mohamed', 'Mohammad', 'Muhammad'];
const CRAFTED = [...SOUND_ALIKE, 'Ahmad', 'Ahmed', 'Ali', 'Aly', 'Hasan', 'Hassan', 'Hussein', 'Husayn'].join(' ');
const LETTERS = 'bcdfghklmnprstvz';
const family = (at: number) =>
  [at & 15, (at >> 4) & 15, (at >> 8) & 15, (at >> 12) & 15].map((one) => `${LETTERS[one]}o`).join('');

function listOf(count: number, nameOf: (at: number) => string, schema = 'Person') {
  const builder = new IndexBuilder();
  for (let at = 0; at < count; at += 1) builder.add(listed(nameOf(at), { id: `e-${at}`, schema }));
  return builder.finish();
}

/** Returns the compared names, with repetitions. */
function compare(index: ReturnType<typeof listOf>, name: string, schema = 'Person') {
  const screener = createScreener(index);
  const query = readName({ name, schema, birthDate: '' });
  const hits = screener.screen(query, { limit: 5, topic: 'all' });
  return { hits, warnings: query.warnings, compared: screener.spent / query.names[0]!.parts.length };
}

it('compares a name once, however many parts lead to it', () => {
  const index = listOf(300, (at) => `Mohamed Ahmed Hassan ${family(at)}`);
  const { compared } = compare(index, 'Mohamad Muhammad Ahmad Hasan Orvelstad');
  expect(compared).toBe(300);
});

it.each([
  ['Person', `${SOUND_ALIKE.join(' ')} Orvelstad`, (at: number) => `Mohammed ${family(at)} ${family(at + 400)}`],
  ['Company', `${'Trading '.repeat(20)} Orvelstad`, (at: number) => `${family(at)} ${family(at + 400)} Trading`],
] as const)('counts a word of a %s that resembles several parts as one common word', (schema, name, nameOf) => {
  expect(compare(listOf(1_100, nameOf, schema), name, schema).compared).toBeLessThan(50);
});

describe('lists in which nearly all names are alike', () => {
  const index = listOf(9_000, (at) => `Mohamed Ahmed Hassan ${family(at)}`);

  it('stops searching for a crafted name and warns', () => {
    const { compared, warnings } = compare(index, CRAFTED);
    expect(compared).toBeLessThanOrEqual(100_000 / 12);
    expect(warnings).toEqual([SEARCH_ENDED]);
    const ordinary = compare(index, `Mohamed Hassan ${family(77)}`);
    expect(ordinary.warnings).toEqual([]);
    expect(ordinary.hits[0]).toMatchObject({ entity: 77 });
  });

  it("warns once if a subject's search is incomplete", () => {
    const subject = readSubject({ schema: 'Person', names: [CRAFTED, `${CRAFTED} `] });
    const { complete } = new SubjectScreener(index, createScreener(index)).screen(subject, {
      ...{ limit: 5, threshold: 0.95, topic: 'all' },
    });
    expect(complete).toBe(false);
    expect(subject.warnings).toEqual([SEARCH_ENDED]);
  });
});
