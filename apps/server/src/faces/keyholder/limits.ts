// Limits of the key-holder: how long a challenge lives, and how many challenges, attempts, answers and rows there may be.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const CHALLENGE_TTL_MS = MINUTE_MS;
export const MAX_CHALLENGES = 4_096;
/** Open challenges of one address: a large office has fewer within a minute. */
export const MAX_CHALLENGES_OF_ADDRESS = 64;
export const MAX_ENROLLMENTS_OF_ADDRESS = MAX_CHALLENGES_OF_ADDRESS / 2;
export const MAX_CHALLENGES_OF_VOUCHER = 8;

export interface ScopeRule {
  refusals: number;
  withinMs: number;
  /** Concurrent attempts. Never more than the refusals left, so that concurrency gains no guesses. */
  atOnce: number;
  /** Refusals within the window that successes take back, one each. With 0, an accepted face cannot buy guesses. */
  forgivable: number;
}

/** Vouched attempts have scopes of their own, so that refused strangers do not lock known devices out. `voucher` is their person. */
export const THROTTLE_RULES = {
  address: { refusals: 20, withinMs: 15 * MINUTE_MS, atOnce: 20, forgivable: 0 }, // a whole office may share one
  customer: { refusals: 600, withinMs: 10 * MINUTE_MS, atOnce: 600, forgivable: 0 },
  person: { refusals: 10, withinMs: HOUR_MS, atOnce: 10, forgivable: 3 },
  device: { refusals: 5, withinMs: 15 * MINUTE_MS, atOnce: 5, forgivable: 2 },
  voucher: { refusals: 10, withinMs: HOUR_MS, atOnce: 10, forgivable: 3 },
  vouched_address: { refusals: 60, withinMs: 15 * MINUTE_MS, atOnce: 60, forgivable: 0 },
  vouched_customer: { refusals: 1_200, withinMs: 10 * MINUTE_MS, atOnce: 1_024, forgivable: 0 },
} satisfies Record<string, ScopeRule>;
export type Scope = keyof typeof THROTTLE_RULES;
export type ThrottleRules = Readonly<Record<Scope, ScopeRule>>;

export const FIRST_LOCK_MS = MINUTE_MS;
export const LONGEST_LOCK_MS = HOUR_MS;
export const FORGIVEN_AFTER_MS = 24 * HOUR_MS;

/** Answers in an hour: to the sign-ins or enrollments of one customer, through one address, and about one person. */
export const DEFAULT_BUDGETS = {
  sign_in: 3_600,
  sign_in_address: 600,
  sign_in_person: 120,
  enrol: 1_200,
  enrol_address: 120,
};
export type BudgetsPerHour = typeof DEFAULT_BUDGETS;
/** Age below which an enrolled person counts as a stranger: a program can enroll any number of people, each with a device. */
export const NEW_FOR_MS = 24 * HOUR_MS;

export const MAX_ROWS = 4_000_000;
/** Tokens of one person. In a larger search, the person must stand out from others. */
export const MAX_ROWS_OF_PERSON = 16;
/** Rows that may follow the first decision of an enrollment: people who enrolled since. */
export const MAX_LATE_ROWS = 256;
export const MAX_ENROLL_DECISIONS = 16;

export const DEFAULT_AUDIT_DAYS = 400;
