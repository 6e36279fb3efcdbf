// The size of a task follows the cost of its subjects, not their number.
import { createScreener, SubjectScreener } from '@limen/screening';
import { expect, it } from 'vitest';
import { buildTestIndex, createListedEntity, PLAN } from '#testing/screening/listed-people.ts';
import { matchSome } from './match-subjects.ts';

const index = buildTestIndex(Array.from({ length: 20 }, (_, at) => createListedEntity(`e-${at}`, 'Torvald Eskeland')));
const names = createScreener(index);
const find = () => ({ index, names, subjects: new SubjectScreener(index, names) });
const subjects = Array.from({ length: 3 }, () => ({ schema: 'Person', names: ['Torvald Eskeland'] }));
const plan = { ...PLAN, lists: ['one'] };

it('ends after the subject at which it has done enough', () => {
  const before = names.spent;
  expect(matchSome(subjects.slice(0, 1), plan, find)).toHaveLength(1);
  const cost = names.spent - before;
  expect(cost).toBeGreaterThan(0);
  expect(matchSome(subjects, plan, find, 1)).toHaveLength(1);
  expect(matchSome(subjects, plan, find, cost + 1)).toHaveLength(2);
  expect(matchSome(subjects, plan, find)).toHaveLength(3);
});
