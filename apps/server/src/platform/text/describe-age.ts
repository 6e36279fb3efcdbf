// An age as people say it.
import { countOf } from './count-of.ts';

const HOUR_MS = 3_600_000;

/** `36 hours`, `9 days`. */
export function describeAge(ageMs: number): string {
  const hours = Math.floor(ageMs / HOUR_MS);
  return hours < 48 ? countOf(hours, 'hour') : countOf(Math.floor(hours / 24), 'day');
}
