// Enrollment: one face is one person, across sessions and processes. Everyone is compared before the transaction, which only checks,
// under the gallery's lock, that no one has come since. The key-holder encrypts the stored token, because a device that could choose
// ciphertexts under the customer's key would learn it (docs/face-tokens.md).
import type { Owner } from '../../platform/api-keys/owner.ts';
import { LimiterPerKey } from '../../platform/async/limiter.ts';
import { AppError } from '../../platform/base/errors.ts';
import type { PersonId, Puid } from '../../platform/base/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { ensureGallery, type GalleryRow } from '../galleries/store/galleries.ts';
import type { AdoptedPerson } from '../keyholder/link/calls.ts';
import { beginAttempt, type TokenParts } from './parts.ts';
import { type BeginSearch, type TokenSearch, tryAgain } from './search/search.ts';
import type { EnrollAsk, EnrollOutcome } from './tokens.ts';

/** Newcomers that the transaction checks. With more of them, everyone is searched again. */
const MAX_NEWCOMERS = 256;
/** Overtaken rounds after which the enrollment gives up; the device tries again. */
const MAX_ROUNDS = 16;

type EnrollmentResult = Exclude<EnrollOutcome, { kind: 'malformed' }>;

interface EnrollDecision {
  ask: EnrollAsk;
  /** The gallery before the key-holder named the epoch of the token. */
  before: GalleryRow;
  search: TokenSearch;
  searched: GalleryRow;
  /** The person whose face it is, or the token of a new person. */
  result: { found: PersonId } | { token: AdoptedPerson };
}

export class Enrollments {
  readonly #parts: TokenParts;
  readonly #beginSearch: BeginSearch;
  readonly #maxPeople: number;
  /** Decisions of one gallery run sequentially, so they do not overtake each other within this process. */
  readonly #decisions = new LimiterPerKey({ maxRunning: 1 });

  /** `maxPeople` includes people of a gallery whose enrollment has not ended. */
  constructor(parts: TokenParts, beginSearch: BeginSearch, maxPeople: number) {
    this.#parts = parts;
    this.#beginSearch = beginSearch;
    this.#maxPeople = maxPeople;
  }

  readonly galleryOf = (owner: Owner) =>
    ensureGallery(this.#parts.people, this.#parts, { ...this.#parts.model, owner });

  async enrol(ask: EnrollAsk): Promise<EnrollmentResult> {
    const { keyHolder, handles } = this.#parts;
    const before = await this.galleryOf(ask.owner);
    const probe = await beginAttempt(this.#parts, ask);
    try {
      const search = this.#beginSearch(ask.challenge, probe);
      const searched = await search.cover(before);
      const enrolled = await this.#decisions.run(before.id, () =>
        this.#decideInRounds(ask, probe, before, search, searched),
      );
      // A person who was deleted since has no handle.
      const handle = await handles.ofPerson(enrolled.personId);
      await keyHolder.settle(ask.challenge, handle ?? null);
      return enrolled;
    } catch (error) {
      // Ends the challenge, because a rotation of keys waits for it.
      await keyHolder.settle(ask.challenge, null).catch(() => {});
      throw error;
    }
  }

  async #adopt(challenge: string, probe: Uint8Array): Promise<AdoptedPerson> {
    const { masked, unmask } = this.#parts.evaluator.maskForRenewal(probe);
    const { epoch, body } = await this.#parts.keyHolder.adopt(challenge, masked);
    return { epoch, body: await unmask(body) };
  }

  async #decideInRounds(
    ask: EnrollAsk,
    probe: Uint8Array,
    before: GalleryRow,
    search: TokenSearch,
    first: GalleryRow,
  ): Promise<EnrollmentResult> {
    let searched = first;
    let adopted: { token: AdoptedPerson; isEmpty: boolean } | undefined;
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const [current] = await this.#parts.people.listVersions([before.id]);
      if (current && current.version !== searched.version) searched = await search.cover(current);
      const found = await search.finish();
      // Adopts also the face of an enrolled person, and discards the result: the duration must not reveal who is enrolled. Once is
      // enough, because later rounds store the same token or none.
      adopted ??= { token: await this.#adopt(ask.challenge, probe), isEmpty: found !== undefined };
      // The threshold rises with the number of people: an earlier match may no longer reach it.
      if (found === undefined && adopted.isEmpty) throw tryAgain();
      const result = found === undefined ? { token: adopted.token } : { found };
      const decision: EnrollDecision = { ask, before, search, searched, result };
      const enrolled = await this.#parts.database.transact((trx) => this.#decide(trx, decision));
      if (enrolled) return enrolled;
    }
    throw tryAgain();
  }

  /** Runs under the gallery's lock. Returns undefined if someone was added who was not compared yet. */
  async #decide(trx: Transaction, decision: EnrollDecision): Promise<EnrollmentResult | undefined> {
    const { ask, before, search, searched, result } = decision;
    const { people, store, clock } = this.#parts;
    const gallery = await people.lockGallery(trx, before.id);
    if (!gallery) throw tryAgain();
    const since = await store.listOwnersSince(trx, gallery.id, searched.version, MAX_NEWCOMERS + 1);
    if (since.length > MAX_NEWCOMERS || !search.hasAll(since)) return undefined;
    if ('token' in result) {
      // A renewal names the new epoch here before it looks for tokens of the old one: this one would come too late.
      const { token_epoch: epoch } = gallery;
      if (epoch !== before.token_epoch && epoch !== result.token.epoch) throw tryAgain();
      this.#checkRoom(gallery);
      return this.#addPerson(trx, ask, result.token, gallery);
    }
    const { found } = result;
    const person = await store.findOwner(ask.owner, found, trx);
    // Deleted since. The search cannot be repeated without the person, so the enrollment starts again.
    if (!person) throw tryAgain();
    const { provisionalSession, personId, puid, guid } = person;
    const names = { personId, puid, guid };
    if (provisionalSession === ask.session) return { kind: 'new', ...names };
    // Applies to enrolled people too: in a full gallery, the answer would reveal whether a face is enrolled.
    this.#checkRoom(gallery);
    if (provisionalSession !== null) await people.joinEnrolment(trx, found, ask.session, clock.now());
    // Writes the unchanged row, so that it takes as long as the enrollment of a new person.
    await people.updateGallery(trx, gallery);
    return { kind: 'known', ...names };
  }

  async #addPerson(
    trx: Transaction,
    ask: EnrollAsk,
    { epoch, body }: AdoptedPerson,
    gallery: GalleryRow,
  ): Promise<EnrollmentResult> {
    const { people, store, clock, ids } = this.#parts;
    const [personId, puid] = [ids.sortable<PersonId>(), ids.random<Puid>()];
    const createdAt = clock.now();
    await people.insertPerson(trx, {
      id: personId,
      puid,
      gallery_id: gallery.id,
      identifier_digest: null,
      enroll_level: 0, // counts embeddings
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

  /** Made-up faces must not grow a gallery, and with it the threshold, without limit. The error is for hosts too. */
  #checkRoom({ tokens }: GalleryRow): void {
    if (tokens < this.#maxPeople) return;
    throw new AppError(
      'store_full',
      `All ${this.#maxPeople} places for enrolled people are taken: delete people who are no longer needed, or have the operator raise MAX_PEOPLE.`,
    );
  }
}
