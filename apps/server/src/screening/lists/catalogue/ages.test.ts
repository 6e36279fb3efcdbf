// A list is stale after three missed refreshes, or after a week without any.
import { expect, it } from 'vitest';
import type { DatasetInfo } from '../folder/folder.ts';
import { computeAge, isStale } from './ages.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 5, 1);

function listOf(hours: { built: number; checked?: number }): DatasetInfo {
  const ago = (count: number) => new Date(NOW - count * HOUR).toISOString();
  const counts = { entityCount: 5, people: 5, sanctions: 5, peps: 0, bytes: 1, problemCount: 0 };
  const about = {
    name: 'a',
    format: 'ftm-json',
    source: 'x',
    version: '1',
    indexFile: 'index-1.bin',
    indexSum: { bytes: 1, sha256: 'a' },
  } as const;
  const sync = hours.checked === undefined ? {} : { sync: { files: [], checkedAt: ago(hours.checked) } };
  return { ...about, ...counts, builtAt: ago(hours.built), ...sync };
}

it('measures age from the last check at the publisher, or from loading a file', () => {
  expect(computeAge(listOf({ built: 500, checked: 2 }), NOW)).toBe(2 * HOUR);
  expect(computeAge(listOf({ built: 500 }), NOW)).toBe(500 * HOUR);
  expect(computeAge(listOf({ built: -1 }), NOW)).toBe(0);
});

it("treats a list from a file as at least as old as the file's own date", () => {
  const old = { ...listOf({ built: 1 }), version: '2026-05-01' };
  expect(computeAge(old, NOW)).toBe(31 * 24 * HOUR);
  expect(computeAge({ ...old, version: '2026-05-01T10:00:00' }, NOW)).toBe(31 * 24 * HOUR);
  expect(computeAge({ ...old, version: '2027-05-01' }, NOW)).toBe(HOUR);
  expect(computeAge({ ...old, version: '2026-99-99' }, NOW)).toBe(HOUR);
  expect(computeAge({ ...listOf({ built: 500, checked: 2 }), version: '2026-05-01' }, NOW)).toBe(2 * HOUR);
});

it.each([
  ['refreshed every 12 hours', { built: 500, checked: 35 }, 12, false],
  ['refreshed every 12 hours, with three failures', { built: 500, checked: 36 }, 12, true],
  ['refreshed every hour', { built: 500, checked: 23 }, 1, false],
  ['refreshed every hour, but not for a day', { built: 500, checked: 24 }, 1, true],
  ['refreshed manually', { built: 500, checked: 167 }, 0, false],
  ['not refreshed manually for a week', { built: 500, checked: 168 }, 0, true],
  ['from a file, which cannot be refreshed', { built: 167 }, 1, false],
  ['from a week-old file', { built: 168 }, 1, true],
])('decides: %s', (_, hours, syncHours, stale) => {
  expect(isStale(listOf(hours), syncHours, NOW)).toBe(stale);
});
