// Queue counts that stop at an upper bound.
import { expect, it } from 'vitest';
import { REVIEW_TEXTS } from './review.ts';

it.each([
  [{ open: 1, proposed: 0, overdue: 0 }, '1 case waiting.'],
  [{ open: 0, proposed: 2, overdue: 1 }, '0 cases waiting, 2 more waiting for a second reviewer, 1 overdue.'],
  [{ open: 10_000, proposed: 0, overdue: 10_000 }, '10,000 cases waiting, 10,000 overdue.'],
  [{ open: 10_001, proposed: 0, overdue: 10_001 }, 'More than 10,000 cases waiting, more than 10,000 overdue.'],
])('formats %j as %s', (counts, text) => {
  expect(REVIEW_TEXTS.lead({ ...counts, upTo: 10_000 })).toBe(text);
});
