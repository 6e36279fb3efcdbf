import { expect, it } from 'vitest';
import { findClosestName } from './closest-name.ts';

const KNOWN = ['reference', 'name', 'firstName', 'birthDate', 'countries', 'nationalities'];

it.each([
  ['birthdte', 'birthDate'],
  ['birth_date', 'birthDate'],
  ['First Name', 'firstName'],
  ['country', 'countries'],
  ['nationality', 'nationalities'],
  ['refrence', 'reference'],
  ['nmae', undefined],
  ['note', undefined],
  ['', undefined],
])('%s is near %s', (given, meant) => {
  expect(findClosestName(given, KNOWN)).toBe(meant);
});
