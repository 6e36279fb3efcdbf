// Repeated names of a subject are searched once, with the same results.
import { expect, it } from 'vitest';
import { listed } from '../../testing/small-list.ts';
import { createScreener, IndexBuilder } from '../index.ts';
import { SubjectScreener } from './screen-subject.ts';
import { readSubject, type Subject } from './subject.ts';

const builder = new IndexBuilder();
for (const name of ['Torvald Eskeland', 'Quorvina Belzanfer']) builder.add(listed(name));
builder.add(listed('Eskelund Trading AG', { schema: 'Company' }));
builder.add(listed('Abdul Basit Haidari', { birthDates: ['1961-04-09'] }));
const index = builder.finish();
const names = createScreener(index);
const screener = new SubjectScreener(index, names);
const screen = (subject: Subject) => {
  const before = names.spent;
  const { matches } = screener.screen(readSubject(subject), { limit: 5, topic: 'all', threshold: 0.5 });
  return { matches, spent: names.spent - before };
};

it.each<[string, Subject, Subject]>([
  ['the very same', { names: ['Torvald Eskeland'] }, { names: Array(21).fill('Torvald Eskeland') }],
  ['case, accents and spaces', { names: ['Torvald Eskeland'] }, { names: ['Torvald Eskeland', ' TÓRVALD  eskeland'] }],
  [
    'with dates of birth',
    { names: ['Abdul Basit Haidari'], birthDate: '1961', otherBirthDates: ['1970'] },
    { names: Array(4).fill('Abdul Basit Haidari'), birthDate: '1961', otherBirthDates: ['1970'] },
  ],
  [
    'an organization',
    { schema: 'Company', names: ['Eskelund Trading AG'] },
    { schema: 'Company', names: ['Eskelund Trading AG', 'ESKELUND TRADING AG', 'Eskelund Trading AG'] },
  ],
])('does not charge for %s', (_, once, often) => {
  const [one, several] = [screen(once), screen(often)];
  expect(one.matches).not.toHaveLength(0);
  expect(several).toEqual(one);
});

it('keeps different names, including those that differ in capitalized initials', () => {
  expect(readSubject({ schema: 'Person', names: ['AB Haidari', 'Ab Haidari'] }).queries).toHaveLength(2);
  expect(readSubject({ names: ['Torvald Eskeland', 'Torvald Eskelund'] }).queries).toHaveLength(2);
});

it('does not count equal names toward the limit', () => {
  const others = Array.from({ length: 20 }, (_, at) => `Torvald ${'abcdefghijklmnopqrst'[at]}rkeland`);
  const { queries, warnings } = readSubject({ names: [...Array(20).fill('Torvald Eskeland'), ...others] });
  expect([queries.length, warnings]).toEqual([21, []]);
});
