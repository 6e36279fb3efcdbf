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

it('compares no name that is longer than 40 characters', () => {
  const findLong = createNameFinder(['a'.repeat(42)]);
  expect(findLong('a'.repeat(40))).toBe('a'.repeat(42));
  expect(findLong('a'.repeat(41))).toBeUndefined();
});
