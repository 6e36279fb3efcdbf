// Rules of age keys: which demands a key meets, how long, and how often. Pure functions.
import { AGE_KEY_DAILY_USES, AGE_KEY_MAX_DAYS, type AgeKeyRefusal, type AgeMethod, isStrongEnough } from '@limen/plan';
import type { EarnedAge } from '../../lifecycle/kinds.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** `customer`: only keys of the same customer count. `all`: hosts may also accept keys of others. */
export type AgeKeyScope = 'off' | 'customer' | 'all';

export interface AgeKeyDemand {
  maxDays: number;
  strength: AgeMethod;
  /** Whether a face must have been lit as drawn. */
  needsLight: boolean;
  ageThreshold: number;
  documentAgeThreshold: number;
}

/** Accepted uses on the latest day of use, `YYYY-MM-DD` in UTC. */
export interface DailyUses {
  day: string;
  count: number;
}

export function formatMonth(now: number): string {
  return new Date(now).toISOString().slice(0, 7);
}

/** Returns the months from `since` to `now` whose keys are still valid. */
export function monthsSince(since: string, now: number): string[] {
  const oldest = formatMonth(now - AGE_KEY_MAX_DAYS * DAY_MS);
  const months: string[] = [];
  for (let month = since > oldest ? since : oldest; month <= formatMonth(now); ) {
    months.push(month);
    month = formatMonth(computeMonthStart(month) + 31 * DAY_MS);
  }
  return months;
}

/** A key counts as earned on the first of its month. */
export function computeMonthEnd(month: string): number {
  return computeMonthStart(month) + AGE_KEY_MAX_DAYS * DAY_MS;
}

export function endOfHour(now: number): number {
  return (Math.floor(now / HOUR_MS) + 1) * HOUR_MS;
}

export function judgeAgeKey(
  { ageOver, method, month, light }: EarnedAge,
  demand: AgeKeyDemand,
  now: number,
): AgeKeyRefusal | undefined {
  // Negated, so that an invalid month is refused.
  if (!(now - computeMonthStart(month) <= demand.maxDays * DAY_MS)) return 'too_old';
  if (!isStrongEnough(method, demand.strength)) return 'too_weak';
  // A document alone is enough if the session asks for no more.
  const restsOnFace = method === 'face' || (method === 'document_and_face' && demand.strength === method);
  if (demand.needsLight && restsOnFace && light !== 'lit') return 'too_weak';
  const threshold = method === 'face' ? demand.ageThreshold : demand.documentAgeThreshold;
  return ageOver >= threshold ? undefined : 'too_low';
}

export function countUse(uses: DailyUses | undefined, now: number): DailyUses | undefined {
  const day = new Date(now).toISOString().slice(0, 10);
  const count = uses?.day === day ? uses.count : 0;
  return count < AGE_KEY_DAILY_USES ? { day, count: count + 1 } : undefined;
}

function computeMonthStart(month: string): number {
  return Date.parse(`${month}-01T00:00:00Z`);
}
