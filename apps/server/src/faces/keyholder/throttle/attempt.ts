// By whom an attempt is counted and held, and by which names it is counted and written down: handles themselves are kept nowhere.
import { createHash, createHmac } from 'node:crypto';
import type { ProbeSecret, SecretKey } from '@limen/token/keyholder';
import type { Ranking } from '../compare.ts';
import type { AboutAttempt, ChallengeRequest } from '../link/calls.ts';
import type { Spending } from './hourly-budgets.ts';
import type { Scope } from './rules.ts';
import type { CountedAttempt, CountedSubject } from './throttle.ts';

// A challenge once it is begun: in the memory of the key-holder that it was begun at, whose end is its end.
export interface BegunChallenge {
  readonly id: string;
  readonly ask: ChallengeRequest;
  readonly key: SecretKey;
  /** By this machine's clock that only runs forward. */
  readonly endsAt: number;
  readonly attempt: AttemptState;
}

export interface AttemptState {
  readonly about: AboutAttempt;
  readonly ranking: Ranking;
  /** The keys of the folded probe, by the epoch whose blocks it meets. */
  readonly folded: Map<string, ProbeSecret>;
  /** Attempt as the throttle counts it */
  readonly counted: CountedAttempt;
  /** Calls about one challenge run one after another: rows count in the order in which they came. */
  queue: Promise<unknown>;
  /** Rows that were there when it was first decided; undefined before. */
  firstRows?: number;
  /** The last answer, and on how many rows. */
  answer?: { best: number | null; rows: number };
  /** Whether what came of it is counted. */
  isCounted: boolean;
  /** How often it was decided. */
  decisions: number;
  /** Whether its face was given a body under the enrol key. */
  isAdopted: boolean;
}

/** A person who is locked is not locked for longer by what comes meanwhile, whether it was their face or not. */
export const ALL_BUT_PERSON: readonly Scope[] = [
  ...(['address', 'customer', 'device', 'voucher', 'vouched_address', 'vouched_customer'] as const),
];

/** Whoever an attempt counts for; those with `holds` also keep it from beginning while they are locked. */
export function subjectsOf({ customer, address, vouched }: ChallengeRequest, person?: string): CountedSubject[] {
  const ofAll: CountedSubject[] = [
    { scope: 'address', subject: address, holds: !vouched },
    { scope: 'customer', subject: customer, holds: !vouched },
    ...(person === undefined || isOwn(vouched, person) ? [] : [personSubject(person)]),
  ];
  if (!vouched) return ofAll;
  return [
    ...ofAll,
    { scope: 'device', subject: countedName(vouched.device), holds: true },
    { scope: 'voucher', subject: countedName(vouched.person), holds: true },
    { scope: 'vouched_address', subject: address, holds: true },
    ...(vouched.isNew ? [] : [{ scope: 'vouched_customer', subject: customer, holds: true } as const]),
  ];
}

/** By whom an answer is counted that a challenge may bring, before it is known whom it is about. */
export function spendingsOf({ customer, address, purpose, vouched }: ChallengeRequest): Spending[] {
  if (purpose === 'enrol') {
    return [
      { budget: 'enrol', subject: customer },
      { budget: 'enrol_address', subject: address },
    ];
  }
  const ofAll: Spending = { budget: 'sign_in', subject: customer };
  if (!vouched) {
    return [ofAll, { budget: 'sign_in_strangers', subject: customer }, { budget: 'sign_in_address', subject: address }];
  }
  return [
    ofAll,
    ...(vouched.isNew ? [{ budget: 'sign_in_strangers', subject: customer } as const] : []),
    { budget: 'sign_in_voucher', subject: countedName(vouched.person) },
    { budget: 'sign_in_vouched_address', subject: address },
  ];
}

/** And by the person whom it is about, unless they vouch themselves: then it is counted already. */
export function personSpendings({ vouched }: ChallengeRequest, person: string): Spending[] {
  return isOwn(vouched, person) ? [] : [{ budget: 'sign_in_person', subject: countedName(person) }];
}

/**
 * Whether somebody vouches for themselves. They are held as voucher, and by their device: anybody who knows whom to ask for can
 * get the person locked, and must not keep them out of what is theirs.
 */
export function isOwn(vouched: ChallengeRequest['vouched'], person: string): boolean {
  return vouched?.person === person;
}

/** It does not hold: a lock on a person shows only when the face was compared, and then in the same way for every face. */
export function personSubject(handle: string): CountedSubject {
  return { scope: 'person', subject: countedName(handle), holds: false };
}

/** A name for one attempt's lines of the audit: who has the handle finds the lines, and who has not cannot tell two apart. */
export function auditName(handle: string, challenge: string): string {
  return createHmac('sha256', handle).update(challenge).digest('base64url');
}

function countedName(handle: string): string {
  return createHash('sha256').update(`limen throttle ${handle}`).digest('base64url');
}
