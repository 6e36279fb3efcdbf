import { expect, it } from 'vitest';
import { readQuery } from '../matching/query.ts';
import { mergeLengthWarnings, readSubject } from './subject.ts';

const LONG = Array.from(
  { length: 30 },
  (_, at) => `Qu${'abcdefghijklmnopqrstuvwxyz'[at % 26]}rl${at < 26 ? '' : 'o'}`,
).join(' ');
const BOTH =
  /^The name has more than 23 parts; read as a person's the first 12 .* as an organization's the first 23\.$/;

it('combines the warnings for a name that is read as two kinds into one sentence', () => {
  expect(readSubject({ names: [LONG] }).warnings).toEqual([expect.stringMatching(BOTH)]);
  const { warnings } = readQuery({ firstName: '', lastName: LONG, birthDate: '' });
  expect(mergeLengthWarnings(warnings)).toEqual([expect.stringMatching(BOTH)]);
});

it('leaves warnings of a single kind, and other warnings, unchanged', () => {
  const one = 'The name has more than 12 parts; the first 12 were screened.';
  expect(readSubject({ schema: 'Person', names: [LONG] }).warnings).toEqual([one]);
  expect(mergeLengthWarnings(['Something else.', one])).toEqual(['Something else.', one]);
  expect(readSubject({ names: [LONG], countries: ['Narnia'] }).warnings).toEqual([
    expect.stringMatching(BOTH),
    expect.stringContaining('Narnia'),
  ]);
});
