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
])('suggests for %s the name %s', (given, meant) => {
  expect(find(given)).toBe(meant);
});

it('does not suggest a name for its synonym if that name is already given', () => {
  expect(find('customerId')).toBe('reference');
  expect(find('customerId', (name) => name === 'reference')).toBeUndefined();
});

it('ignores names longer than 40 characters', () => {
  const findLong = createNameFinder(['a'.repeat(42)]);
  expect(findLong('a'.repeat(40))).toBe('a'.repeat(42));
  expect(findLong('a'.repeat(41))).toBeUndefined();
});
