// What an age key is worth, when, and to whom: pure functions over what was kept of its check.
import { AGE_KEY_DAILY_USES, AGE_KEY_MAX_DAYS, type AgeKeyRefusal, type AgeMethod, isStrongEnough } from '@limen/plan';
import type { EarnedAge } from '../../lifecycle/kinds.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** `off`: no key is made or accepted. `customer`: only a customer's own keys count. `all`: others' too, for a host that asks. */
export type AgeKeyScope = 'off' | 'customer' | 'all';

/** What a host asks of a key. */
export interface AgeKeyDemand {
  maxDays: number;
  strength: AgeMethod;
  /** Whether a face must have been lit as drawn. */
  needsLight: boolean;
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

/** Months from `since` to `now`, leaving out those whose keys have ended. */
export function monthsSince(since: string, now: number): string[] {
  const oldest = monthOf(now - AGE_KEY_MAX_DAYS * DAY_MS);
  const months: string[] = [];
  for (let month = since > oldest ? since : oldest; month <= monthOf(now); ) {
    months.push(month);
    month = monthOf(startOf(month) + 31 * DAY_MS);
  }
  return months;
}

/** A key is as old as if its check had been on the first of the month. */
export function endOf(month: string): number {
  return startOf(month) + AGE_KEY_MAX_DAYS * DAY_MS;
}

/** First millisecond of the next hour, when the limits on making start again. */
export function endOfHour(now: number): number {
  return (Math.floor(now / HOUR_MS) + 1) * HOUR_MS;
}

/** Undefined when the key is good for what is asked. */
export function judgeAgeKey(
  { ageOver, method, month, light }: EarnedAge,
  demand: AgeKeyDemand,
  now: number,
): AgeKeyRefusal | undefined {
  // Negated, so that a month that is none is refused.
  if (!(now - startOf(month) <= demand.maxDays * DAY_MS)) return 'too_old';
  if (!isStrongEnough(method, demand.strength)) return 'too_weak';
  // A document alone would do where the session asks for no more than one.
  const restsOnFace = method === 'face' || (method === 'document_and_face' && demand.strength === method);
  if (demand.needsLight && restsOnFace && light !== 'lit') return 'too_weak';
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
