// What an age key is worth, when, and to whom: pure functions over what was kept of its check.
import {
  AGE_KEY_DAILY_USES,
  AGE_KEY_MAX_DAYS,
  type AgeKeyRefusal,
  type AgeKeyStrength,
  type AgeMethod,
  isStrongEnough,
} from '@limen/plan';

const DAY_MS = 86_400_000;

/** What a check proved: all that is kept of it. */
export interface ProvenAge {
  /** Whole years: the threshold that was met, whatever the age is. */
  ageOver: number;
  method: AgeMethod;
  /** `YYYY-MM`. */
  month: string;
}

/** What a host asks of a key. */
export interface AgeKeyDemand {
  maxDays: number;
  strength: AgeKeyStrength;
  /** For keys that came from a face. */
  ageThreshold: number;
  /** For the others. */
  documentAgeThreshold: number;
}

/** Accepted uses of a day, `YYYY-MM-DD` in UTC; of the days before it nothing is kept. */
export interface DailyUses {
  day: string;
  count: number;
}

export function monthOf(now: number): string {
  return new Date(now).toISOString().slice(0, 7);
}

/** A key is as old as if its check had been on the first of the month. */
export function endOf(month: string): number {
  return startOf(month) + AGE_KEY_MAX_DAYS * DAY_MS;
}

/** Undefined when the key is good for what is asked. */
export function judgeAgeKey(
  { ageOver, method, month }: ProvenAge,
  demand: AgeKeyDemand,
  now: number,
): AgeKeyRefusal | undefined {
  // Negated, so that a month that is none is refused.
  if (!(now - startOf(month) <= demand.maxDays * DAY_MS)) return 'too_old';
  if (!isStrongEnough(method, demand.strength)) return 'too_weak';
  const threshold = method === 'face' ? demand.ageThreshold : demand.documentAgeThreshold;
  return ageOver >= threshold ? undefined : 'too_low';
}

/** Undefined when the day has had its uses. */
export function countUse(uses: DailyUses | undefined, now: number): DailyUses | undefined {
  const day = new Date(now).toISOString().slice(0, 10);
  const count = uses?.day === day ? uses.count : 0;
  return count < AGE_KEY_DAILY_USES ? { day, count: count + 1 } : undefined;
}

function startOf(month: string): number {
  return Date.parse(`${month}-01T00:00:00Z`);
}
