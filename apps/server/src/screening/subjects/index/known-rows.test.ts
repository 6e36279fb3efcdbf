import { expect, it } from 'vitest';
import { KnownRows } from './subject-index.ts';

const row = (number: number, changed_at = 1) => ({
  id: `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`,
  changed_at,
});

it('keeps unchanged rows in order, and counts those removed or changed', () => {
  const known = new KnownRows([row(1), row(2), row(4), row(5), row(9)]);
  const walk = known.walk();
  expect([row(2), row(3), row(4, 2), row(9), row(10)].map(walk.holds)).toEqual([true, false, false, true, false]);
  // Rows 1, 4 and 5
  expect(walk.stale).toBe(3);
  expect(known.walk().holds(row(1))).toBe(true);
});

it('keeps nothing if there was nothing', () => {
  expect(new KnownRows([]).walk().holds(row(1))).toBe(false);
});
