import { expect, it } from 'vitest';
import { findOptionalColumns } from './optional-columns.ts';

it.each([
  ['id,firstname,lastname,dob\n1,country,name,x', []],
  ['\ufeffid;firstname;lastname;dob;"Country";NAME\r\n', ['name', 'country']],
  ['\n id\tfirstname\tlastname\tdob\t schema ', ['schema']],
  ['id,firstname,lastname,dob,country_of_birth', []],
  ['', []],
])('finds in %j the columns %j', async (text, columns) =>
  expect(await findOptionalColumns(new Blob([text]))).toEqual(columns),
);
