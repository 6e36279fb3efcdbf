// The key-holder itself: what it decides, and in which order. Worker thread and process are two ways to reach it.
import * as maths from '@limen/token/keyholder';
import {
  areWholeBlocks,
  areWholeRows,
  type BlindedRows,
  BODY_BYTES,
  countPlaces,
  MASKED_BYTES,
  SHAPE_BYTES,
} from '@limen/token/shared';
import { createChallenges } from './challenges.ts';
import { createRanking } from './compare.ts';
import { type Epochs, randomId } from './keys/epochs.ts';
import type { KeyHolderIdentity } from './keys/identity.ts';
import { CHALLENGE_TTL_MS, MAX_ENROL_DECISIONS, MAX_LATE_ROWS, MAX_ROWS, MAX_ROWS_OF_PERSON } from './limits.ts';
import { ChallengeRefused, type KeyHolder, PersonLocked } from './link/calls.ts';
import type { Outcomes } from './outcomes.ts';
import type { KeyHolderStore } from './store/store.ts';
import type { AttemptState, BegunChallenge } from './throttle/attempt.ts';

export type KeyHolderCalls = Omit<KeyHolder, 'state' | 'close'>;

interface ServiceParts {
  store: KeyHolderStore;
  epochs: Epochs;
  outcomes: Outcomes;
  identity: KeyHolderIdentity;
  makeKeyPair: typeof maths.makeKeyPair;
  /** For a search among this many rows. */
  thresholdOf: (modelVersion: string, rows: number) => number;
  /** Milliseconds that only ever grow: a challenge lives as long as it should whatever happens to the clock. */
  monotonic: () => number;
}

/** The calls are fields, so that they can be handed around without the service. */
export class KeyHolderService implements KeyHolderCalls {
  readonly #parts: ServiceParts;
  readonly #challenges;
  /** In the order in which they were begun. */
  readonly #begun = new Map<string, BegunChallenge>();

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    this.#challenges = createChallenges(parts.store.sealer);
  }

  readonly identity: KeyHolder['identity'] = async () => {
    // Asked for again and again by services that could go to another one: so it must be able to work.
    await this.#parts.store.read((rows) => rows.get('select public_key from identity'));
    return this.#parts.identity.publicKey;
  };

  readonly openChallenge: KeyHolder['openChallenge'] = async (ask) => {
    await this.#parts.store.read((rows) => this.#parts.outcomes.check(rows, ask));
    await this.#dropPast();
    const now = await this.#parts.store.transact(async (rows) => {
      await this.#challenges.makeRoom(rows, ask);
      return rows.now;
    });
    const { secret, publicKey } = await this.#parts.makeKeyPair();
    try {
      const id = randomId();
      const { purpose, session } = ask;
      const expiresAt = now + CHALLENGE_TTL_MS;
      const signature = await this.#parts.identity.sign({ challenge: id, purpose, session, expiresAt, publicKey });
      await this.#parts.store.transact(async (rows) => {
        await this.#challenges.makeRoom(rows, ask); // others may have come meanwhile
        await this.#challenges.add(rows, id, ask, secret);
      });
      return { challenge: id, publicKey, signature, identity: this.#parts.identity.publicKey, expiresAt };
    } finally {
      secret.fill(0);
    }
  };

  readonly begin: KeyHolder['begin'] = async (id, about, probe) => {
    // The service's making, and not the device's: nothing to refuse a person for.
    if (probe.bytes.length !== SHAPE_BYTES) throw new RangeError('a shape has another length');
    const { ask, counted, secret, leftMs } = await this.#parts.store.transact(async (rows) => {
      const found = await this.#challenges.find(rows, id);
      const { purpose } = found.ask;
      if (purpose === 'verify' && about.person === undefined) throw new RangeError('a person is needed to verify');
      const attempt = await this.#parts.outcomes.begin(rows, found, id, about.person);
      const key = await this.#challenges.begin(rows, id);
      return { ask: found.ask, counted: attempt, secret: key, leftMs: found.until - rows.steady };
    });
    const endsAt = this.#parts.monotonic() + leftMs;
    const key = await maths.openKey(secret);
    secret.fill(0);
    const queue = Promise.resolve();
    const state = { queue, decisions: 0, isAdopted: false, isCounted: false };
    const attempt: AttemptState = { about, ranking: createRanking(), folded: new Map(), counted, ...state };
    this.#begun.set(id, { id, ask, key, endsAt, attempt });
    return this.#inTurn(id, async (challenge) => {
      if (maths.checkShape(probe, key)) return 'ok';
      await this.#parts.outcomes.malformed(challenge);
      await this.#drop(challenge);
      return 'malformed';
    });
  };

  readonly rows: KeyHolder['rows'] = (id, epoch, rows) =>
    this.#inTurn(id, async (challenge, { ranking }) => {
      const { ask, key } = challenge;
      if (!areWholeRows(rows)) throw new RangeError('these are no whole rows');
      this.#checkRows(challenge, rows.count);
      await this.#parts.epochs.use(ask.customer, epoch, (enrolKey) => ranking.add(this.#scoresOf(rows, enrolKey, key)));
    });

  readonly fold: KeyHolder['fold'] = (id, epoch, masked) =>
    this.#inTurn(id, async (challenge, { folded }) => {
      const { ask, key } = challenge;
      if (masked.length !== BODY_BYTES) throw new RangeError('a body has another length');
      if (ask.purpose === 'verify') throw new RangeError('one person is not compared by blocks');
      this.#checkRows(challenge, 0);
      if (folded.has(epoch)) throw new ChallengeRefused('used');
      const polynomials = await this.#parts.epochs.polynomialsOf(epoch);
      // Whether the customer has this key at all.
      await this.#parts.epochs.use(ask.customer, epoch, () => undefined);
      this.#findBegun(id); // once its time is over its key is wiped
      const made = maths.foldMaskedProbe(masked, key, polynomials);
      folded.set(epoch, made.secret);
      return made.folded;
    });

  readonly blocks: KeyHolder['blocks'] = (id, epoch, blocks) =>
    this.#inTurn(id, async (challenge, { ranking, folded }) => {
      if (!areWholeBlocks(blocks)) throw new RangeError('these are no whole blocks');
      const secret = folded.get(epoch);
      if (!secret) throw new RangeError('the probe was not folded');
      const people = countPlaces(blocks);
      this.#checkRows(challenge, people);
      await this.#parts.epochs.use(challenge.ask.customer, epoch, (enrolKey) => {
        const scores = new Float64Array(people);
        maths.scoreBlocks(blocks, enrolKey, secret, scores);
        ranking.add(scores);
      });
    });

  readonly finish: KeyHolder['finish'] = (id) =>
    this.#inTurn(id, async (challenge, attempt) => {
      const { about, ranking } = attempt;
      const isEnrolment = challenge.ask.purpose === 'enrol';
      if (attempt.answer && !isEnrolment) throw new ChallengeRefused('used');
      if (attempt.answer?.rows === ranking.rows) return { best: attempt.answer.best };
      if (attempt.decisions === MAX_ENROL_DECISIONS) throw new ChallengeRefused('used');
      attempt.decisions += 1;
      const { rows } = ranking;
      const best = ranking.choose(
        this.#parts.thresholdOf(about.modelVersion, rows),
        challenge.ask.purpose === 'identify',
      );
      const lockedSeconds = await this.#parts.outcomes.decided(challenge, { best, rows });
      attempt.answer = { best: lockedSeconds > 0 ? null : best, rows };
      attempt.firstRows ??= rows;
      if (lockedSeconds > 0) throw new PersonLocked(lockedSeconds);
      return { best };
    });

  readonly adopt: KeyHolder['adopt'] = (id, masked) =>
    this.#inTurn(id, async (challenge, attempt) => {
      const { ask, key, endsAt } = challenge;
      const { answer, ranking } = attempt;
      if (masked.length !== MASKED_BYTES) throw new RangeError('a body has another length');
      const isDecided = answer?.rows === ranking.rows;
      if (ask.purpose !== 'enrol' || !isDecided) throw new RangeError('only a face that was compared is adopted');
      const isNobody = answer.best === null;
      if (attempt.isAdopted) throw new ChallengeRefused('used');
      attempt.isAdopted = true;
      const epoch = await this.#parts.epochs.enrolling(ask.customer, id, Math.ceil(endsAt - this.#parts.monotonic()));
      const body = await this.#parts.epochs.use(ask.customer, epoch, (enrolKey) =>
        maths.reencrypt(masked, key, enrolKey),
      );
      this.#findBegun(id); // once its time is over its key is wiped, perhaps while it was needed
      await this.#parts.outcomes.adopted(challenge, epoch, isNobody);
      // The same work for a face that is somebody's, and nothing of it: its time must not tell who is enrolled.
      return { epoch, body: isNobody ? body : new Uint8Array(body.length) };
    });

  readonly settle: KeyHolder['settle'] = (id, person) =>
    this.#inTurn(id, async (challenge) => {
      try {
        return await this.#parts.outcomes.settled(challenge, person);
      } finally {
        await this.#drop(challenge);
      }
    });

  readonly rotate: KeyHolder['rotate'] = (customer) => this.#parts.epochs.rotate(customer);

  readonly renew: KeyHolder['renew'] = (...given) => this.#parts.epochs.renew(...given);

  readonly pack: KeyHolder['pack'] = (...given) => this.#parts.epochs.pack(...given);

  readonly retire: KeyHolder['retire'] = (customer, epoch) => this.#parts.epochs.retire(customer, epoch);

  /** Takes away challenges that are over; to be called now and then. */
  async sweep(): Promise<void> {
    await this.#dropPast();
    await this.#parts.store.transact(this.#challenges.sweep);
    await this.#parts.epochs.sweep();
  }

  /** Whatever ends a challenge: its key is wiped, and an attempt without an answer counts for nothing. */
  async #drop(challenge: BegunChallenge): Promise<void> {
    const { id, key, attempt } = challenge;
    if (!this.#begun.delete(id)) return;
    maths.wipeKey(key);
    attempt.ranking.wipe();
    for (const secret of attempt.folded.values()) maths.wipeProbeSecret(secret);
    try {
      await this.#parts.store.transact(async (rows) => {
        await this.#parts.outcomes.left(rows, challenge);
        if (attempt.isAdopted) await this.#parts.epochs.enrolled(rows, id);
        await this.#challenges.remove(rows, id);
      });
    } catch {
      // The database is away or the disk is full. The notes end by themselves, and a rotation waits a little longer.
    }
  }

  async #dropPast(): Promise<void> {
    for (const challenge of this.#begun.values())
      if (challenge.endsAt <= this.#parts.monotonic()) await this.#drop(challenge);
  }

  #findBegun(id: string): BegunChallenge {
    const challenge = this.#begun.get(id);
    if (!challenge) throw new ChallengeRefused('unknown');
    if (challenge.endsAt > this.#parts.monotonic()) return challenge;
    void this.#drop(challenge);
    throw new ChallengeRefused('expired');
  }

  /** Runs `work` after all earlier calls about this challenge, and only if it is still there then. */
  async #inTurn<T>(id: string, work: (challenge: BegunChallenge, attempt: AttemptState) => T | Promise<T>): Promise<T> {
    const { attempt } = this.#findBegun(id);
    const turn = attempt.queue.then(() => {
      const found = this.#findBegun(id);
      return work(found, found.attempt);
    });
    attempt.queue = turn.catch(() => {});
    return turn;
  }

  /** Throws when this many more rows are not taken, or none at all any more. */
  #checkRows({ ask, attempt }: BegunChallenge, more: number): void {
    const { ranking, firstRows } = attempt;
    if (firstRows !== undefined && ask.purpose !== 'enrol') throw new ChallengeRefused('used');
    const mostAtFirst = ask.purpose === 'verify' ? MAX_ROWS_OF_PERSON : MAX_ROWS;
    const most = firstRows === undefined ? mostAtFirst : firstRows + MAX_LATE_ROWS;
    if (ranking.rows + more > most) throw new RangeError('these are too many rows');
  }

  #scoresOf(rows: BlindedRows, left: maths.SecretKey, right: maths.SecretKey): Float64Array {
    const scores = new Float64Array(rows.count);
    maths.scoreRows(rows, left, right, scores);
    return scores;
  }
}
