// The challenges that are open: one-time keys with a short life, each for one attempt, and the places that they take. For a file they
// are in memory only; key-holders that share a database share them, so that one may be begun at any of them, and at one.

import type { Sealer } from '../../platform/sealing/sealer.ts';
import {
  CHALLENGE_TTL_MS,
  MAX_CHALLENGES,
  MAX_CHALLENGES_OF_ADDRESS,
  MAX_CHALLENGES_OF_VOUCHER,
  MAX_ENROLMENTS_OF_ADDRESS,
} from './limits.ts';
import { ChallengeRefused, type ChallengeRequest, Throttled } from './link/calls.ts';
import type { Rows } from './store/store.ts';

/**
 * How many may be open. Strangers must not take all of them, nor enrolments the room of sign-ins, nor one customer that of the
 * others. Who is vouched for has places of their own everywhere. In a full room that customers share, whoever has fewer is given a
 * place of whoever has most.
 */
export function shareOutChallenges(all: number) {
  return {
    all,
    strangers: (all * 3) / 4,
    ofCustomer: all / 2,
    vouchedOfCustomer: all / 4,
    enrolments: all / 4,
    enrolmentsOfCustomer: all / 8,
  };
}

type ChallengeLimits = ReturnType<typeof shareOutChallenges>;

export const CHALLENGE_LIMITS = shareOutChallenges(MAX_CHALLENGES);

export interface OpenChallenge {
  readonly ask: ChallengeRequest;
  /** By the steady time of the rows. */
  readonly until: number;
}

/** Everything is part of the caller's transaction, which nobody else's comes between. */
export type Challenges = ReturnType<typeof createChallenges>;

export function createChallenges(sealer: Sealer, limits: ChallengeLimits = CHALLENGE_LIMITS) {
  const { ownRooms, sharedRooms } = roomsWithin(limits);
  const roomsOf = (ask: ChallengeRequest): ChallengeRoom[] => [...ownRooms(ask), ...sharedRooms(ask)];
  const placeOf = (column: 'ask' | 'secret', id: string) => `challenges/${column}/${id}`;
  /** Who has a handle or a session's id is not to find it here. */
  const digest = (purpose: 'room' | 'session', name: string) =>
    sealer.digest(`challenge ${purpose}`, name).toString('base64url');
  const roomName = ({ name }: ChallengeRoom) => digest('room', name);
  const sessionName = ({ customer, session }: ChallengeRequest) => digest('session', `${session} ${customer}`);

  async function remove(rows: Rows, id: string): Promise<void> {
    await rows.run('delete from places where challenge = ?', id);
    await rows.run('delete from challenges where id = ?', id);
  }

  /** Takes away what is over. */
  async function sweep(rows: Rows): Promise<void> {
    await rows.run('delete from places where until <= ?', rows.steady);
    await rows.run('delete from challenges where until <= ?', rows.steady);
  }

  async function isFull(rows: Rows, room: ChallengeRoom): Promise<boolean> {
    const taken = await rows.get<{ n: number }>('select count(*) as n from places where room = ?', roomName(room));
    return taken!.n >= room.most;
  }

  /**
   * Makes a place by dropping the oldest unbegun challenge of the customer who has most, unless this one has as many: a flood of
   * challenges that nobody goes on with costs those whom it is aimed at, and nobody else.
   */
  async function share(rows: Rows, room: ChallengeRoom, { customer }: ChallengeRequest): Promise<boolean> {
    const customers = await rows.all<{ customer: string; places: number; oldest: number | null }>(
      'select customer, count(*) as places, min(case when begun = 0 then number end) as oldest from places join challenges on id = challenge where room = ? group by customer order by 2 desc, 3',
      roomName(room),
    );
    const own = customers.find((one) => one.customer === customer)?.places ?? 0;
    const largest = customers.find(({ oldest }) => oldest !== null);
    if (!largest || largest.places <= own + 1) return false;
    const dropped = await rows.get<{ id: string }>('select id from challenges where number = ?', largest.oldest);
    await remove(rows, dropped!.id);
    return true;
  }

  async function hasRoom(rows: Rows, ask: ChallengeRequest): Promise<boolean> {
    for (const room of ownRooms(ask)) if (await isFull(rows, room)) return false;
    for (const room of sharedRooms(ask)) {
      if ((await isFull(rows, room)) && !(await share(rows, room, ask))) return false;
    }
    return true;
  }

  return {
    sweep,
    remove,
    /** Throws Throttled when there is no room for another one. */
    async makeRoom(rows: Rows, ask: ChallengeRequest): Promise<void> {
      await sweep(rows);
      const waiting = await rows.get<{ id: string }>(
        'select id from challenges where session = ? and begun = 0',
        sessionName(ask),
      );
      if (waiting) await remove(rows, waiting.id);
      if (await hasRoom(rows, ask)) return;
      const oldest = await rows.get<{ until: number | null }>('select min(until) as until from challenges');
      throw new Throttled(Math.max(1, Math.ceil(((oldest?.until ?? rows.steady) - rows.steady) / 1_000)));
    },
    /** Its time begins now. `secret` is that of its one-time key. */
    async add(rows: Rows, id: string, ask: ChallengeRequest, secret: Uint8Array): Promise<void> {
      const until = rows.steady + CHALLENGE_TTL_MS;
      const sealed = [sealer.sealJson(ask, placeOf('ask', id)), sealer.seal(secret, placeOf('secret', id))];
      // The number is not drawn from a sequence: one of a table that is not logged may be unusable on a replica that took over.
      await rows.run(
        'insert into challenges (number, id, customer, session, ask, secret, begun, until) values ((select coalesce(max(number), 0) + 1 from challenges), ?, ?, ?, ?, ?, 0, ?)',
        ...[id, ask.customer, sessionName(ask), ...sealed, until],
      );
      for (const room of roomsOf(ask)) {
        await rows.run('insert into places (challenge, room, until) values (?, ?, ?)', id, roomName(room), until);
      }
    },
    /** Throws ChallengeRefused unless it is there, its time is not over and nobody has begun it. */
    async find(rows: Rows, id: string): Promise<OpenChallenge> {
      const row = await rows.get<{ ask: Uint8Array; begun: number; until: number }>(
        'select ask, begun, until from challenges where id = ?',
        id,
      );
      if (!row) throw new ChallengeRefused('unknown');
      if (row.until <= rows.steady) throw new ChallengeRefused('expired');
      if (row.begun === 1) throw new ChallengeRefused('used');
      return { ask: sealer.openJson(row.ask, placeOf('ask', id)) as ChallengeRequest, until: row.until };
    },
    /** Gives the secret, to be wiped, which nobody else gets: it is no longer here. The challenge keeps its places. */
    async begin(rows: Rows, id: string): Promise<Uint8Array> {
      const row = await rows.get<{ secret: Uint8Array }>('select secret from challenges where id = ?', id);
      await rows.run('update challenges set begun = 1, secret = null where id = ?', id);
      return sealer.open(row!.secret, placeOf('secret', id));
    },
  };
}

/** What a challenge takes a place of, and how many places there are. */
interface ChallengeRoom {
  name: string;
  most: number;
}

interface SharedChallengeRoom extends ChallengeRoom {
  has(ask: ChallengeRequest): boolean;
}

function roomsWithin(limits: ChallengeLimits) {
  /** By all customers. The smallest comes first: a place that is made there is one in the others too. */
  const shared: readonly SharedChallengeRoom[] = [
    { name: 'enrolments', most: limits.enrolments, has: ({ vouched, purpose }) => !vouched && purpose === 'enrol' },
    { name: 'strangers', most: limits.strangers, has: ({ vouched }) => !vouched || vouched.isNew === true },
    { name: 'all', most: limits.all, has: () => true },
  ];

  function ownRooms({ customer, address, purpose, vouched }: ChallengeRequest): ChallengeRoom[] {
    if (vouched) {
      return [
        // Made-up people must not take the places of those who were there before.
        vouched.isNew
          ? { name: `customer ${customer}`, most: limits.ofCustomer }
          : { name: `vouched customer ${customer}`, most: limits.vouchedOfCustomer },
        { name: `vouched address ${address}`, most: MAX_CHALLENGES_OF_ADDRESS },
        { name: `voucher ${vouched.person}`, most: MAX_CHALLENGES_OF_VOUCHER },
      ];
    }
    const ofStrangers = [
      { name: `customer ${customer}`, most: limits.ofCustomer },
      { name: `address ${address}`, most: MAX_CHALLENGES_OF_ADDRESS },
    ];
    if (purpose !== 'enrol') return ofStrangers;
    return [
      ...ofStrangers,
      { name: `enrolments at ${address}`, most: MAX_ENROLMENTS_OF_ADDRESS },
      { name: `enrolments of ${customer}`, most: limits.enrolmentsOfCustomer },
    ];
  }

  return { ownRooms, sharedRooms: (ask: ChallengeRequest) => shared.filter(({ has }) => has(ask)) };
}
