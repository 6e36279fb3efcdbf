// When a webhook that was not taken is sent again.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits after the first, second, … attempt: eight attempts in about WEBHOOK_RETRY_HOURS. */
const RETRY_AFTER_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
] as const;

export const LONGEST_RETRY_MS = withJitter(Math.max(...RETRY_AFTER_MS), 1);

/** The wait after `attempt` attempts, or undefined when that was the last. `random` is from 0 to 1. */
export function retryDelayMs(attempt: number, random: number): number | undefined {
  const base = RETRY_AFTER_MS[attempt - 1];
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
