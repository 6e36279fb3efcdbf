// The decisions of the key-holder, and their order. Worker thread and process are two ways to reach it.
import * as maths from '@limen/token/keyholder';
import { areWholeBlocks, areWholeRows, BODY_BYTES, countPlaces, MASKED_BYTES, SHAPE_BYTES } from '@limen/token/shared';
import { createChallenges } from './challenges.ts';
import { Ranking } from './compare.ts';
import { type Epochs, type KeyHolderIdentity, randomId } from './keys/epochs.ts';
import { CHALLENGE_TTL_MS, MAX_ENROLL_DECISIONS, MAX_LATE_ROWS, MAX_ROWS, MAX_ROWS_OF_PERSON } from './limits.ts';
import { ChallengeRefusedError, type KeyHolder, PersonLockedError } from './link/calls.ts';
import type { AttemptState, BegunChallenge, Outcomes } from './outcomes.ts';
import type { KeyHolderStore } from './store/store.ts';

export type KeyHolderCalls = Omit<KeyHolder, 'state' | 'close'>;

interface ServiceParts {
  store: KeyHolderStore;
  epochs: Epochs;
  outcomes: Outcomes;
  identity: KeyHolderIdentity;
  makeKeyPair: typeof maths.makeKeyPair;
  thresholdOf: (modelVersion: string, rows: number) => number;
  /** Milliseconds that only ever grow, so that a change of the clock does not affect the life of a challenge. */
  monotonic: () => number;
}

/** The calls are fields, so that they can be handed around without the service. */
export class KeyHolderService implements KeyHolderCalls {
  readonly #parts: ServiceParts;
  readonly #challenges;
  readonly #begun = new Map<string, BegunChallenge>();

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    this.#challenges = createChallenges(parts.store.sealer);
  }

  readonly identity: KeyHolder['identity'] = async () => {
    // Reads the store: services use this call as a health check, and go to another key-holder if it fails.
    await this.#parts.store.read((rows) => rows.get`select public_key from identity`);
    return this.#parts.identity.publicKey;
  };

  readonly openChallenge: KeyHolder['openChallenge'] = async (ask) => {
    const { store, outcomes, identity, makeKeyPair } = this.#parts;
    await store.read((rows) => outcomes.check(rows, ask));
    await this.#dropPast();
    const now = await store.transact(async (rows) => {
      await this.#challenges.makeRoom(rows, ask);
      return rows.now;
    });
    const { secret, publicKey } = await makeKeyPair();
    try {
      const id = randomId();
      const { purpose, session } = ask;
      const expiresAt = now + CHALLENGE_TTL_MS;
      const signature = await identity.sign({ challenge: id, purpose, session, expiresAt, publicKey });
      await store.transact(async (rows) => {
        await this.#challenges.makeRoom(rows, ask); // the room may have filled up since
        await this.#challenges.add(rows, id, ask, secret);
      });
      return { challenge: id, publicKey, signature, identity: identity.publicKey, expiresAt };
    } finally {
      secret.fill(0);
    }
  };

  readonly begin: KeyHolder['begin'] = async (id, about, probe) => {
    // The service makes the shape, so a wrong length is no reason to count a refusal.
    if (probe.bytes.length !== SHAPE_BYTES) throw new RangeError('a shape has another length');
    const { ask, counted, secret, leftMs } = await this.#parts.store.transact(async (rows) => {
      const open = await this.#challenges.find(rows, id);
      if (open.ask.purpose === 'verify' && about.person === undefined)
        throw new RangeError('a person is needed to verify');
      const attempt = await this.#parts.outcomes.begin(rows, open, id, about.person);
      const key = await this.#challenges.begin(rows, id);
      return { ask: open.ask, counted: attempt, secret: key, leftMs: open.until - rows.steady };
    });
    const endsAt = this.#parts.monotonic() + leftMs;
    const key = await maths.openKey(secret);
    secret.fill(0);
    const queue = Promise.resolve();
    const state = { queue, decisions: 0, isAdopted: false, isCounted: false };
    const attempt: AttemptState = { about, ranking: new Ranking(), folded: new Map(), counted, ...state };
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
      await this.#parts.epochs.use(ask.customer, epoch, (enrollKey) => {
        const scores = new Float64Array(rows.count);
        maths.scoreRows(rows, enrollKey, key, scores);
        ranking.add(scores);
      });
    });

  readonly fold: KeyHolder['fold'] = (id, epoch, masked) =>
    this.#inTurn(id, async (challenge, { folded }) => {
      const { ask, key } = challenge;
      if (masked.length !== BODY_BYTES) throw new RangeError('a body has another length');
      if (ask.purpose === 'verify') throw new RangeError('one person is not compared by blocks');
      this.#checkRows(challenge, 0);
      if (folded.has(epoch)) throw new ChallengeRefusedError('used');
      const polynomials = await this.#parts.epochs.polynomialsOf(epoch);
      // Throws if the customer does not have this key.
      await this.#parts.epochs.use(ask.customer, epoch, () => undefined);
      this.#findBegun(id); // an expired challenge has its key wiped
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
      await this.#parts.epochs.use(challenge.ask.customer, epoch, (enrollKey) => {
        const scores = new Float64Array(people);
        maths.scoreBlocks(blocks, enrollKey, secret, scores);
        ranking.add(scores);
      });
    });

  readonly finish: KeyHolder['finish'] = (id) =>
    this.#inTurn(id, async (challenge, attempt) => {
      const { about, answer, ranking } = attempt;
      const { purpose } = challenge.ask;
      const { rows } = ranking;
      if (answer && purpose !== 'enrol') throw new ChallengeRefusedError('used');
      if (answer?.rows === rows) return { best: answer.best };
      if (attempt.decisions === MAX_ENROLL_DECISIONS) throw new ChallengeRefusedError('used');
      attempt.decisions += 1;
      const best = ranking.choose(this.#parts.thresholdOf(about.modelVersion, rows), purpose === 'identify');
      const lockedSeconds = await this.#parts.outcomes.decided(challenge, { best, rows });
      attempt.answer = { best: lockedSeconds > 0 ? null : best, rows };
      attempt.firstRows ??= rows;
      if (lockedSeconds > 0) throw new PersonLockedError(lockedSeconds);
      return { best };
    });

  readonly adopt: KeyHolder['adopt'] = (id, masked) =>
    this.#inTurn(id, async (challenge, attempt) => {
      const { ask, key, endsAt } = challenge;
      const { answer, ranking } = attempt;
      const { epochs, monotonic, outcomes } = this.#parts;
      if (masked.length !== MASKED_BYTES) throw new RangeError('a body has another length');
      if (ask.purpose !== 'enrol' || answer?.rows !== ranking.rows)
        throw new RangeError('only a face that was compared is adopted');
      if (attempt.isAdopted) throw new ChallengeRefusedError('used');
      attempt.isAdopted = true;
      const epoch = await epochs.enrolling(ask.customer, id, Math.ceil(endsAt - monotonic()));
      const body = await epochs.use(ask.customer, epoch, (enrollKey) => maths.reencrypt(masked, key, enrollKey));
      this.#findBegun(id); // an expired challenge has its key wiped, perhaps while it was needed
      const isNobody = answer.best === null;
      await outcomes.adopted(challenge, epoch, isNobody);
      // The work is the same for an enrolled face, so that the time does not reveal who is enrolled.
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

  readonly renew: KeyHolder['renew'] = (...args) => this.#parts.epochs.renew(...args);

  readonly pack: KeyHolder['pack'] = (...args) => this.#parts.epochs.pack(...args);

  readonly retire: KeyHolder['retire'] = (customer, epoch) => this.#parts.epochs.retire(customer, epoch);

  async sweep(): Promise<void> {
    await this.#dropPast();
    await this.#parts.store.transact(this.#challenges.sweep);
    await this.#parts.epochs.sweep();
  }

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
      // The database is away or the disk is full. The rows expire by themselves, and a rotation waits a little longer.
    }
  }

  async #dropPast(): Promise<void> {
    for (const challenge of this.#begun.values())
      if (challenge.endsAt <= this.#parts.monotonic()) await this.#drop(challenge);
  }

  #findBegun(id: string): BegunChallenge {
    const challenge = this.#begun.get(id);
    if (!challenge) throw new ChallengeRefusedError('unknown');
    if (challenge.endsAt > this.#parts.monotonic()) return challenge;
    void this.#drop(challenge);
    throw new ChallengeRefusedError('expired');
  }

  /** Runs `work` after all earlier calls about this challenge, if the challenge still exists then. */
  async #inTurn<T>(id: string, work: (challenge: BegunChallenge, attempt: AttemptState) => T | Promise<T>): Promise<T> {
    const { attempt } = this.#findBegun(id);
    const turn = attempt.queue.then(() => work(this.#findBegun(id), attempt));
    attempt.queue = turn.catch(() => {});
    return turn;
  }

  /** Throws if the challenge is closed, or does not take this many more rows. */
  #checkRows({ ask, attempt }: BegunChallenge, more: number): void {
    const { ranking, firstRows } = attempt;
    if (firstRows !== undefined && ask.purpose !== 'enrol') throw new ChallengeRefusedError('used');
    const mostAtFirst = ask.purpose === 'verify' ? MAX_ROWS_OF_PERSON : MAX_ROWS;
    const most = firstRows === undefined ? mostAtFirst : firstRows + MAX_LATE_ROWS;
    if (ranking.rows + more > most) throw new RangeError('these are too many rows');
  }
}
