// Enrolment: one face is one person, whichever sessions and processes it comes through, and however close together.
//
// Nothing that takes long runs inside the transaction: everybody is compared before it, and the transaction only makes
// sure, behind the gallery's lock, that nobody has come since. Whoever has is compared too, and it is tried again.
//
// What is stored is not the device's ciphertext: the key-holder encrypts the masked probe of a face that nobody has under
// the customer's key. A device that could choose ciphertexts under that key would learn it (docs/token.md).
import type { Owner } from '../../platform/api-keys/owner.ts';
import { LimiterPerKey } from '../../platform/async/limiter.ts';
import { AppError } from '../../platform/base/errors.ts';
import type { PersonId, Puid } from '../../platform/base/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { ensureGallery, type GalleryRow } from '../galleries/store/galleries.ts';
import type { Adopted } from '../keyholder/link/calls.ts';
import type { TokenParts } from './parts.ts';
import { beginAttempt } from './read-attempt.ts';
import { type BeginSearch, type TokenSearch, tryAgain } from './search/search.ts';
import type { EnrolAsk, EnrolOutcome } from './tokens.ts';

/** Looked at inside the transaction; with more of them everybody is searched again. */
const MAX_NEWCOMERS = 256;
/** An enrolment that others overtake this often is given up; the device tries again. */
const MAX_ROUNDS = 16;

type Enrolled = Exclude<EnrolOutcome, { kind: 'malformed' }>;

interface Decision {
  ask: EnrolAsk;
  /** As it was before the key-holder called the token's epoch the present one. */
  before: GalleryRow;
  search: TokenSearch;
  searched: GalleryRow;
  /** Whose face it is, or the token of somebody new. */
  result: { found: PersonId } | { token: Adopted };
}

export class Enrolments {
  readonly #parts: TokenParts;
  readonly #beginSearch: BeginSearch;
  readonly #maxPeople: number;
  /** The last steps one after the other: those of this process need not overtake each other. As many as are searched. */
  readonly #decisions = new LimiterPerKey({ maxRunning: 1 });

  /** `maxPeople` counts also those of a gallery whose enrollment has not ended. */
  constructor(parts: TokenParts, beginSearch: BeginSearch, maxPeople: number) {
    this.#parts = parts;
    this.#beginSearch = beginSearch;
    this.#maxPeople = maxPeople;
  }

  /** Makes the gallery if there is none. */
  readonly galleryOf = (owner: Owner) =>
    ensureGallery(this.#parts.people, this.#parts, { ...this.#parts.model, owner });

  async enrol(ask: EnrolAsk): Promise<Enrolled> {
    const { keyHolder, handles } = this.#parts;
    const before = await this.galleryOf(ask.owner);
    const probe = await beginAttempt(this.#parts, ask);
    try {
      const search = this.#beginSearch(ask.challenge, probe);
      const searched = await search.cover(before);
      const enrolled = await this.#decisions.run(before.id, () =>
        this.#decideInRounds(ask, probe, before, search, searched),
      );
      // Without a name for somebody who was deleted just now.
      const handle = await handles.ofPerson(enrolled.personId);
      await keyHolder.settle(ask.challenge, handle ?? null);
      return enrolled;
    } catch (error) {
      // A rotation of keys waits for enrolments that are under way; this one no longer is.
      await keyHolder.settle(ask.challenge, null).catch(() => {});
      throw error;
    }
  }

  /** The probe under the customer's key, without anybody having seen what is in it. */
  async #adopt(challenge: string, probe: Uint8Array): Promise<Adopted> {
    const { masked, unmask } = this.#parts.evaluator.maskForRenewal(probe);
    const { epoch, body } = await this.#parts.keyHolder.adopt(challenge, masked);
    return { epoch, body: await unmask(body) };
  }

  async #decideInRounds(
    ask: EnrolAsk,
    probe: Uint8Array,
    before: GalleryRow,
    search: TokenSearch,
    first: GalleryRow,
  ): Promise<Enrolled> {
    let searched = first;
    let adopted: { token: Adopted; isEmpty: boolean } | undefined;
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const [current] = await this.#parts.people.listVersions([before.id]);
      if (current && current.version !== searched.version) searched = await search.cover(current);
      const found = await search.finish();
      // Once: in a later round it is still nobody's face, or not stored. Also of somebody who is there, where it is thrown
      // away: the time that an enrolment takes must not tell whether a face is enrolled.
      adopted ??= { token: await this.#adopt(ask.challenge, probe), isEmpty: found !== undefined };
      // The bar is higher among more people: whoever was found may no longer reach it.
      if (found === undefined && adopted.isEmpty) throw tryAgain();
      const result = found === undefined ? { token: adopted.token } : { found };
      const decision: Decision = { ask, before, search, searched, result };
      const enrolled = await this.#parts.database.transact((trx) => this.#decide(trx, decision));
      if (enrolled) return enrolled;
    }
    throw tryAgain();
  }

  /** Behind the gallery's lock; undefined when somebody has come who was not compared yet. */
  async #decide(trx: Transaction, decision: Decision): Promise<Enrolled | undefined> {
    const { ask, before, search, searched, result } = decision;
    const gallery = await this.#parts.people.lockGallery(trx, before.id);
    if (!gallery) throw tryAgain();
    const since = await this.#parts.store.listOwnersSince(trx, gallery.id, searched.version, MAX_NEWCOMERS + 1);
    if (since.length > MAX_NEWCOMERS || !search.hasAll(since)) return undefined;
    if ('token' in result) {
      // Renewal names the new key here before it looks for tokens of the old one: this one would come too late.
      const { token_epoch: epoch } = gallery;
      if (epoch !== before.token_epoch && epoch !== result.token.epoch) throw tryAgain();
      this.#checkRoom(gallery);
      return this.#addPerson(trx, ask, result.token, gallery);
    }
    const { found } = result;
    const person = await this.#parts.store.findOwner(ask.owner, found, trx);
    // Deleted since; the key-holder cannot be asked to leave them out, so it starts again.
    if (!person) throw tryAgain();
    const { provisionalSession, personId, puid, guid } = person;
    const names = { personId, puid, guid };
    if (provisionalSession === ask.session) return { kind: 'new', ...names };
    // Also of somebody who is there: in a full gallery the answer would tell whether a face is enrolled.
    this.#checkRoom(gallery);
    if (provisionalSession !== null)
      await this.#parts.people.joinEnrolment(trx, found, ask.session, this.#parts.clock.now());
    // As it is, so that this ends with something to write, as an enrolment of somebody new does.
    await this.#parts.people.updateGallery(trx, gallery);
    return { kind: 'known', ...names };
  }

  async #addPerson(trx: Transaction, ask: EnrolAsk, { epoch, body }: Adopted, gallery: GalleryRow): Promise<Enrolled> {
    const { people, store, clock, ids } = this.#parts;
    const [personId, puid] = [ids.sortable<PersonId>(), ids.random<Puid>()];
    const createdAt = clock.now();
    await people.insertPerson(trx, {
      id: personId,
      puid,
      gallery_id: gallery.id,
      identifier_digest: null,
      enroll_level: 0, // which counts embeddings
      created_at: createdAt,
      provisional_session: ask.session,
    });
    const seq = gallery.version + 1;
    const token = { seq, id: ids.random(), body, renewals: 0, epoch, createdAt };
    await store.insertToken(trx, { ...token, galleryId: gallery.id, personId });
    await people.updateGallery(trx, { ...gallery, version: seq, tokens: gallery.tokens + 1, token_epoch: epoch });
    return { kind: 'new', personId, puid, guid: gallery.guid };
  }

  readonly checkRoom = async (owner: Owner) => this.#checkRoom(await this.galleryOf(owner));

  /** Throws what a host is told too; made-up faces must not grow a gallery, and with it the threshold, without end. */
  #checkRoom({ tokens }: GalleryRow): void {
    if (tokens < this.#maxPeople) return;
    throw new AppError(
      'store_full',
      `All ${this.#maxPeople} places for enrolled people are taken: delete people who are no longer needed, or have the operator raise MAX_PEOPLE.`,
    );
  }
}
