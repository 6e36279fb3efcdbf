// What is said of a queue whose counting ends somewhere.
import { expect, it } from 'vitest';
import { REVIEW_TEXTS } from './review.ts';

it.each([
  [{ open: 1, proposed: 0, overdue: 0 }, '1 case waits.'],
  [{ open: 0, proposed: 2, overdue: 1 }, '0 cases wait, 2 more for a second pair of eyes, 1 overdue.'],
  [{ open: 10_000, proposed: 0, overdue: 10_000 }, '10,000 cases wait, 10,000 overdue.'],
  [{ open: 10_001, proposed: 0, overdue: 10_001 }, 'More than 10,000 cases wait, more than 10,000 overdue.'],
])('says of %j: %s', (counts, said) => {
  expect(REVIEW_TEXTS.lead({ ...counts, upTo: 10_000 })).toBe(said);
});
