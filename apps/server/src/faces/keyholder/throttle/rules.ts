// How many refused attempts each may have, what a success takes back, and how many answers there are: nobody else decides about it.

import type { BudgetsPerHour } from '../link/calls.ts';

/**
 * What attempts are counted by. `device` is one that is vouched for as a person's and has signed (or such a passkey), and
 * `voucher` that person: a key made for one session is neither. Whoever is vouched for is held by counts of their own,
 * so that strangers who are refused at an address or a customer do not keep them out; their own refusals count there too.
 * Who enrolled within the last day is left out of `vouched_customer`: made-up people must not lock the others.
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

/**
 * What answers are counted by, whatever comes of them. `person` is whoever was found or asked for, and `voucher` whoever's known
 * device or passkey has signed: one who vouches for themselves is not kept out by what others have used up with their face.
 */
export type Budget = keyof BudgetsPerHour | 'sign_in_strangers' | 'sign_in_vouched_address' | 'sign_in_voucher';

export type Budgets = Readonly<Record<Budget, number>>;

/**
 * Nobody has all of a customer's answers. Strangers, and whoever enrolled within the last day, leave a quarter to those who
 * were there before; and one address of these leaves half of that quarter to the rest. Most of their sign-ins match on the
 * device and need no answer.
 */
export function shareOut(set: BudgetsPerHour): Budgets {
  const { sign_in, sign_in_address, sign_in_person } = set;
  const atMost = (wanted: number, share: number) => Math.min(wanted, Math.ceil(sign_in * share));
  return {
    ...set,
    sign_in_strangers: atMost(sign_in, 3 / 4),
    sign_in_address: atMost(sign_in_address, 1 / 2),
    sign_in_vouched_address: atMost(2 * sign_in_address, 1 / 8),
    sign_in_person: atMost(sign_in_person, 1 / 4),
    sign_in_voucher: atMost(sign_in_person, 1 / 4),
  };
}
