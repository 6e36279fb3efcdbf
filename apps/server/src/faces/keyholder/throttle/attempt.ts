// An attempt: its state while it lasts, and the names that it is counted and audited by. Handles themselves are stored nowhere.
import { createHash, createHmac } from 'node:crypto';
import type { ProbeSecret, SecretKey } from '@limen/token/keyholder';
import type { Ranking } from '../compare.ts';
import type { AboutAttempt, ChallengeRequest } from '../link/calls.ts';
import type { Spending } from './hourly-budgets.ts';
import type { CountedAttempt, CountedSubject } from './throttle.ts';

/** A challenge that was begun. It exists only in the memory of the key-holder where it was begun, and ends with it. */
export interface BegunChallenge {
  readonly id: string;
  readonly ask: ChallengeRequest;
  readonly key: SecretKey;
  readonly endsAt: number;
  readonly attempt: AttemptState;
}

export interface AttemptState {
  readonly about: AboutAttempt;
  readonly ranking: Ranking;
  readonly folded: Map<string, ProbeSecret>;
  readonly counted: CountedAttempt;
  /** Calls about one challenge run one after another: rows count in the order in which they came. */
  queue: Promise<unknown>;
  firstRows?: number;
  answer?: { best: number | null; rows: number };
  isCounted: boolean;
  decisions: number;
  isAdopted: boolean;
}

export function subjectsOf({ customer, address, vouched }: ChallengeRequest, person?: string): CountedSubject[] {
  const subjects: CountedSubject[] = [
    { scope: 'address', subject: address, holds: !vouched },
    { scope: 'customer', subject: customer, holds: !vouched },
  ];
  if (person !== undefined && !isOwn(vouched, person)) subjects.push(personSubject(person));
  if (!vouched) return subjects;
  subjects.push(
    { scope: 'device', subject: countedName(vouched.device), holds: true },
    { scope: 'voucher', subject: countedName(vouched.person), holds: true },
    { scope: 'vouched_address', subject: address, holds: true },
  );
  if (!vouched.isNew) subjects.push({ scope: 'vouched_customer', subject: customer, holds: true });
  return subjects;
}

/** Lists the budgets that an answer to a challenge counts against, before the person is known. */
export function spendingsOf({ customer, address, purpose, vouched }: ChallengeRequest): Spending[] {
  if (purpose === 'enrol') {
    return [
      { budget: 'enrol', subject: customer },
      { budget: 'enrol_address', subject: address },
    ];
  }
  const spendings: Spending[] = [{ budget: 'sign_in', subject: customer }];
  if (!vouched || vouched.isNew) spendings.push({ budget: 'sign_in_strangers', subject: customer });
  if (vouched) spendings.push({ budget: 'sign_in_voucher', subject: countedName(vouched.person) });
  spendings.push({ budget: vouched ? 'sign_in_vouched_address' : 'sign_in_address', subject: address });
  return spendings;
}

/** Lists the budgets of the person that an answer is about. People who vouch for themselves are counted already. */
export function personSpendings({ vouched }: ChallengeRequest, person: string): Spending[] {
  return isOwn(vouched, person) ? [] : [{ budget: 'sign_in_person', subject: countedName(person) }];
}

/**
 * Returns whether people vouch for themselves. They are held as voucher and by device: an attacker who gets the person locked must not
 * keep them out of their own devices.
 */
export function isOwn(vouched: ChallengeRequest['vouched'], person: string): boolean {
  return vouched?.person === person;
}

/** Does not hold: a lock on a person shows only after the comparison, and in the same way for every face. */
export function personSubject(handle: string): CountedSubject {
  return { scope: 'person', subject: countedName(handle), holds: false };
}

/** Names a handle in the audit lines of one attempt: lines can be found with the handle, and not linked without it. */
export function auditName(handle: string, challenge: string): string {
  return createHmac('sha256', handle).update(challenge).digest('base64url');
}

function countedName(handle: string): string {
  return createHash('sha256').update(`limen throttle ${handle}`).digest('base64url');
}
