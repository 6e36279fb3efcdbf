// When a webhook that was not taken is sent again.
import { WEBHOOK_RETRY_AFTER_MS } from '@limen/contract';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

export const LONGEST_RETRY_MS = withJitter(Math.max(...WEBHOOK_RETRY_AFTER_MS), 1);

/** The wait after `attempt` attempts, or undefined when that was the last. `random` is from 0 to 1. */
export function retryDelayMs(attempt: number, random: number): number | undefined {
  const base = WEBHOOK_RETRY_AFTER_MS[attempt - 1];
  return base === undefined ? undefined : withJitter(base, random);
}

/** For a delivery that waits its turn; each time twice as long, so that a long line costs little. */
export function deferralMs(deferrals: number, random: number): number {
  return withJitter(Math.min(SECOND_MS * 2 ** deferrals, MINUTE_MS), random);
}

/** Up to a tenth more or less, so that failures do not march in step. */
function withJitter(base: number, random: number): number {
  return Math.round(base * (0.9 + random * 0.2));
}
