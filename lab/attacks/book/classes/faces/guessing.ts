// Trying face after face until one matches. The throttles must hold, no matter what the attacker can
// do.
import { randomInt } from 'node:crypto';
import { newFace, newPersonKey } from '../../../../../apps/server/testing/verification-device.ts';
import { type AttackClass, expectHonest } from '../../attack-class.ts';
import { again, enrollAtOnce, enrollHonestly, guess, guessKnown } from '../../people.ts';
import type { Stage } from '../../stage.ts';

const common = { promise: 'docs/keyholder.md#what-it-decides', needs: 'many keys', isLong: true } as const;
/** Failures per address in a quarter of an hour (docs/keyholder.md). */
const PER_ADDRESS = 20;
const HELD = 'throttled in time';

function judge(refused: number): string {
  if (refused === 0) return 'nothing was compared';
  return refused <= PER_ADDRESS ? HELD : `${refused} guesses`;
}

export const guessingBetweenSuccesses: AttackClass = {
  ...common,
  name: 'guessing-between-successes',
  prevents: 'somebody with an account who resets the count of wrong guesses by signing in as themselves now and then',
  refusals: [HELD],
  attempts: 2,
  async begin(stage) {
    const host = await stage.newHost();
    const own = await enrollAtOnce(stage, host);
    return async () => {
      const address = stage.newAddress();
      let refused = 0;
      for (let round = 1; round <= 45; round += 1) {
        const isOwn = round % 6 === 0;
        const outcome = await guess(stage, host, { address, ...(isOwn && { face: again(own) }) });
        if (outcome === 'throttled') break;
        if (!isOwn && outcome === 'not_recognized') refused += 1;
        if (isOwn && round === 6) expectHonest(outcome === 'matched', `signing in as oneself is ${outcome}`);
      }
      return judge(refused);
    };
  },
};

export const guessingBehindHeaders: AttackClass = {
  ...common,
  name: 'guessing-behind-headers',
  prevents: 'a new address in X-Forwarded-For with every guess, where no proxy is trusted',
  refusals: [HELD],
  attempts: 2,
  async begin(stage) {
    const host = await stage.newHost();
    return async () => {
      const address = stage.newAddress();
      const disguised = withHeaders(stage, () => {
        const made = [10, 20, 30].map((from) => randomInt(from, 250)).join('.');
        return {
          'x-forwarded-for': `${made}.7:${randomInt(65_536)}`,
          forwarded: `for=${made}.8`,
          'x-real-ip': `${made}.9`,
          'true-client-ip': `${made}.10`,
        };
      });
      let refused = 0;
      while (refused <= PER_ADDRESS + 5) {
        if ((await guess(disguised, host, { address })) === 'throttled') break;
        refused += 1;
      }
      return judge(refused);
    };
  },
};

export const guessingAllAtOnce: AttackClass = {
  ...common,
  name: 'guessing-all-at-once',
  prevents: 'more guesses than allowed, by making them all at the same moment, each with a device key of its own',
  refusals: [HELD],
  attempts: 2,
  async begin(stage) {
    const host = await stage.newHost();
    return async () => {
      const address = stage.newAddress();
      const outcomes = await Promise.all(Array.from({ length: 40 }, () => guess(stage, host, { address })));
      return judge(outcomes.filter((outcome) => outcome === 'not_recognized').length);
    };
  },
};

export const lockedLooksAlike: AttackClass = {
  ...common,
  name: 'locked-looks-alike',
  prevents: 'learning from the answers about a locked person whether the face shown is theirs',
  refusals: ['the same for their face and for others'],
  attempts: 2,
  async begin(stage) {
    const host = await stage.newHost();
    return async () => {
      const victim = await enrollAtOnce(stage, host);
      const verify = (face?: Float32Array) =>
        guess(stage, host, { type: 'VERIFY', userId: victim.puid, ...(face && { face }) });
      expectHonest((await verify(again(victim))) === 'matched', 'the right face is recognized');
      // Ten failures lock a person, and a success restores little.
      for (let round = 0; round < 14; round += 1) await verify();
      const looks = async (face: () => Float32Array) => [
        await verify(face()),
        await guess(stage, host, { face: face() }),
        await guess(stage, host, { type: 'ENROLL', face: face() }),
      ];
      const [theirs, others] = [await looks(() => again(victim)), await looks(newFace)];
      return theirs.join() === others.join() ? 'the same for their face and for others' : `${theirs} and ${others}`;
    };
  },
};

export const enrollmentsTellNothing: AttackClass = {
  ...common,
  name: 'enrolments-tell-nothing',
  prevents: 'learning whether a face is enrolled from whether an enrollment was the last straw for its address',
  promise: 'docs/keyholder.md#throttle',
  refusals: ['the same for a face that is enrolled and for others'],
  attempts: 2,
  async begin(stage) {
    const host = await stage.newHost();
    const victim = await enrollAtOnce(stage, host);
    const look = async (face: Float32Array) => {
      const address = stage.newAddress();
      for (let wrong = 1; wrong < PER_ADDRESS; wrong += 1) await guess(stage, host, { address });
      const told = await guess(stage, host, { type: 'ENROLL', face, address });
      return `${told}, then ${await guess(stage, host, { face: again(victim), address })}`;
    };
    return async () => {
      const [theirs, others] = [await look(again(victim)), await look(newFace())];
      expectHonest(others.startsWith('enrolled'), `an enrollment is ${others}`);
      return theirs === others ? 'the same for a face that is enrolled and for others' : `${theirs} and ${others}`;
    };
  },
};

export const ownersLockedOut: AttackClass = {
  ...common,
  name: 'owners-locked-out',
  prevents: 'wrong faces shown for somebody whose id is known, which lock them out even on their own known device',
  promise: 'docs/keyholder.md#throttle',
  refusals: ['strangers wait, the owner signs in'],
  attempts: 2,
  async begin(stage) {
    const host = await stage.newHost();
    return async () => {
      const key = await newPersonKey();
      const owner = { ...(await enrollHonestly(stage, host, { key })), key };
      expectHonest((await guessKnown(stage, host, owner)) === 'matched', 'a known device signs in');
      const verify = { type: 'VERIFY', userId: owner.puid } as const;
      for (let round = 0; round < 14; round += 1) await guess(stage, host, verify);
      const strangers = await guess(stage, host, { ...verify, face: again(owner) });
      const own = [
        await guessKnown(stage, host, owner),
        await guessKnown(stage, host, { ...owner, userId: owner.puid }),
      ].join();
      if (strangers === 'throttled' && own === 'matched,matched') return 'strangers wait, the owner signs in';
      return `strangers ${strangers}, the owner ${own}`;
    };
  },
};

/** A stage with additional headers on every device call. */
function withHeaders(stage: Stage, headers: () => Record<string, string>): Stage {
  const { door } = stage.speaker;
  const disguised = {
    inject: (request: Parameters<typeof door.inject>[0]) =>
      door.inject({ ...request, headers: { ...request.headers, ...headers() } }),
  };
  return Object.assign(Object.create(stage), { speaker: { ...stage.speaker, door: disguised } });
}
