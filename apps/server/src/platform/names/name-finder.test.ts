import { expect, it } from 'vitest';
import { createNameFinder } from './name-finder.ts';

const KNOWN = ['reference', 'name', 'firstName', 'birthDate', 'countries', 'nationalities'];
const find = createNameFinder(KNOWN);

it.each([
  ['birthdte', 'birthDate'],
  ['birth_date', 'birthDate'],
  ['First Name', 'firstName'],
  ['country', 'countries'],
  ['nationality', 'nationalities'],
  ['refrence', 'reference'],
  ['dateOfBirth', 'birthDate'],
  ['dateOfBrith', 'birthDate'],
  ['nmae', undefined],
  ['note', undefined],
  ['---', undefined],
  ['', undefined],
])('%s is near %s', (given, meant) => {
  expect(find(given)).toBe(meant);
});

it('does not offer a name by a usual word if that name is given already', () => {
  expect(find('customerId')).toBe('reference');
  expect(find('customerId', (name) => name === 'reference')).toBeUndefined();
});

it('compares names of similar length only, and none that is longer than 40 characters', () => {
  let compared = 0;
  const countSteps = () => {
    compared += 1;
    return 1_000;
  };
  const counting = createNameFinder(['abcdefghij', 'abcdefghijklmnopqrstuvwxyz', 'a'.repeat(60)], { countSteps });
  counting('abcdefghik');
  expect(compared).toBe(1);
  counting('a'.repeat(40));
  expect(compared).toBe(2);
  counting('a'.repeat(41));
  expect(compared).toBe(2);
});
