// Document kinds in the words of the lists.
import { expect, it } from 'vitest';
import { findDocumentKind, stripNumberLabel } from './document-kind.ts';

it.each([
  ['Passport', 'passportNumber'],
  ['Número de pasaporte', 'passportNumber'],
  ['traveldoc-Travel document', 'passportNumber'],
  ['National Identification Number', 'idNumber'],
  ['id-National identification card', 'idNumber'],
  ['United States Social Security Number:', 'socialSecurityNumber'],
  ['ssn-Social Security Number', 'socialSecurityNumber'],
  ['Italian Fiscal Code:', 'taxNumber'],
  ['regnumber-Registration Number', 'registrationNumber'],
  ['swiftbic', 'swiftBic'],
  ['INN', 'innCode'],
  ['TIN', 'taxNumber'],
  ['Inner circle', undefined],
  ['Birth certificate', 'identifier'],
  ['Hull number', 'hullNumber'],
  ['Something else', undefined],
])('reads %s as %s', (words, kind) => {
  expect(findDocumentKind(words)).toBe(kind);
});

it.each([
  ['OB 0243318', 'OB 0243318'],
  ['CAR diplomatic passport no. D00000898', 'D00000898'],
  ['Provisional passport No.: 28642163', '28642163'],
  ['Diplomatic Passport: Z30321794', 'Z30321794'],
  ['Diplomatic Passport D014433', 'D014433'],
  ['Afghan national identification card (tazkira) number 300786', '300786'],
  ['German travel document (“Reiseausweis”) A 0139243', 'A 0139243'],
  ['381110042 (Expired 25 Jan. 2016)', '381110042'],
  ['R00012098, South Sudan', 'R00012098'],
  ['AB850901 issued 11 Dec 2016', 'AB850901'],
  ['Social Security Number 423-31-3021 (US)', '423-31-3021'],
  ['INN: 7702070139', '7702070139'],
  ['INN 7702070139', '7702070139'],
  ['VAT BG 121024920', 'BG 121024920'],
  ['HRB 26136', 'HRB 26136'],
  ['DIB-771110-HQ1', 'DIB-771110-HQ1'],
  ['1-78-09-44621-80', '1-78-09-44621-80'],
])('reads the number in %s as %s', (text, number) => {
  expect(stripNumberLabel(text)).toBe(number);
});
