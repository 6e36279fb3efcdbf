// The key-holder itself: what it decides, and in which order. Worker thread and process are two ways to reach it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SecretKey } from '@limen/token/keyholder';
import {
  areWholeBlocks,
  areWholeRows,
  BLOCK_PEOPLE,
  type BlindedRows,
  BODY_BYTES,
  countPlaces,
  MASKED_BYTES,
  rememberEpochs,
  SHAPE_BYTES,
} from '@limen/token/shared';
import type { Audit } from './audit/log.ts';
import { CHALLENGE_TTL_MS, createChallenges } from './challenges.ts';
import { createRanking, type Maths } from './compare.ts';
import { type Epochs, randomId } from './keys/epochs.ts';
import type { Identity } from './keys/identity.ts';
import { ChallengeRefused, type KeyHolder, MAX_ENROL_DECISIONS, MAX_LATE_ROWS, PersonLocked } from './link/calls.ts';
import { createOutcomes } from './outcomes.ts';
import type { KeyHolderStore } from './store/store.ts';
import { type AttemptState, type BegunChallenge, spendingsOf, subjectsOf } from './throttle/attempt.ts';
import type { HourlyBudgets, Spending } from './throttle/hourly-budgets.ts';
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
  /** Milliseconds that only ever grow: a challenge lives as long as it should whatever happens to the clock. */
  monotonic: () => number;
}

export type KeyHolderService = ReturnType<typeof createKeyHolderService>;

export function createKeyHolderService(parts: ServiceParts) {
  const { store, epochs, throttle, budgets, audit, identity, maths, thresholdOf, monotonic } = parts;
  const outcomes = createOutcomes(parts);
  const challenges = createChallenges(store.sealer);
  const polynomialsOf = rememberEpochs();
  /** In the order in which they were begun. */
  const begun = new Map<string, BegunChallenge>();

  /** Whatever ends a challenge: its key is wiped, and an attempt without an answer counts for nothing. */
  async function drop(challenge: BegunChallenge): Promise<void> {
    const { id, key, attempt } = challenge;
    if (!begun.delete(id)) return;
    maths.wipeKey(key);
    attempt.ranking.wipe();
    for (const secret of attempt.folded.values()) maths.wipeProbeSecret(secret);
    try {
      await store.transact(async (rows) => {
        await outcomes.left(rows, challenge);
        if (attempt.isAdopted) await epochs.enrolled(rows, id);
        await throttle.end(rows, attempt.counted);
        await challenges.remove(rows, id);
      });
    } catch {
      // The database is away or the disk is full. The notes end by themselves, and a rotation waits a little longer.
    }
  }

  async function dropPast(): Promise<void> {
    for (const challenge of begun.values()) if (challenge.endsAt <= monotonic()) await drop(challenge);
  }

  function findBegun(id: string): BegunChallenge {
    const challenge = begun.get(id);
    if (!challenge) throw new ChallengeRefused('unknown');
    if (challenge.endsAt > monotonic()) return challenge;
    void drop(challenge);
    throw new ChallengeRefused('expired');
  }

  /** Runs `work` after all earlier calls about this challenge, and only if it is still there then. */
  async function inTurn<T>(
    id: string,
    work: (challenge: BegunChallenge, attempt: AttemptState) => T | Promise<T>,
  ): Promise<T> {
    const { attempt } = findBegun(id);
    const turn = attempt.queue.then(() => {
      const found = findBegun(id);
      return work(found, found.attempt);
    });
    attempt.queue = turn.catch(() => {});
    return turn;
  }

  const calls: KeyHolderCalls = {
    async identity() {
      // Asked for again and again by services that could go to another one: so it must be able to work.
      await store.read((rows) => rows.get('select public_key from identity'));
      return identity.publicKey;
    },

    async openChallenge(ask) {
      await store.read(async (rows) => {
        await throttle.check(rows, subjectsOf(ask));
        await budgets.check(rows, spendingsOf(ask));
      });
      await dropPast();
      const now = await store.transact(async (rows) => {
        await challenges.makeRoom(rows, ask);
        return rows.now;
      });
      const { secret, publicKey } = await maths.makeKeyPair();
      try {
        const id = randomId();
        const { purpose, session } = ask;
        const expiresAt = now + CHALLENGE_TTL_MS;
        const signature = await identity.sign({ challenge: id, purpose, session, expiresAt, publicKey });
        await store.transact(async (rows) => {
          await challenges.makeRoom(rows, ask); // others may have come meanwhile
          await challenges.add(rows, id, ask, secret);
        });
        return { challenge: id, publicKey, signature, identity: identity.publicKey, expiresAt };
      } finally {
        secret.fill(0);
      }
    },

    async begin(id, about, probe) {
      // The service's making, and not the device's: nothing to refuse a person for.
      if (probe.bytes.length !== SHAPE_BYTES) throw new RangeError('a shape has another length');
      const { ask, counted, secret, leftMs } = await store.transact(async (rows) => {
        const found = await challenges.find(rows, id);
        const { purpose } = found.ask;
        if (purpose === 'verify' && about.person === undefined) throw new RangeError('a person is needed to verify');
        const attempt = { id, until: found.until, subjects: subjectsOf(found.ask, about.person) };
        await throttle.begin(rows, attempt);
        const key = await challenges.begin(rows, id);
        return { ask: found.ask, counted: attempt, secret: key, leftMs: found.until - rows.steady };
      });
      const endsAt = monotonic() + leftMs;
      const key = await maths.openKey(secret);
      secret.fill(0);
      const queue = Promise.resolve();
      const state = { queue, decisions: 0, isAdopted: false, isCounted: false };
      const attempt: AttemptState = { about, ranking: createRanking(), folded: new Map(), counted, ...state };
      begun.set(id, { id, ask, key, endsAt, attempt });
      return inTurn(id, async (challenge) => {
        if (maths.checkShape(probe, key)) return 'ok';
        await outcomes.malformed(challenge);
        await drop(challenge);
        return 'malformed';
      });
    },

    rows: (id, epoch, rows) =>
      inTurn(id, async (challenge, { ranking }) => {
        const { ask, key } = challenge;
        if (!areWholeRows(rows)) throw new RangeError('these are no whole rows');
        checkRows(challenge, rows.count);
        await epochs.use(ask.customer, epoch, (enrolKey) => ranking.add(scoresOf(rows, enrolKey, key)));
      }),

    fold: (id, epoch, masked) =>
      inTurn(id, async (challenge, { folded }) => {
        const { ask, key } = challenge;
        if (masked.length !== BODY_BYTES) throw new RangeError('a body has another length');
        if (ask.purpose === 'verify') throw new RangeError('one person is not compared by blocks');
        checkRows(challenge, 0);
        if (folded.has(epoch)) throw new ChallengeRefused('used');
        const polynomials = await polynomialsOf(epoch);
        // Whether the customer has this key at all.
        await epochs.use(ask.customer, epoch, () => undefined);
        findBegun(id); // once its time is over its key is wiped
        const made = maths.foldMaskedProbe(masked, key, polynomials);
        folded.set(epoch, made.secret);
        return made.folded;
      }),

    blocks: (id, epoch, blocks) =>
      inTurn(id, async (challenge, { ranking, folded }) => {
        if (!areWholeBlocks(blocks)) throw new RangeError('these are no whole blocks');
        const secret = folded.get(epoch);
        if (!secret) throw new RangeError('the probe was not folded');
        const people = countPlaces(blocks);
        checkRows(challenge, people);
        await epochs.use(challenge.ask.customer, epoch, (enrolKey) => {
          const scores = new Float64Array(people);
          maths.scoreBlocks(blocks, enrolKey, secret, scores);
          ranking.add(scores);
        });
      }),

    finish: (id) =>
      inTurn(id, async (challenge, attempt) => {
        const { about, ranking } = attempt;
        const isEnrolment = challenge.ask.purpose === 'enrol';
        if (attempt.answer && !isEnrolment) throw new ChallengeRefused('used');
        if (attempt.answer?.rows === ranking.rows) return { best: attempt.answer.best };
        if (attempt.decisions === MAX_ENROL_DECISIONS) throw new ChallengeRefused('used');
        attempt.decisions += 1;
        const { rows } = ranking;
        const best = ranking.choose(thresholdOf(about.modelVersion, rows), challenge.ask.purpose === 'identify');
        const lockedSeconds = await outcomes.decided(challenge, { best, rows });
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
        const epoch = await epochs.enrolling(ask.customer, id, Math.ceil(endsAt - monotonic()));
        const body = await epochs.use(ask.customer, epoch, (enrolKey) => maths.reencrypt(masked, key, enrolKey));
        findBegun(id); // once its time is over its key is wiped, perhaps while it was needed
        await outcomes.adopted(challenge, epoch, isNobody);
        // The same work for a face that is somebody's, and nothing of it: its time must not tell who is enrolled.
        return { epoch, body: isNobody ? body : new Uint8Array(body.length) };
      }),

    settle: (id, person) =>
      inTurn(id, async (challenge) => {
        try {
          return await outcomes.settled(challenge, person);
        } finally {
          await drop(challenge);
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
      await store.transact((rows) =>
        audit.write(rows, { customer, outcome: 'renewed', epoch: to, rows: masked.length }),
      );
      return renewed;
    },

    async pack(customer, epoch, masked, balances) {
      if (masked.some((body) => body.length !== BODY_BYTES)) throw new RangeError('a body has another length');
      if (masked.length % BLOCK_PEOPLE !== 0) throw new RangeError('a block has four people');
      if (balances.length !== masked.length) throw new RangeError('every body has its balance');
      const packed: Uint8Array[] = [];
      const polynomials = await polynomialsOf(epoch);
      let unbalanced = -1;
      await epochs.use(customer, epoch, async (key) => {
        unbalanced = balances.findIndex((balance) => !maths.checkBalance(balance, key));
        // All the same where one is out of balance: once there are no more answers, the time must not be one.
        for (let at = 0; at < masked.length; at += BLOCK_PEOPLE) {
          packed.push(maths.packBlock(masked.slice(at, at + BLOCK_PEOPLE), key, polynomials));
          // Two or three milliseconds each: others are waiting for their answers.
          await nextTurn();
        }
      });
      const answer: Spending[] = [{ budget: 'sign_in', subject: customer }];
      await store.transact(async (rows) => {
        // Whatever came of it: a refusal that is not counted must not be told from its absence.
        await budgets.check(rows, answer);
        if (unbalanced >= 0) await budgets.count(rows, answer);
        const outcome = unbalanced >= 0 ? 'unbalanced' : 'packed';
        await audit.write(rows, { customer, outcome, epoch, rows: masked.length });
      });
      return unbalanced >= 0 ? { unbalanced } : { blocks: packed };
    },

    retire: (customer, epoch) => epochs.retire(customer, epoch),
  };

  /** Throws when this many more rows are not taken, or none at all any more. */
  function checkRows({ ask, attempt }: BegunChallenge, more: number): void {
    const { ranking, firstRows } = attempt;
    if (firstRows !== undefined && ask.purpose !== 'enrol') throw new ChallengeRefused('used');
    const mostAtFirst = ask.purpose === 'verify' ? MAX_ROWS_OF_PERSON : MAX_ROWS;
    const most = firstRows === undefined ? mostAtFirst : firstRows + MAX_LATE_ROWS;
    if (ranking.rows + more > most) throw new RangeError('these are too many rows');
  }

  function scoresOf(rows: BlindedRows, left: SecretKey, right: SecretKey): Float64Array {
    const scores = new Float64Array(rows.count);
    maths.scoreRows(rows, left, right, scores);
    return scores;
  }

  return {
    calls,
    /** Takes away challenges that are over; to be called now and then. */
    async sweep(): Promise<void> {
      await dropPast();
      await store.transact(challenges.sweep);
      await epochs.sweep();
    },
  };
}
