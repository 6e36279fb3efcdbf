import { expect, test } from 'vitest';
import { readFtmSubject } from './read-ftm-subject.ts';

test('reads properties as in a list', () => {
  const subject = readFtmSubject('Person', {
    name: 'Marwan  Dellaji',
    alias: ['M. Dellaji', 7, null],
    weakAlias: ['Abu Marwan'],
    birthDate: ['1971-05-04', '1970'],
    nationality: ['tn'],
    country: ['fr'],
    passportNumber: 'X 123456',
    irsCode: ['99-1234567'],
    address: ['1 Quay, Tunis'],
    favouriteColour: ['green'],
  });
  expect(subject).toEqual({
    schema: 'Person',
    names: ['Marwan Dellaji', 'M. Dellaji', 'Abu Marwan'],
    person: undefined,
    birthDate: '1971-05-04',
    otherBirthDates: ['1970'],
    countries: ['fr', 'tn'],
    identifiers: [
      { kind: 'passportNumber', value: 'X 123456' },
      { kind: 'taxNumber', value: '99-1234567' },
    ],
    addresses: ['1 Quay, Tunis'],
  });
});

test.each([
  [
    { firstName: 'Marwan', middleName: ['Ali'], lastName: ['Dellaji'] },
    { firstName: 'Marwan Ali', lastName: 'Dellaji' },
  ],
  [
    { name: 'M. Dellaji', firstName: 'Marwan', lastName: 'Dellaji' },
    { firstName: 'Marwan', lastName: 'Dellaji' },
  ],
  [{ lastName: 'Dellaji' }, { firstName: '', lastName: 'Dellaji' }],
  [{ name: 'Marwan Dellaji', lastName: 'Dellaji' }, undefined],
  [{}, undefined],
])('reads given and family name from %j', (properties, person) => {
  expect(readFtmSubject(undefined, properties).person).toEqual(person);
});
