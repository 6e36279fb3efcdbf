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
])('%s may be %s', (given, meant) => {
  expect(find(given)).toBe(meant);
});

it.each(['shoe', 'note', '', '日付'])('%j is no other name of anything', (given) => {
  expect(find(given)).toBeUndefined();
});

it('another word for what is given already is meant for something else', () => {
  expect(find('dob', (name) => name !== 'name')).toBeUndefined();
});

it('what is not known at all is never told', () => {
  expect(createNameFinder(['name'])('dob')).toBeUndefined();
});
