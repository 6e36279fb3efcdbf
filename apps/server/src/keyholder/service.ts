// The key-holder itself: what it decides, and in which order. Worker thread and process are two ways to reach it.
import { areWholeRows, type BlindedRows, MASKED_BYTES } from '@limen/token/shared';
import {
  ChallengeRefused,
  type KeyHolder,
  MAX_ENROL_DECISIONS,
  MAX_LATE_ROWS,
  PersonLocked,
} from '../core/keyholder/keyholder.ts';
import type { Clock } from '../platform/clock.ts';
import type { Audit } from './audit/audit.ts';
import { CHALLENGE_TTL_MS, type Challenge, createChallenges } from './challenges.ts';
import type { Maths } from './compare/maths.ts';
import { createRanking } from './compare/ranking.ts';
import { type Epochs, randomId } from './keys/epochs.ts';
import type { Identity } from './keys/identity.ts';
import { createOutcomes } from './outcomes.ts';
import type { KeyHolderStore } from './store.ts';
import type { AttemptState } from './throttle/attempt.ts';
import { spendingsOf, subjectsOf } from './throttle/attempt-subjects.ts';
import type { HourlyBudgets } from './throttle/hourly-budgets.ts';
import type { Throttle } from './throttle/throttle.ts';

/** More than any gallery; what one challenge may cost. */
const MAX_ROWS = 4_000_000;
/** Tokens of one person: a search in which nobody has to stand out is not one of a gallery. */
const MAX_ROWS_OF_PERSON = 16;

export type KeyHolderCalls = Omit<KeyHolder, 'state' | 'close'>;

export interface ServiceParts {
  store: KeyHolderStore;
  epochs: Epochs;
  throttle: Throttle;
  budgets: HourlyBudgets;
  audit: Audit;
  identity: Identity;
  maths: Maths;
  /** For a search among this many rows. */
  thresholdOf: (modelVersion: string, rows: number) => number;
  clock: Clock;
  /** Milliseconds that only ever grow: a challenge lives as long as it should whatever happens to the clock. */
  monotonic: () => number;
}

export interface KeyHolderService {
  calls: KeyHolderCalls;
  /** Takes away challenges that are over; to be called now and then. */
  sweep(): void;
}

export function createKeyHolderService(parts: ServiceParts): KeyHolderService {
  const { epochs, throttle, budgets, audit, identity, maths, thresholdOf, clock, monotonic } = parts;
  const outcomes = createOutcomes(parts);
  const challenges = createChallenges(monotonic, drop);

  /** Whatever ends a challenge: its key is wiped, and an attempt without an answer counts for nothing. */
  function drop(challenge: Challenge): void {
    const { id, key, attempt } = challenge;
    maths.wipeKey(key);
    attempt?.ranking.wipe();
    try {
      outcomes.left(challenge);
      if (attempt?.isAdopted) epochs.enrolled(id);
    } catch {
      // The file is busy or the disk is full. The note ends by itself, and a rotation waits a little longer.
    }
    attempt?.throttle.end();
  }

  function findBegun(id: string): { challenge: Challenge; attempt: AttemptState } {
    const challenge = challenges.find(id);
    if (!challenge.attempt) throw new ChallengeRefused('unknown');
    return { challenge, attempt: challenge.attempt };
  }

  /** Runs `work` after all earlier calls about this challenge, and only if it is still there then. */
  async function inTurn<T>(
    id: string,
    work: (challenge: Challenge, attempt: AttemptState) => T | Promise<T>,
  ): Promise<T> {
    const { attempt } = findBegun(id);
    const turn = attempt.queue.then(() => {
      const found = findBegun(id);
      return work(found.challenge, found.attempt);
    });
    attempt.queue = turn.catch(() => {});
    return turn;
  }

  const calls: KeyHolderCalls = {
    identity: async () => identity.publicKey,

    async openChallenge(ask) {
      throttle.check(subjectsOf(ask));
      budgets.check(spendingsOf(ask));
      challenges.makeRoom(ask);
      const { secret, publicKey } = await maths.makeKeyPair();
      const key = await maths.openKey(secret);
      secret.fill(0);
      const id = randomId();
      const { purpose, session } = ask;
      const endsAt = monotonic() + CHALLENGE_TTL_MS;
      const expiresAt = clock.now() + CHALLENGE_TTL_MS;
      const signature = await identity.sign({ challenge: id, purpose, session, expiresAt, publicKey });
      challenges.makeRoom(ask); // others may have come meanwhile
      challenges.add({ id, ask, key, endsAt });
      return { challenge: id, publicKey, signature, identity: identity.publicKey, expiresAt };
    },

    async begin(id, about, probe) {
      const challenge = challenges.find(id);
      if (challenge.attempt) throw new ChallengeRefused('used');
      const { ask } = challenge;
      if (ask.purpose === 'verify' && about.person === undefined) throw new RangeError('a person is needed to verify');
      const counted = throttle.attempt(subjectsOf(ask, about.person));
      const queue = Promise.resolve();
      const state = { queue, decisions: 0, isAdopted: false, isSettled: false };
      challenge.attempt = { about, ranking: createRanking(), throttle: counted, ...state };
      return inTurn(id, () => {
        if (maths.checkShape(probe, challenge.key)) return 'ok';
        outcomes.malformed(challenge);
        challenges.remove(challenge);
        return 'malformed';
      });
    },

    rows: (id, epoch, rows) =>
      inTurn(id, async ({ ask, key }, { ranking, firstRows }) => {
        if (!areWholeRows(rows)) throw new RangeError('these are no whole rows');
        if (firstRows !== undefined && ask.purpose !== 'enrol') throw new ChallengeRefused('used');
        const mostAtFirst = ask.purpose === 'verify' ? MAX_ROWS_OF_PERSON : MAX_ROWS;
        const most = firstRows === undefined ? mostAtFirst : firstRows + MAX_LATE_ROWS;
        if (ranking.rows + rows.count > most) throw new RangeError('these are too many rows');
        await epochs.use(ask.customer, epoch, (enrolKey) => ranking.add(scoresOf(rows, enrolKey, key)));
      }),

    finish: (id) =>
      inTurn(id, (challenge, attempt) => {
        const { about, ranking } = attempt;
        const isEnrolment = challenge.ask.purpose === 'enrol';
        if (attempt.answer && !isEnrolment) throw new ChallengeRefused('used');
        if (attempt.answer?.rows === ranking.rows) return { best: attempt.answer.best };
        if (attempt.decisions === MAX_ENROL_DECISIONS) throw new ChallengeRefused('used');
        attempt.decisions += 1;
        const { rows } = ranking;
        const best = ranking.choose(thresholdOf(about.modelVersion, rows), challenge.ask.purpose === 'identify');
        const lockedSeconds = outcomes.decided(challenge, { best, rows });
        attempt.answer = { best: lockedSeconds > 0 ? null : best, rows };
        attempt.firstRows ??= rows;
        if (lockedSeconds > 0) throw new PersonLocked(lockedSeconds);
        return { best };
      }),

    adopt: (id, masked) =>
      inTurn(id, async (challenge, attempt) => {
        const { ask, key, endsAt } = challenge;
        const { answer, ranking } = attempt;
        if (masked.length !== MASKED_BYTES) throw new RangeError('a body has another length');
        const isDecided = answer?.rows === ranking.rows;
        if (ask.purpose !== 'enrol' || !isDecided) throw new RangeError('only a face that was compared is adopted');
        const isNobody = answer.best === null;
        if (attempt.isAdopted) throw new ChallengeRefused('used');
        attempt.isAdopted = true;
        const epoch = await epochs.enrolling(ask.customer, id, clock.now() + Math.ceil(endsAt - monotonic()));
        const body = await epochs.use(ask.customer, epoch, (enrolKey) => maths.reencrypt(masked, key, enrolKey));
        challenges.find(id); // once its time is over its key is wiped, perhaps while it was needed
        outcomes.adopted(challenge, epoch, isNobody);
        // The same work for a face that is somebody's, and nothing of it: its time must not tell who is enrolled.
        return { epoch, body: isNobody ? body : new Uint8Array(body.length) };
      }),

    settle: (id, person) =>
      inTurn(id, (challenge) => {
        try {
          return outcomes.settled(challenge, person);
        } finally {
          challenges.remove(challenge);
        }
      }),

    rotate: (customer) => epochs.rotate(customer),

    async renew(customer, from, to, masked) {
      if (masked.some((body) => body.length !== MASKED_BYTES)) throw new RangeError('a body has another length');
      const renewed: Uint8Array[] = [];
      await epochs.use(customer, from, (oldKey) =>
        epochs.use(customer, to, async (newKey) => {
          for (const body of masked) renewed.push(await maths.reencrypt(body, oldKey, newKey));
        }),
      );
      audit.write({ customer, outcome: 'renewed', epoch: to, rows: masked.length });
      return renewed;
    },

    retire: async (customer, epoch) => epochs.retire(customer, epoch),
  };

  function scoresOf(rows: BlindedRows, left: Challenge['key'], right: Challenge['key']): Float64Array {
    const scores = new Float64Array(rows.count);
    maths.scoreRows(rows, left, right, scores);
    return scores;
  }

  return { calls, sweep: () => challenges.sweep() };
}
