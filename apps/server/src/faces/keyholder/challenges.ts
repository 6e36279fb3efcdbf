// Open challenges: one-time keys with a short life, each for one attempt, and the places that they take.
import type { Sealer } from '../../platform/sealing/sealer.ts';
import {
  CHALLENGE_TTL_MS,
  MAX_CHALLENGES,
  MAX_CHALLENGES_OF_ADDRESS,
  MAX_CHALLENGES_OF_VOUCHER,
  MAX_ENROLLMENTS_OF_ADDRESS,
} from './limits.ts';
import { ChallengeRefusedError, type ChallengeRequest, ThrottledError } from './link/calls.ts';
import type { RowCount, Rows } from './store/store.ts';

/** Divides the challenges so that strangers, enrollments or one customer cannot take them all. */
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

export const CHALLENGE_LIMITS = shareOutChallenges(MAX_CHALLENGES);

export type Challenges = ReturnType<typeof createChallenges>;
export type OpenChallenge = Awaited<ReturnType<Challenges['find']>>;

/** Every method is part of the caller's transaction. */
export function createChallenges(sealer: Sealer, limits = CHALLENGE_LIMITS) {
  const placeOf = (column: 'ask' | 'secret', id: string) => `challenges/${column}/${id}`;
  /** Keeps handles and session ids out of the tables. */
  const digest = (purpose: 'room' | 'session', name: string) =>
    sealer.digest(`challenge ${purpose}`, name).toString('base64url');
  const sessionName = ({ customer, session }: ChallengeRequest) => digest('session', `${session} ${customer}`);
  const roomsOf = (ask: ChallengeRequest) =>
    listRooms(limits, ask).map((room) => ({ ...room, name: digest('room', room.name) }));

  async function remove(rows: Rows, id: string): Promise<void> {
    await rows.run`delete from places where challenge = ${id}`;
    await rows.run`delete from challenges where id = ${id}`;
  }

  async function sweep(rows: Rows): Promise<void> {
    await rows.run`delete from places where until <= ${rows.steady}`;
    await rows.run`delete from challenges where until <= ${rows.steady}`;
  }

  /** Drops the oldest unbegun challenge of the customer with the most, so that a flood costs only its own customer. */
  async function freePlace(rows: Rows, room: string, { customer }: ChallengeRequest): Promise<boolean> {
    const customers = await rows.all<{
      customer: string;
      places: number;
      oldest: number | null;
    }>`select customer, count(*) as places, min(case when begun = 0 then number end) as oldest from places join challenges on id = challenge where room = ${room} group by customer order by 2 desc, 3`;
    const own = customers.find((row) => row.customer === customer)?.places ?? 0;
    const largest = customers.find(({ oldest }) => oldest !== null);
    if (!largest || largest.places <= own + 1) return false;
    const dropped = await rows.get<{ id: string }>`select id from challenges where number = ${largest.oldest}`;
    await remove(rows, dropped!.id);
    return true;
  }

  async function hasPlace(rows: Rows, ask: ChallengeRequest): Promise<boolean> {
    for (const { name, most, isShared } of roomsOf(ask)) {
      const taken = await rows.get<RowCount>`select count(*) as n from places where room = ${name}`;
      if (taken!.n >= most && !(isShared && (await freePlace(rows, name, ask)))) return false;
    }
    return true;
  }

  return {
    sweep,
    remove,
    /** Drops the session's unbegun challenge. Throws ThrottledError if there is no room for another challenge. */
    async makeRoom(rows: Rows, ask: ChallengeRequest): Promise<void> {
      await sweep(rows);
      const waiting = await rows.get<{
        id: string;
      }>`select id from challenges where session = ${sessionName(ask)} and begun = 0`;
      if (waiting) await remove(rows, waiting.id);
      if (await hasPlace(rows, ask)) return;
      const oldest = await rows.get<{ until: number | null }>`select min(until) as until from challenges`;
      throw new ThrottledError(Math.max(1, Math.ceil(((oldest?.until ?? rows.steady) - rows.steady) / 1_000)));
    },
    async add(rows: Rows, id: string, ask: ChallengeRequest, secret: Uint8Array): Promise<void> {
      const until = rows.steady + CHALLENGE_TTL_MS;
      const sealedAsk = sealer.sealJson(ask, placeOf('ask', id));
      const sealedSecret = sealer.seal(secret, placeOf('secret', id));
      // Not from a sequence: that of an unlogged table may be unusable on a replica that took over.
      await rows.run`insert into challenges (number, id, customer, session, ask, secret, begun, until) values ((select coalesce(max(number), 0) + 1 from challenges), ${id}, ${ask.customer}, ${sessionName(ask)}, ${sealedAsk}, ${sealedSecret}, 0, ${until})`;
      for (const { name } of roomsOf(ask))
        await rows.run`insert into places (challenge, room, until) values (${id}, ${name}, ${until})`;
    },
    /** Throws ChallengeRefusedError if it is unknown, expired or begun. */
    async find(rows: Rows, id: string) {
      const row = await rows.get<{
        ask: Uint8Array;
        begun: number;
        until: number;
      }>`select ask, begun, until from challenges where id = ${id}`;
      if (!row) throw new ChallengeRefusedError('unknown');
      if (row.until <= rows.steady) throw new ChallengeRefusedError('expired');
      if (row.begun === 1) throw new ChallengeRefusedError('used');
      return { ask: sealer.openJson(row.ask, placeOf('ask', id)) as ChallengeRequest, until: row.until };
    },
    /** Returns the secret, to be wiped, and deletes it here. The challenge keeps its places. */
    async begin(rows: Rows, id: string): Promise<Uint8Array> {
      const row = await rows.get<{ secret: Uint8Array }>`select secret from challenges where id = ${id}`;
      await rows.run`update challenges set begun = 1, secret = null where id = ${id}`;
      return sealer.open(row!.secret, placeOf('secret', id));
    },
  };
}

/** Lists the groups in which a challenge takes a place, with their limits. Vouched challenges have places of their own. */
function listRooms(limits: typeof CHALLENGE_LIMITS, { customer, address, purpose, vouched }: ChallengeRequest) {
  // Recently enrolled people count as strangers: made-up people must not take the places of earlier ones.
  const isStranger = !vouched || vouched.isNew === true;
  const isEnrollment = !vouched && purpose === 'enrol';
  const rooms = [
    { name: `customer ${customer}`, most: limits.ofCustomer, applies: isStranger },
    { name: `vouched customer ${customer}`, most: limits.vouchedOfCustomer, applies: !isStranger },
    { name: `address ${address}`, most: MAX_CHALLENGES_OF_ADDRESS, applies: !vouched },
    { name: `vouched address ${address}`, most: MAX_CHALLENGES_OF_ADDRESS, applies: vouched },
    { name: `voucher ${vouched?.person}`, most: MAX_CHALLENGES_OF_VOUCHER, applies: vouched },
    { name: `enrollments at ${address}`, most: MAX_ENROLLMENTS_OF_ADDRESS, applies: isEnrollment },
    { name: `enrollments of ${customer}`, most: limits.enrolmentsOfCustomer, applies: isEnrollment },
    // Shared by all customers. The smallest comes first: a place that is freed there is also free in the others.
    { name: 'enrolments', most: limits.enrolments, applies: isEnrollment, isShared: true },
    { name: 'strangers', most: limits.strangers, applies: isStranger, isShared: true },
    { name: 'all', most: limits.all, applies: true, isShared: true },
  ];
  return rooms.filter(({ applies }) => applies);
}
