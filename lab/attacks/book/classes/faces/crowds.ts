// Crowds of strangers: their challenges, failures and inventions must not lock out existing people.
import {
  type Capture,
  type Face,
  newFace,
  newPersonKey,
} from '../../../../../apps/server/testing/verification-device.ts';
import { type AttackClass, expectHonest } from '../../attack-class.ts';
import { type Host, verificationBody } from '../../host.ts';
import { again, enrollAtOnce, guess, guessKnown, hold, makeProbe, sendNonsense } from '../../people.ts';
import type { Stage } from '../../stage.ts';

const common = { promise: 'docs/keyholder.md#what-it-decides', needs: 'many keys', isLong: true } as const;
/** Open challenges and failures per address, and failures per customer (docs/keyholder.md). */
const OPEN_OF_ADDRESS = 64;
const WRONG_OF_ADDRESS = 20;
const WRONG_OF_CUSTOMER = 600;
const LANES = 8;

/** Opens unanswered challenges, each in a separate session. Returns how many succeeded. */
async function openChallenges(stage: Stage, host: Host, type: string, address: string, count: number): Promise<number> {
  const outcomes = await inLanes(count, async () => {
    const session = await hold(stage, await host.startVerification(type), { address });
    await session.reach('token');
    return (await session.challenge()).body.outcome;
  });
  return outcomes.filter((outcome) => outcome === 'ready').length;
}

async function inLanes<T>(count: number, work: (nth: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async () => {
    while (next < count) results.push(await work(next++));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return results;
}

export const enrollmentsLeftOpen: AttackClass = {
  ...common,
  name: 'enrolments-left-open',
  prevents: 'enrollments begun by the dozen and never finished, so that nobody at that address can sign in',
  refusals: ['the flood is throttled, signing in goes on'],
  attempts: 2,
  async begin(stage) {
    return async () => {
      const host = await stage.newHost();
      const address = stage.newAddress();
      const person = await enrollAtOnce(stage, host);
      expectHonest((await guess(stage, host, { face: again(person), address })) === 'matched', 'the person signs in');
      const wanted = OPEN_OF_ADDRESS + LANES;
      const had = await openChallenges(stage, host, 'ENROLL', address, wanted);
      const after = await guess(stage, host, { face: again(person), address });
      const isHeld = had > 0 && had < wanted && after === 'matched';
      return isHeld ? 'the flood is throttled, signing in goes on' : `${had} of ${wanted} were open, then ${after}`;
    };
  },
};

export const vouchedCrowdedOut: AttackClass = {
  ...common,
  name: 'vouched-crowded-out',
  prevents: 'strangers at an address who get it locked, or fill it with open challenges, until its own people wait too',
  refusals: ['strangers wait, a known device signs in'],
  attempts: 2,
  async begin(stage) {
    const host = await stage.newHost();
    const key = await newPersonKey();
    const person = { ...(await enrollAtOnce(stage, host, { key })), key };
    expectHonest((await guessKnown(stage, host, person)) === 'matched', 'a known device signs in');
    return async (round) => {
      const address = stage.newAddress();
      if (round % 2 === 0) await openChallenges(stage, host, 'SIGN-IN', address, OPEN_OF_ADDRESS);
      else for (let times = 0; times < WRONG_OF_ADDRESS; times += 1) await guess(stage, host, { address });
      const strangers = await guess(stage, host, { face: again(person), address });
      const known = await guessKnown(stage, host, { ...person, address });
      if (strangers === 'throttled' && known === 'matched') return 'strangers wait, a known device signs in';
      return `strangers ${strangers}, a known device ${known}`;
    };
  },
};

export const customersLocked: AttackClass = {
  ...common,
  name: 'guessing-from-everywhere',
  prevents:
    'guesses at a customer’s people from ever new addresses, and a lock against them that keeps out more than strangers',
  refusals: ['throttled in time, nobody else waits'],
  attempts: 1,
  async begin(stage) {
    return async () => {
      const [host, other] = [await stage.newHost(), await stage.newHost()];
      const key = await newPersonKey();
      const person = { ...(await enrollAtOnce(stage, host, { key })), key };
      const elsewhere = await enrollAtOnce(stage, other);
      expectHonest((await guess(stage, host, { face: again(person) })) === 'matched', 'the person signs in');
      // Invalid faces count as wrong ones and are quick to create.
      const probe = await makeProbe(stage, host);
      const tries = await inLanes(WRONG_OF_CUSTOMER / 3 + LANES, () => sendNonsense(stage, host, 3, probe));
      const wrong = tries.reduce((sum, refused) => sum + refused, 0);
      const seen = [
        await guess(stage, host, { face: again(person) }),
        await guessKnown(stage, host, person),
        await guess(stage, other, { face: again(elsewhere) }),
      ].join();
      if (wrong <= WRONG_OF_CUSTOMER && seen === 'throttled,matched,matched')
        return 'throttled in time, nobody else waits';
      return `${wrong} guesses, then ${seen}`;
    };
  },
};

export const peopleMadeUp: AttackClass = {
  ...common,
  name: 'people-made-up',
  prevents:
    'made-up people beyond the operator’s limit, and a full gallery that keeps out the people in it or reveals who is in it',
  promise: 'docs/keyholder.md#how-many-people',
  refusals: ['507 store_full, and who is there signs in'],
  attempts: 8,
  async begin(stage) {
    const small = await stage.another({ MAX_PEOPLE: '3' });
    const host = await small.newHost();
    const first = await enrollAtOnce(small, host);
    await enrollAtOnce(small, host);
    // Started while there was room.
    const early = await Promise.all(
      Array.from({ length: 4 }, async () => hold(small, await host.startVerification('ENROLL'))),
    );
    await enrollAtOnce(small, host);
    return async (round) => {
      const session = early[round];
      const refused = session
        ? await tellEnrollment(session, round % 2 === 0 ? newFace() : again(first))
        : await tellCreation(host);
      const isThere = (await guess(small, host, { face: again(first) })) === 'matched';
      return `${refused}${isThere ? ', and who is there signs in' : ''}`;
    };
  },
};

async function tellEnrollment(session: Capture, face: Face): Promise<string> {
  await session.reach('token');
  const { status, error, body } = await session.show(face);
  return `${status} ${error ?? body.outcome}`;
}

async function tellCreation(host: Host): Promise<string> {
  return (await host.call('POST', '/v2/verification-session', verificationBody('ENROLL'))).label;
}
