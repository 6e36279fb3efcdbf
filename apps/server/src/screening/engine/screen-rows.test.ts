// One piece of a file: repeated rows are searched once, and reported each.
import { createScreener, SEARCH_ENDED, SubjectScreener } from '@limen/screening';
import { expect, it } from 'vitest';
import { buildTestIndex, createListedEntity, PLAN } from '#testing/screening/listed-people.ts';
import { renderRecords, renderResults, screenRows } from './screen-rows.ts';

const index = buildTestIndex([createListedEntity('a', 'Torvald Eskeland', '1961-04-09')]);
const screener = createScreener(index);
const subjects = new SubjectScreener(index, screener);

function screenCounting(csv: string, some?: { from: number; most: number }) {
  let searches = 0;
  const counting: typeof screener = {
    screen(query, options) {
      searches += 1;
      return screener.screen(query, options);
    },
    describe: (query, hit) => screener.describe(query, hit),
    closest: (query, entity) => screener.closest(query, entity),
    entityOf: (hit) => screener.entityOf(hit),
    get spent() {
      return searches;
    },
  };
  const outcome = screenRows(new TextEncoder().encode(csv), PLAN, () => ({ index, names: counting, subjects }), some);
  return { outcome, searches };
}

const row = (id: number, first = 'Torvald', last = 'Eskeland', dob = '1961-04-09') => `${id},${first},${last},${dob}\n`;

it('searches for a person once per piece, whatever the id', () => {
  const { outcome, searches } = screenCounting(row(1) + row(2) + row(3, 'Nobody', 'Known', 'x') + row(4));
  expect(searches).toBe(2);
  expect([...outcome.scores]).toEqual([1, 1, 0, 1]);
  expect([...outcome.hits].filter((_, place) => place % 4 === 0)).toEqual([0, 1, 3]);
  expect([...outcome.warned]).toEqual([0, 0, 1, 0]);
  expect(outcome.matched).toBe(3);
});

it('treats rows as equal only if all three values are', () => {
  const rows = [row(1), row(1, 'Torvald,', ''), row(1, 'Torval', 'dEskeland'), row(1, 'Torvald', 'Eskeland', '1961')];
  expect(screenCounting(rows.join('')).searches).toBe(4);
});

it('forgets everyone after the piece', () => {
  expect([screenCounting(row(1)).searches, screenCounting(row(1)).searches]).toEqual([1, 1]);
});

it('reports for a row that its search was cut short, even if it matched', () => {
  const ending: typeof screener = {
    ...screener,
    screen(query, options) {
      query.warnings.push(SEARCH_ENDED);
      return screener.screen(query, options);
    },
  };
  const bytes = () => new TextEncoder().encode(row(1));
  const find = () => ({ index, names: ending, subjects });
  const outcome = screenRows(bytes(), PLAN, find);
  expect(JSON.parse(renderResults(bytes(), PLAN, outcome))).toMatchObject({ warning: SEARCH_ENDED });
  expect(JSON.parse(renderRecords(bytes(), PLAN, outcome, find))).toMatchObject({ warning: SEARCH_ENDED });
});

it('leaves rows to the next task once it has done enough, and numbers them as in the piece', () => {
  const csv = row(1, 'Nobody') + row(2) + row(3) + row(4, 'Somebody');
  const outcomes = [0, 1, 3].map((from) => screenCounting(csv, { from, most: 1 }).outcome);
  expect(outcomes.map(({ scores }) => scores.length)).toEqual([1, 1, 1]);
  expect(outcomes[1]!.hits[0]).toBe(1);
  expect(screenCounting(csv, { from: 1, most: 3 }).outcome.scores).toHaveLength(3);
});
