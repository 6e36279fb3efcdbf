// Unknown columns in a CSV file of subjects, in any number.
import { expect, it } from 'vitest';
import { describeUnknown, readColumns } from './csv-columns.ts';

const columns = (count: number) => Array.from({ length: count }, (_, at) => `column ${at}`);

it('looks for the reference only in the first hundred columns', () => {
  expect(() => readColumns([...columns(99), 'customer id'])).toThrow('It has customer id; did you mean that?');
  expect(() => readColumns([...columns(100), 'customer id'])).toThrow(
    /with your own name for each subject\. Columns are/,
  );
});

it('names ten unknown columns and counts the others', () => {
  expect(describeUnknown(['reference', ...columns(12)])).toMatch(/column 8, column 9 and 2 more\. Known are/);
});

it('finds a repeated column', () => {
  expect(() => readColumns(['reference', 'name', 'Name'])).toThrow('The header row has the column name twice.');
  expect(() => readColumns(['reference', 'note', 'note'])).not.toThrow();
});

it('refuses a header row with more columns than a file of subjects has', () => {
  expect(() => readColumns(columns(25_000))).toThrow('The header row has 25000 columns; at most 200 are allowed.');
});
