// The key-holder itself: what it decides, and in which order. Worker thread and process are two ways to reach it.
import { createHash } from 'node:crypto';
import { areWholeRows, type BlindedRows, MASKED_BYTES } from '@limen/token/shared';
import {
  type AboutAttempt,
  type ChallengeAsk,
  ChallengeRefused,
  type KeyHolder,
  MAX_ENROL_DECISIONS,
  MAX_LATE_ROWS,
  Throttled,
} from '../core/keyholder/keyholder.ts';
import type { Clock } from '../platform/clock.ts';
import type { Answers } from './answers.ts';
import type { AttemptState } from './attempt.ts';
import type { Audit, AuditEntry } from './audit.ts';
import { CHALLENGE_TTL_MS, type Challenge, createChallenges } from './challenges.ts';
import { type Epochs, randomId } from './epochs.ts';
import type { Identity } from './identity.ts';
import type { Maths } from './maths.ts';
import { createRanking } from './ranking.ts';
import type { KeyHolderStore } from './store.ts';
import type { Scope, Subject, Throttle } from './throttle.ts';

/** More than any gallery; what one challenge may cost. */
const MAX_ROWS = 4_000_000;
/** Tokens of one person: a search in which nobody has to stand out is not one of a gallery. */
const MAX_ROWS_OF_PERSON = 16;

/**
 * For whom an enrolment counts as refused that finds somebody: it tells that this face is enrolled. Not for the customer, whose
 * people may well forget that they are there already.
 */
const FOUND_BY_ENROLMENT: readonly Scope[] = ['device', 'address'];
/** Hexadecimal digits of the session's digest in the audit. */
const SESSION_DIGITS = 32;

export type KeyHolderCalls = Omit<KeyHolder, 'state' | 'close'>;

export interface ServiceParts {
  store: KeyHolderStore;
  epochs: Epochs;
  throttle: Throttle;
  answers: Answers;
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
  const { store, epochs, throttle, answers, audit, identity, maths, thresholdOf, clock, monotonic } = parts;
  const challenges = createChallenges(monotonic, drop);

  /** Whatever ends a challenge: its key is wiped, and an attempt without an answer counts for nothing. */
  function drop({ id, key, attempt }: Challenge): void {
    maths.wipeKey(key);
    attempt?.ranking.wipe();
    attempt?.throttle.end();
    if (!attempt?.isAdopted) return;
    try {
      epochs.enrolled(id);
    } catch {
      // The file is busy or the disk is full. The note ends by itself, and a rotation waits a little longer.
    }
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

  /**
   * After a success. The address too, which a whole office may share: a thief behind it who signs in as themselves wipes
   * its count, but not that of another device or person.
   */
  function forgive({ ask }: Challenge, person: string): void {
    throttle.forgive([
      { scope: 'person', subject: person },
      { scope: 'device', subject: ask.device },
      { scope: 'address', subject: ask.address },
    ]);
  }

  function auditOf({ id, ask }: Challenge, about: AboutAttempt) {
    return (entry: Pick<AuditEntry, 'outcome' | 'rows' | 'person' | 'epoch'>) => {
      const { customer, purpose, session, device } = ask;
      const person = entry.person ?? about.person;
      audit.write({
        ...{ customer, purpose, session: digestSession(session), device, challenge: id, ...entry },
        ...(person !== undefined && { person }),
        ...(about.facts && { facts: about.facts }),
      });
    };
  }

  const calls: KeyHolderCalls = {
    async openChallenge(ask) {
      throttle.check(subjectsOf(ask));
      answers.check(ask.customer);
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
      challenge.attempt = { about, ranking: createRanking(), throttle: counted, queue, decisions: 0, isAdopted: false };
      return inTurn(id, () => {
        if (maths.checkShape(probe, challenge.key)) return 'ok';
        store.transact(() => {
          counted.refuse();
          auditOf(challenge, about)({ outcome: 'malformed' });
        });
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
        const { about, ranking, throttle: counted } = attempt;
        const { purpose, customer } = challenge.ask;
        if (attempt.answer && purpose !== 'enrol') throw new ChallengeRefused('used');
        if (attempt.answer?.rows === ranking.rows) return { best: attempt.answer.best };
        if (attempt.decisions === MAX_ENROL_DECISIONS) throw new ChallengeRefused('used');
        attempt.decisions += 1;
        const { rows } = ranking;
        const best = ranking.choose(thresholdOf(about.modelVersion, rows), purpose === 'identify');
        store.transact(() => {
          answers.count(customer);
          if (purpose === 'enrol') {
            // Somebody new is what it hopes for.
            if (best !== null) counted.refuse(FOUND_BY_ENROLMENT);
          } else if (best === null) counted.refuse();
          else if (about.person !== undefined) forgive(challenge, about.person);
          auditOf(challenge, about)({ outcome: best === null ? 'no_match' : 'match', rows });
        });
        counted.end();
        attempt.answer = { best, rows };
        attempt.firstRows ??= rows;
        return { best };
      }),

    adopt: (id, masked) =>
      inTurn(id, async (challenge, attempt) => {
        const { ask, key, endsAt } = challenge;
        const { about, answer, ranking } = attempt;
        if (masked.length !== MASKED_BYTES) throw new RangeError('a body has another length');
        const isNobody = answer?.best === null && answer.rows === ranking.rows;
        if (ask.purpose !== 'enrol' || !isNobody) throw new RangeError('only a face that nobody has is adopted');
        if (attempt.isAdopted) throw new ChallengeRefused('used');
        attempt.isAdopted = true;
        const epoch = await epochs.enrolling(ask.customer, id, clock.now() + Math.ceil(endsAt - monotonic()));
        const body = await epochs.use(ask.customer, epoch, (enrolKey) => maths.reencrypt(masked, key, enrolKey));
        challenges.find(id); // once its time is over its key is wiped, perhaps while it was needed
        auditOf(challenge, about)({ outcome: 'adopted', epoch });
        return { epoch, body };
      }),

    settle: (id, person) =>
      inTurn(id, (challenge, attempt) => {
        const { ask } = challenge;
        try {
          if (person === null || ask.purpose === 'verify') return;
          const write = auditOf(challenge, attempt.about);
          const isFound = (attempt.answer?.best ?? null) !== null;
          const subject: Subject = { scope: 'person', subject: person };
          try {
            // A lock on the person holds for every way in, also for an enrolment that found them.
            if (isFound) throttle.check([subject]);
          } catch (error) {
            if (error instanceof Throttled) write({ outcome: 'locked', person });
            throw error;
          }
          store.transact(() => {
            if (isFound && ask.purpose === 'identify') forgive(challenge, person);
            write({ outcome: 'settled', person });
          });
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

/** The id itself would open the session's link. */
function digestSession(session: string): string {
  return createHash('sha256').update(session).digest('hex').slice(0, SESSION_DIGITS);
}

function subjectsOf({ customer, device, address, vouched }: ChallengeAsk, person?: string): Subject[] {
  return [
    // Strangers who are refused keep strangers out, and not those whom a device or a passkey speaks for.
    ...(vouched ? [] : [{ scope: 'customer' as const, subject: customer }]),
    { scope: 'device', subject: device },
    { scope: 'address', subject: address },
    ...(person === undefined ? [] : [{ scope: 'person' as const, subject: person }]),
  ];
}
