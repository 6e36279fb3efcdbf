import { ScreeningSubject } from '@limen/contract';
import { expect, it } from 'vitest';
import { createNameFinder } from './name-finder.ts';

const find = createNameFinder([...Object.keys(ScreeningSubject.properties), 'scoreThreshold']);

it.each([
  ['dateOfBirth', 'birthDate'],
  ['date_of_birth', 'birthDate'],
  ['dob', 'birthDate'],
  ['birth_date', 'birthDate'],
  ['dateofbrith', 'birthDate'],
  ['fullname', 'name'],
  ['Full Name', 'name'],
  ['surname', 'lastName'],
  ['given_name', 'firstName'],
  ['nationality', 'nationalities'],
  ['citizenship', 'nationalities'],
  ['passport', 'identifiers'],
  ['aka', 'aliases'],
  ['treshold', 'scoreThreshold'],
  ['birthdte', 'birthDate'],
])('suggests for %s: %s', (given, meant) => {
  expect(find(given)).toBe(meant);
});

it.each(['shoe', 'note', '', '日付'])('suggests nothing for %j', (given) => {
  expect(find(given)).toBeUndefined();
});

it('assumes another meaning for a synonym of a name that is already given', () => {
  expect(find('dob', (name) => name !== 'name')).toBeUndefined();
});

it('never suggests a name that does not exist', () => {
  expect(createNameFinder(['name'])('dob')).toBeUndefined();
});
