import { expect, it } from 'vitest';
import { isCsvName } from './upload.ts';

it.each([
  ['people.csv', true],
  ['People.CSV', true],
  ['a.b.csv ', true],
  ['people.csv.exe', false],
  ['people.txt', false],
  ['.csv', true],
  ['.CSV', true],
  ['csv', false],
  ['', false],
  [undefined, false],
])('normalizes the file name %j: %j', (name, allowed) => {
  expect(isCsvName(name)).toBe(allowed);
});
