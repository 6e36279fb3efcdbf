import { ScreeningSubject } from '@limen/contract';
import { expect, it } from 'vitest';
import { findMeantName } from './usual-names.ts';

const KNOWN = [...Object.keys(ScreeningSubject.properties), 'scoreThreshold'];

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
  expect(findMeantName(given, KNOWN)).toBe(meant);
});

it.each(['shoe', 'note', '', '日付'])('%j is no other name of anything', (given) => {
  expect(findMeantName(given, KNOWN)).toBeUndefined();
});

it('another word for what is given already is meant for something else', () => {
  expect(findMeantName('dob', KNOWN, ['name'])).toBeUndefined();
});

it('what is not known at all is never told', () => {
  expect(findMeantName('dob', ['name'])).toBeUndefined();
});
