// How many refused attempts each may have, and what a success takes back: one table, and nobody else decides about it.

/**
 * What attempts are counted by. `device` is one that is known as a person's and has signed for them (or their passkey), and
 * `voucher` that person: a key made for one session is neither. Whoever is vouched for is held by counts of their own,
 * so that strangers who are refused at an address or a customer do not keep them out; their own refusals count there too.
 */
export type Scope = 'address' | 'customer' | 'person' | 'device' | 'voucher' | 'vouched_address' | 'vouched_customer';

export interface ScopeRule {
  /** The last of these locks. */
  refusals: number;
  withinMs: number;
  /** Attempts under way together, and never more than there are refusals left: whoever makes them all at once gains none. */
  atOnce: number;
  /**
   * Of the refusals within the window, so many are taken back by successes, one by each. With 0 nothing is: whoever has a face
   * that is accepted could otherwise buy guesses with it.
   */
  forgivable: number;
}

export type ThrottleRules = Readonly<Record<Scope, ScopeRule>>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const THROTTLE_RULES: ThrottleRules = {
  address: { refusals: 20, withinMs: 15 * MINUTE_MS, atOnce: 20, forgivable: 0 }, // a whole office may share one
  customer: { refusals: 600, withinMs: 10 * MINUTE_MS, atOnce: 600, forgivable: 0 },
  person: { refusals: 10, withinMs: HOUR_MS, atOnce: 10, forgivable: 3 },
  device: { refusals: 5, withinMs: 15 * MINUTE_MS, atOnce: 5, forgivable: 2 },
  voucher: { refusals: 10, withinMs: HOUR_MS, atOnce: 10, forgivable: 3 },
  vouched_address: { refusals: 60, withinMs: 15 * MINUTE_MS, atOnce: 60, forgivable: 0 },
  vouched_customer: { refusals: 1_200, withinMs: 10 * MINUTE_MS, atOnce: 1_024, forgivable: 0 },
};
