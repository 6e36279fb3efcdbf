// A negative number after an option is its value, which the program then rejects in its own words.
import { expect, test } from 'vitest';
import { joinNegatives } from './read-arguments.ts';

const OPTIONS = { count: { type: 'string', does: '' }, quick: { type: 'boolean', does: '' } } as const;

test.each([
  [['--count', '-1'], ['--count=-1']],
  [
    ['--count', '3', 'folder'],
    ['--count', '3', 'folder'],
  ],
  [
    ['--count', '--quick'],
    ['--count', '--quick'],
  ],
  [
    ['--quick', '-1'],
    ['--quick', '-1'],
  ],
  [
    ['--count=2', '-1'],
    ['--count=2', '-1'],
  ],
  [['-1'], ['-1']],
])('joins the arguments %j', (args, joined) => {
  expect(joinNegatives(args, OPTIONS)).toEqual(joined);
});
