// The challenges that are open: one-time keys with a short life, in memory only, each for one attempt.
import type { SecretKey } from '@limen/token/keyholder';
import { type ChallengeAsk, ChallengeRefused, Throttled } from '../core/keyholder/keyholder.ts';
import type { AttemptState } from './throttle/attempt.ts';

export const CHALLENGE_TTL_MS = 60_000;
const MAX_CHALLENGES = 4_096;
/**
 * Strangers must not take all of them, nor enrolments the room of sign-ins, nor one customer or address that of the others.
 * Who is vouched for has places of their own everywhere. In a full room that customers share, whoever has fewer is given a place
 * of whoever has most.
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

  const isFull = ({ name, most }: Room) => (countOf.get(name) ?? 0) >= most;

  /**
   * Makes a place by dropping the oldest unbegun challenge of the customer who has most, unless this one has as many: a flood of
   * challenges that nobody goes on with costs those whom it is aimed at, and nobody else.
   */
  function share({ has }: SharedRoom, { customer }: ChallengeAsk): boolean {
    const places = new Map<string, number>();
    const unbegun = new Map<string, Challenge>();
    for (const challenge of byId.values()) {
      const whose = challenge.ask.customer;
      if (!has(challenge.ask)) continue;
      places.set(whose, (places.get(whose) ?? 0) + 1);
      if (!challenge.attempt && !unbegun.has(whose)) unbegun.set(whose, challenge);
    }
    const placesOf = (whose: string) => places.get(whose) ?? 0;
    const [largest] = [...unbegun.keys()].sort((one, other) => placesOf(other) - placesOf(one));
    if (largest === undefined || placesOf(largest) <= placesOf(customer) + 1) return false;
    remove(unbegun.get(largest)!);
    return true;
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
      const hasRoom =
        !ownRooms(ask).some(isFull) && sharedRooms(ask).every((room) => !isFull(room) || share(room, ask));
      if (hasRoom) return;
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
interface Room {
  name: string;
  most: number;
}

interface SharedRoom extends Room {
  has(ask: ChallengeAsk): boolean;
}

/** By all customers. The smallest comes first: a place that is made there is one in the others too. */
const SHARED_ROOMS: readonly SharedRoom[] = [
  { name: 'enrolments', most: MAX_ENROLMENTS, has: ({ vouched, purpose }) => !vouched && purpose === 'enrol' },
  { name: 'strangers', most: MAX_STRANGERS, has: ({ vouched }) => !vouched || vouched.isNew === true },
  { name: 'all', most: MAX_CHALLENGES, has: () => true },
];

function sharedRooms(ask: ChallengeAsk): readonly SharedRoom[] {
  return SHARED_ROOMS.filter(({ has }) => has(ask));
}

function ownRooms({ customer, address, purpose, vouched }: ChallengeAsk): Room[] {
  if (vouched) {
    return [
      // Made-up people must not take the places of those who were there before.
      vouched.isNew
        ? { name: `customer ${customer}`, most: MAX_CHALLENGES_OF_CUSTOMER }
        : { name: `vouched customer ${customer}`, most: MAX_VOUCHED_OF_CUSTOMER },
      { name: `vouched address ${address}`, most: MAX_CHALLENGES_OF_ADDRESS },
      { name: `voucher ${vouched.person}`, most: MAX_CHALLENGES_OF_VOUCHER },
    ];
  }
  const ofStrangers = [
    { name: `customer ${customer}`, most: MAX_CHALLENGES_OF_CUSTOMER },
    { name: `address ${address}`, most: MAX_CHALLENGES_OF_ADDRESS },
  ];
  if (purpose !== 'enrol') return ofStrangers;
  return [
    ...ofStrangers,
    { name: `enrolments at ${address}`, most: MAX_ENROLMENTS_OF_ADDRESS },
    { name: `enrolments of ${customer}`, most: MAX_ENROLMENTS_OF_CUSTOMER },
  ];
}

function roomsOf(ask: ChallengeAsk): Room[] {
  return [...ownRooms(ask), ...sharedRooms(ask)];
}

function sessionOf({ customer, session }: ChallengeAsk): string {
  return `${session} ${customer}`;
}
