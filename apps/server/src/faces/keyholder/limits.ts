// Limits of the key-holder: how long a challenge lives, and how many challenges, tries, answers and rows there may be.
import type { BudgetsPerHour } from './link/calls.ts';
import type { ThrottleRules } from './throttle/rules.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const CHALLENGE_TTL_MS = MINUTE_MS;
/** Open at a time; `shareOutChallenges` says who may have how many of them. */
export const MAX_CHALLENGES = 4_096;
/** Open within one minute: a large office has fewer, and who has more has other addresses too. */
export const MAX_CHALLENGES_OF_ADDRESS = 64;
export const MAX_ENROLMENTS_OF_ADDRESS = MAX_CHALLENGES_OF_ADDRESS / 2;
/** On all devices of one person. */
export const MAX_CHALLENGES_OF_VOUCHER = 8;

export const THROTTLE_RULES: ThrottleRules = {
  address: { refusals: 20, withinMs: 15 * MINUTE_MS, atOnce: 20, forgivable: 0 }, // a whole office may share one
  customer: { refusals: 600, withinMs: 10 * MINUTE_MS, atOnce: 600, forgivable: 0 },
  person: { refusals: 10, withinMs: HOUR_MS, atOnce: 10, forgivable: 3 },
  device: { refusals: 5, withinMs: 15 * MINUTE_MS, atOnce: 5, forgivable: 2 },
  voucher: { refusals: 10, withinMs: HOUR_MS, atOnce: 10, forgivable: 3 },
  vouched_address: { refusals: 60, withinMs: 15 * MINUTE_MS, atOnce: 60, forgivable: 0 },
  vouched_customer: { refusals: 1_200, withinMs: 10 * MINUTE_MS, atOnce: 1_024, forgivable: 0 },
};
/** Each refusal after the first lock doubles it. */
export const FIRST_LOCK_MS = MINUTE_MS;
export const LONGEST_LOCK_MS = HOUR_MS;
/** After this time without a refusal, the next lock is the shortest again. */
export const FORGIVEN_AFTER_MS = 24 * HOUR_MS;

export const DEFAULT_BUDGETS: BudgetsPerHour = {
  sign_in: 3_600,
  sign_in_address: 600,
  sign_in_person: 120,
  enrol: 1_200,
  enrol_address: 120,
};
/**
 * People who enrolled less than this ago count with the strangers of a customer: a program can enrol as many people as it likes,
 * each with a device.
 */
export const NEW_FOR_MS = 24 * HOUR_MS;

/** More than any gallery; what one challenge may cost. */
export const MAX_ROWS = 4_000_000;
/** Tokens of one person. A larger search is one of a gallery, in which the person must stand out from others. */
export const MAX_ROWS_OF_PERSON = 16;
/** Rows that the key-holder takes after its first answer to an enrolment: people who enrolled in the meantime. */
export const MAX_LATE_ROWS = 256;
/** Decisions of the key-holder about one enrolment. */
export const MAX_ENROL_DECISIONS = 16;

export const DEFAULT_AUDIT_DAYS = 400;
