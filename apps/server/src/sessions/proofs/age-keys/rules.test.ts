// Months whose age keys an operator can revoke.
import { expect, it } from 'vitest';
import { computeMonthEnd, monthsSince } from './rules.ts';

const NOW = Date.UTC(2026, 1, 28);

it('lists every month from the first, across a new year', () => {
  expect(monthsSince('2025-11', NOW)).toEqual(['2025-11', '2025-12', '2026-01', '2026-02']);
  expect(monthsSince('2026-02', NOW)).toEqual(['2026-02']);
  expect(monthsSince('2026-03', NOW)).toEqual([]);
});

it('omits months whose keys have expired', () => {
  const months = monthsSince('1999-01', NOW);
  expect(months).toHaveLength(13);
  expect(months.slice(1).every((month) => computeMonthEnd(month) > NOW)).toBe(true);
});
