// Entities are the same if two lists share an id.
import { describe, expect, it } from 'vitest';
import { createListedEntity } from '#testing/screening/listed-people.ts';
import { dropTwins, isSameEntity } from './twins.ts';

const ONE = createListedEntity('1', 'Torvald Eskeland', '1961-04-09');

describe('two entries with one id', () => {
  it.each([
    ['the same name', createListedEntity('1', 'Torvald Eskeland'), true],
    [
      'the name in another order, case and spelling of accents',
      createListedEntity('1', 'ESKELAND, Törvald', '1961'),
      true,
    ],
    ['one of several names', { ...createListedEntity('1', 'T. E.'), names: ['T. E.', 'Torvald Eskeland'] }, true],
    ['another name', createListedEntity('1', 'Quorvina Belzanfer'), false],
    ['another year of birth', createListedEntity('1', 'Torvald Eskeland', '1999'), false],
    ['another kind', { ...createListedEntity('1', 'Torvald Eskeland'), schema: 'Company' }, false],
    ['a kind that includes both', { ...createListedEntity('1', 'Torvald Eskeland'), schema: 'LegalEntity' }, true],
  ])('are compared by %s', (_, other, isSame) => {
    expect([isSameEntity(ONE, other), isSameEntity(other, ONE)]).toEqual([isSame, isSame]);
  });

  it('are shown once if they are the same, and both if they are different people', () => {
    const found = [ONE, createListedEntity('1', 'Torvald Eskeland'), createListedEntity('1', 'Quorvina Belzanfer')];
    const placed = found.map((entity, place) => ({ entity, place }));
    const kept = dropTwins(
      placed,
      ({ entity }) => [entity.id],
      ({ entity }) => entity,
    );
    expect(kept.map(({ place }) => place)).toEqual([0, 2]);
  });
});

it('are linked if one names the id of the other', () => {
  expect(isSameEntity({ ...ONE, referents: ['x-1'] }, createListedEntity('x-1', 'Quite Another'))).toBe(true);
});
