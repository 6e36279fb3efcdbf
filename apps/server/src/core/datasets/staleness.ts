// When a list counts as stale: too long since its publisher was asked, or since it was loaded from a file.
import { countOf } from './count-of.ts';
import type { DatasetInfo } from './folder/dataset-folder.ts';

const HOUR_MS = 3_600_000;
/** Publishers change their lists several times a month. */
const UNATTENDED_HOURS = 7 * 24;
/** One refresh may fail, and so may the one that is tried again after it. */
const MISSED_REFRESHES = 3;
const LEAST_HOURS = 24;

/** Of a list with an address it counts when its publisher was last asked, not when the list last changed. */
export function ageOf({ builtAt, sync }: DatasetInfo, now: number): number {
  return Math.max(0, now - Date.parse(sync?.checkedAt ?? builtAt));
}

/** `syncHours`: between two refreshes by the server; 0 for never. */
export function staleAfterMs({ sync }: DatasetInfo, syncHours: number): number {
  const isRefreshed = sync !== undefined && syncHours > 0;
  return (isRefreshed ? Math.max(LEAST_HOURS, MISSED_REFRESHES * syncHours) : UNATTENDED_HOURS) * HOUR_MS;
}

/** `36 hours`, `9 days`. */
export function describeAge(ageMs: number): string {
  const hours = Math.floor(ageMs / HOUR_MS);
  return hours < 48 ? countOf(hours, 'hour') : countOf(Math.floor(hours / 24), 'day');
}

export function isStale(info: DatasetInfo, syncHours: number, now: number): boolean {
  return ageOf(info, now) >= staleAfterMs(info, syncHours);
}
