// The schedule of retries.
import { WEBHOOK_RETRY_AFTER_MS } from '@limen/contract';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

export const LONGEST_RETRY_MS = withJitter(Math.max(...WEBHOOK_RETRY_AFTER_MS), 1);

/** Returns the wait after `attempt` attempts, or undefined after the last one. `random` is from 0 to 1. */
export function retryDelayMs(attempt: number, random: number): number | undefined {
  const base = WEBHOOK_RETRY_AFTER_MS[attempt - 1];
  return base === undefined ? undefined : withJitter(base, random);
}

/** Returns the wait of a delivery that is not its session's next; doubles each time, so that a long queue costs little. */
export function deferralMs(deferrals: number, random: number): number {
  return withJitter(Math.min(SECOND_MS * 2 ** deferrals, MINUTE_MS), random);
}

function withJitter(base: number, random: number): number {
  return Math.round(base * (0.9 + random * 0.2));
}
