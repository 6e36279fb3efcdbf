// When a list counts as stale: too long since its publisher was asked, or since what was loaded from a file was published.
import type { DatasetInfo } from './folder/folder.ts';

const HOUR_MS = 3_600_000;
/** Publishers change their lists several times a month. */
const UNATTENDED_HOURS = 7 * 24;
/** One refresh may fail, and so may the one that is tried again after it. */
const MISSED_REFRESHES = 3;
const LEAST_HOURS = 24;

/**
 * Of a list with an address it counts when its publisher was last asked, not when the list last changed. An old file does not get
 * younger by being loaded.
 */
export function ageOf({ builtAt, sync, version }: DatasetInfo, now: number): number {
  const since = sync ? Date.parse(sync.checkedAt) : Math.min(Date.parse(builtAt), publishedAt(version) ?? Infinity);
  return Math.max(0, now - since);
}

/** Where the version is a day. */
function publishedAt(version: string): number | undefined {
  const day = /^\d{4}-\d{2}-\d{2}(?=$|T)/.exec(version)?.[0];
  const time = day === undefined ? Number.NaN : Date.parse(day);
  return Number.isNaN(time) ? undefined : time;
}

/** `syncHours`: between two refreshes by the server; 0 for never. */
export function staleAfterMs({ sync }: DatasetInfo, syncHours: number): number {
  const isRefreshed = sync !== undefined && syncHours > 0;
  return (isRefreshed ? Math.max(LEAST_HOURS, MISSED_REFRESHES * syncHours) : UNATTENDED_HOURS) * HOUR_MS;
}

export function isStale(info: DatasetInfo, syncHours: number, now: number): boolean {
  return ageOf(info, now) >= staleAfterMs(info, syncHours);
}
