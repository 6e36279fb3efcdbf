// Enrolls each person of a gallery once, finds people by their face, and deletes them completely.
import { formatOwner, type Owner } from '../../platform/api-keys/owner.ts';
import { LimiterPerKey, QueueFullError } from '../../platform/async/limiter.ts';
import { shareRuns } from '../../platform/async/share-runs.ts';
import { AppError, ConflictError, invalid } from '../../platform/base/errors.ts';
import type { PersonId, Puid } from '../../platform/base/ids.ts';
import type { Core } from '../../platform/core.ts';
import type { InTransaction, Transaction } from '../../platform/database/database.ts';
import { MAX_WAITING_ENROLLMENTS } from '../limits.ts';
import type { MatchThresholds } from '../models/match-threshold.ts';
import { deletePerson } from './delete-person.ts';
import { meanDirection, similarity } from './face-vectors.ts';
import type { FaceIndex } from './index/face-index.ts';
import { createPeopleSearch, type Match } from './index/people-search.ts';
import { createEmbeddingSeal } from './store/embeddings.ts';
import { ensureGallery, type GalleryRow } from './store/galleries.ts';
import type { PeopleStore } from './store/people.ts';

/** Searches before an enrollment gives way to concurrent changes */
const MAX_ROUNDS = 8;
/** On PostgreSQL each enrollment holds a connection, and more than 2 per gallery gain nothing. */
const AT_ONCE_ON_SQLITE = 16;
const AT_ONCE_ON_POSTGRES = 2;
/** Newcomers compared inside the transaction. With more of them, the search runs again. */
const MAX_NEWCOMERS = 256;

export interface Candidate {
  owner: Owner;
  modelVersion: string;
  /** Unit vectors of one face, at least one and all of the same length */
  vectors: readonly Float32Array[];
  identifierDigest?: Uint8Array | undefined;
  /** Gallery change after which deletions make the enrollment fail: it must not undo one. */
  unlessRemovedSince?: number | undefined;
}

export interface Enrollment {
  personId: PersonId;
  puid: Puid;
  guid: string;
  enrollLevel: number;
  /** Similarity to the known face, 1 for a new person */
  score: number;
  isNew: boolean;
}

type CompleteEnrollment = (trx: Transaction, enrollment: Enrollment) => Promise<void>;

interface PeopleParts {
  store: PeopleStore;
  index: FaceIndex;
  thresholds: MatchThresholds;
  maxEmbeddings: number;
  onRemove: (trx: Transaction, personId: PersonId) => Promise<void>;
  /** Resolves when this process's memory has no removed token of the gallery. */
  settleTokens: (galleryId: string) => Promise<void>;
}

export class People {
  readonly #core;
  readonly #parts: PeopleParts;
  readonly #seal;
  readonly #search;
  readonly #enrolments;
  /** Empties the write-ahead log, once for concurrent deletions. */
  readonly #eraseFreed;

  constructor(core: Pick<Core, 'database' | 'sealer' | 'clock' | 'ids'>, parts: PeopleParts) {
    this.#core = core;
    this.#parts = parts;
    this.#seal = createEmbeddingSeal(core.sealer);
    this.#search = createPeopleSearch(parts.store, parts.index, parts.thresholds);
    this.#enrolments = new LimiterPerKey({
      maxRunning: core.database.engine === 'sqlite' ? AT_ONCE_ON_SQLITE : AT_ONCE_ON_POSTGRES,
      maxWeight: MAX_NEWCOMERS / 2,
      maxWaiting: MAX_WAITING_ENROLLMENTS,
    });
    this.#eraseFreed = shareRuns(() => core.database.checkpoint());
  }

  /** Adds or finds a person, never two of one face. `complete` runs in the deciding transaction. */
  async enrol(candidate: Candidate, complete: CompleteEnrollment = async () => {}): Promise<Enrollment> {
    const probe = meanDirection(candidate.vectors);
    if (!probe) throw new Error('a candidate has at least one usable vector');
    const { owner, modelVersion, vectors } = candidate;
    const gallery = JSON.stringify([formatOwner(owner), modelVersion, probe.length]);
    const enroll = () => this.#enrolInTurn(candidate, probe, complete);
    return this.#enrolments.run(gallery, enroll, { weight: vectors.length }).catch((error: unknown) => {
      throw error instanceof QueueFullError ? changingTooFast() : error;
    });
  }

  /** Returns the number of the gallery's latest change, 0 if there is none. */
  async lastChange(owner: Owner, modelVersion: string, dimensions: number): Promise<number> {
    return (await this.#parts.store.findGallery(owner, modelVersion, dimensions))?.version ?? 0;
  }

  async identify({
    owner,
    modelVersion,
    vector,
    k,
    identifierDigest,
  }: Omit<Candidate, 'vectors'> & { vector: Float32Array; k: number }): Promise<{ guid: string; matches: Match[] }> {
    const gallery = await this.#parts.store.findGallery(owner, modelVersion, vector.length);
    if (!gallery) return { guid: '', matches: [] };
    const matches = identifierDigest
      ? await this.#search.findNamed(gallery, vector, k, identifierDigest)
      : await this.#search.findPeople(gallery, vector, k);
    return { guid: gallery.guid, matches };
  }

  /** Deletes a person from disk and memory. Returns false if there is none that the caller may reach. */
  async remove(
    owner: Owner,
    puid: Puid,
    mayReach: (modelVersion: string) => boolean = () => true,
    noted: InTransaction = async () => {},
  ): Promise<boolean> {
    const person = await this.#parts.store.findToDelete(owner, puid);
    if (!person || !mayReach(person.modelVersion)) return false;
    const { store, index, onRemove, settleTokens } = this.#parts;
    const work = async (trx: Transaction) => {
      const galleries = await deletePerson(trx, store, person.id, this.#core.clock.now());
      // The deletion waits for a call that is ending a session of this person, so that `onRemove` finds that session.
      if (!galleries) return undefined;
      await onRemove(trx, person.id);
      await noted(trx);
      return galleries;
    };
    const galleries = await this.#core.database.transact(work, { makesRoom: true });
    if (!galleries) return false;
    // The person is deleted even if these steps fail, and failed steps are retried automatically.
    await Promise.allSettled([...galleries.flatMap((id) => [index.settle(id), settleTokens(id)]), this.#eraseFreed()]);
    return true;
  }

  digestIdentifier({ customer }: Owner, identifier: string): Buffer {
    // All lone surrogates encode to the same bytes, so one such name would find the face of another.
    if (!identifier.isWellFormed()) throw invalid('body', 'must not contain lone surrogates');
    return this.#core.sealer.digest('people/identifier', `${customer}\n${identifier}`);
  }

  async #enrolInTurn(candidate: Candidate, probe: Float32Array, complete: CompleteEnrollment): Promise<Enrollment> {
    const kind = { ...candidate, dimensions: probe.length };
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const gallery = await ensureGallery(this.#parts.store, this.#core, kind);
      const [found] = await this.#search.findPeople(gallery, probe, 1);
      const enrollment = await this.#core.database.transact((trx) =>
        this.#decide(trx, candidate, gallery, probe, found, complete),
      );
      if (enrollment) return enrollment;
    }
    throw changingTooFast();
  }

  /** Compares only changes since the search. Returns undefined if the search must run again. */
  async #decide(
    trx: Transaction,
    candidate: Candidate,
    searched: GalleryRow,
    probe: Float32Array,
    found: Match | undefined,
    complete: CompleteEnrollment,
  ): Promise<Enrollment | undefined> {
    const { store, thresholds } = this.#parts;
    const gallery = await store.lockGallery(trx, searched.id);
    if (!gallery) return undefined;
    const since = candidate.unlessRemovedSince;
    // A change that is no longer in the log may have been a removal.
    if (since !== undefined && (gallery.log_floor > since || (await store.hasRemovalsSince(trx, gallery.id, since))))
      throw new ConflictError();
    let existing = found;
    if (gallery.version !== searched.version) {
      if (found && (await store.findPeople(gallery.id, [found.seq], trx)).length === 0) return undefined;
      const newcomers = await store.listEmbeddingsSince(trx, gallery.id, searched.version, MAX_NEWCOMERS + 1);
      if (newcomers.length > MAX_NEWCOMERS) return undefined;
      let least = existing?.similarity ?? thresholds.of(gallery.model_version, gallery.people);
      for (const { seq, id, sealed } of newcomers) {
        const likeness = similarity(probe, this.#seal.open(id, sealed));
        if (likeness < least) continue;
        const [person] = await store.findPeople(gallery.id, [seq], trx);
        if (person) existing = { ...person, similarity: likeness };
        least = likeness;
      }
    }
    const enrollment = existing
      ? { ...existing, guid: gallery.guid, score: existing.similarity, isNew: false }
      : await this.#addPerson(trx, gallery, candidate);
    await complete(trx, enrollment);
    return enrollment;
  }

  async #addPerson(trx: Transaction, gallery: GalleryRow, candidate: Candidate): Promise<Enrollment> {
    const { vectors, identifierDigest = null } = candidate;
    const { store, index, maxEmbeddings } = this.#parts;
    const { ids, clock } = this.#core;
    // The limit applies per world, so that a test key cannot use up the room of live keys.
    if ((await store.countEmbeddings(trx, gallery.world)) + vectors.length > maxEmbeddings) {
      throw new AppError(
        'store_full',
        `All ${maxEmbeddings} places for embeddings in the ${gallery.world} world are taken; delete people or raise NODE_MAX_EMBEDDINGS.`,
      );
    }
    const personId = ids.sortable<PersonId>();
    const puid = ids.random<Puid>();
    await store.insertPerson(trx, {
      id: personId,
      puid,
      gallery_id: gallery.id,
      identifier_digest: identifierDigest,
      enroll_level: vectors.length,
      created_at: clock.now(),
      provisional_session: null,
    });
    const added = vectors.map((vector, i) => ({ seq: gallery.version + 1 + i, vector }));
    const rows = added.map(({ seq, vector }) => {
      const id = ids.random();
      return { seq, id, sealed: this.#seal.seal(id, vector) };
    });
    await store.insertEmbeddings(trx, gallery.id, personId, rows);
    await index.addInTransaction(trx, gallery, added);
    await store.updateGallery(trx, {
      ...gallery,
      version: gallery.version + vectors.length,
      people: gallery.people + 1,
      embeddings: gallery.embeddings + vectors.length,
    });
    return { personId, puid, enrollLevel: vectors.length, guid: gallery.guid, score: 1, isNew: true };
  }
}

function changingTooFast(): AppError {
  return new AppError('unavailable', 'The gallery is changing too fast at the moment; try again soon.', {
    headers: { 'retry-after': '1' },
  });
}
