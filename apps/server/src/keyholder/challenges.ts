// The challenges that are open: one-time keys with a short life, in memory only, each for one attempt.
import type { SecretKey } from '@limen/token/keyholder';
import { type ChallengeAsk, ChallengeRefused, Throttled } from '../core/keyholder/keyholder.ts';
import type { AttemptState } from './throttle/attempt.ts';

export const CHALLENGE_TTL_MS = 60_000;
const MAX_CHALLENGES = 4_096;
/**
 * Strangers must not take all of them, nor enrolments the room of sign-ins, nor one customer or address that of the others.
 * Who is vouched for has places of their own everywhere.
 */
export const MAX_STRANGERS = (MAX_CHALLENGES * 3) / 4;
export const MAX_CHALLENGES_OF_CUSTOMER = MAX_CHALLENGES / 2;
const MAX_VOUCHED_OF_CUSTOMER = MAX_CHALLENGES / 4;
export const MAX_ENROLMENTS = MAX_CHALLENGES / 4;
export const MAX_ENROLMENTS_OF_CUSTOMER = MAX_CHALLENGES / 8;
/** Open within one minute: a large office has fewer, and who has more has other addresses too. */
export const MAX_CHALLENGES_OF_ADDRESS = 64;
export const MAX_ENROLMENTS_OF_ADDRESS = MAX_CHALLENGES_OF_ADDRESS / 2;
/** On all their devices. */
export const MAX_CHALLENGES_OF_VOUCHER = 8;

export interface Challenge {
  readonly id: string;
  readonly ask: ChallengeAsk;
  readonly key: SecretKey;
  /** By the clock that only runs forward. */
  readonly endsAt: number;
  /** Undefined until it is begun. */
  attempt?: AttemptState;
}

export interface Challenges {
  /** Throws Throttled when there is no room for another one. */
  makeRoom(ask: ChallengeAsk): void;
  add(challenge: Challenge): void;
  /** Throws ChallengeRefused unless it is there and its time is not over. */
  find(id: string): Challenge;
  remove(challenge: Challenge): void;
  /** Takes away what is over. */
  sweep(): void;
  readonly size: number;
}

/** `drop` is called for each that leaves, whatever the reason; `now` only ever grows. */
export function createChallenges(now: () => number, drop: (challenge: Challenge) => void): Challenges {
  /** In the order of their ends, because all live equally long. */
  const byId = new Map<string, Challenge>();
  const waitingOf = new Map<string, Challenge>();
  const countOf = new Map<string, number>();

  function remove(challenge: Challenge): void {
    if (!byId.delete(challenge.id)) return;
    for (const { name } of roomsOf(challenge.ask)) {
      const left = (countOf.get(name) ?? 1) - 1;
      if (left > 0) countOf.set(name, left);
      else countOf.delete(name);
    }
    const session = sessionOf(challenge.ask);
    if (waitingOf.get(session) === challenge) waitingOf.delete(session);
    drop(challenge);
  }

  function sweep(): void {
    for (const challenge of byId.values()) {
      if (challenge.endsAt > now()) return;
      remove(challenge);
    }
  }

  return {
    get size() {
      return byId.size;
    },
    sweep,
    remove,
    makeRoom(ask) {
      sweep();
      const waiting = waitingOf.get(sessionOf(ask));
      if (waiting && !waiting.attempt) remove(waiting);
      const isFull = roomsOf(ask).some(({ name, most }) => (countOf.get(name) ?? 0) >= most);
      if (!isFull && byId.size < MAX_CHALLENGES) return;
      const [oldest] = byId.values();
      throw new Throttled(Math.max(1, Math.ceil(((oldest?.endsAt ?? now()) - now()) / 1_000)));
    },
    add(challenge) {
      byId.set(challenge.id, challenge);
      waitingOf.set(sessionOf(challenge.ask), challenge);
      for (const { name } of roomsOf(challenge.ask)) countOf.set(name, (countOf.get(name) ?? 0) + 1);
    },
    find(id) {
      const challenge = byId.get(id);
      if (!challenge) throw new ChallengeRefused('unknown');
      if (challenge.endsAt > now()) return challenge;
      remove(challenge);
      throw new ChallengeRefused('expired');
    },
  };
}

/** What a challenge takes a place of, and how many places there are. */
function roomsOf({ customer, address, purpose, vouched }: ChallengeAsk): { name: string; most: number }[] {
  if (vouched) {
    return [
      { name: `vouched customer ${customer}`, most: MAX_VOUCHED_OF_CUSTOMER },
      { name: `vouched address ${address}`, most: MAX_CHALLENGES_OF_ADDRESS },
      { name: `voucher ${vouched.person}`, most: MAX_CHALLENGES_OF_VOUCHER },
    ];
  }
  const ofStrangers = [
    { name: 'strangers', most: MAX_STRANGERS },
    { name: `customer ${customer}`, most: MAX_CHALLENGES_OF_CUSTOMER },
    { name: `address ${address}`, most: MAX_CHALLENGES_OF_ADDRESS },
  ];
  if (purpose !== 'enrol') return ofStrangers;
  return [
    ...ofStrangers,
    { name: `enrolments at ${address}`, most: MAX_ENROLMENTS_OF_ADDRESS },
    { name: 'enrolments', most: MAX_ENROLMENTS },
    { name: `enrolments ${customer}`, most: MAX_ENROLMENTS_OF_CUSTOMER },
  ];
}

function sessionOf({ customer, session }: ChallengeAsk): string {
  return `${session} ${customer}`;
}
