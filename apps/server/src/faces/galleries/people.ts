// The people of a gallery: enrolled once however often and wherever they come, found by their face, and deleted whole.
import { nameOf, type Owner } from '../../platform/api-keys/owner.ts';
import { LimiterPerKey, QueueFullError } from '../../platform/async/limiter.ts';
import { shareRuns } from '../../platform/async/share-runs.ts';
import { AppError, ConflictError, invalid } from '../../platform/base/errors.ts';
import type { PersonId, Puid } from '../../platform/base/ids.ts';
import type { World } from '../../platform/base/world.ts';
import type { Core } from '../../platform/core.ts';
import type { InTransaction, Transaction } from '../../platform/database/database.ts';
import { MAX_WAITING_ENROLLMENTS } from '../limits.ts';
import type { MatchThresholds } from '../models/match-threshold.ts';
import { deletePerson } from './delete-person.ts';
import { meanDirection, similarity } from './face-vectors.ts';
import type { FaceIndex } from './index/face-index.ts';
import { createPeopleSearch, type Match } from './index/people-search.ts';
import { createEmbeddingSeal, type EmbeddingSeal } from './store/embeddings.ts';
import { ensureGallery, type GalleryRow } from './store/galleries.ts';
import type { PeopleStore } from './store/people.ts';

/** A search that others overtake this often is given up; the caller tries again. */
const MAX_ROUNDS = 8;
/**
 * Enrolments of one gallery under way in this process. On SQLite those that come together share an fsync; on PostgreSQL
 * each would hold a connection of the pool only to wait at the gallery's row. One searches while another commits: with
 * 2 ms to the database and back, 2 at once did 40 % more than 1, and 4 no more than 2.
 */
const AT_ONCE_ON_SQLITE = 16;
const AT_ONCE_ON_POSTGRES = 2;
/** Up to this many newcomers are compared one by one inside the transaction; beyond that the search runs again. */
const MAX_NEWCOMERS = 256;

export interface Candidate {
  owner: Owner;
  modelVersion: string;
  /** Unit vectors of one face, all of one length, at least one. */
  vectors: readonly Float32Array[];
  /** As `digestIdentifier` gives it. */
  identifierDigest?: Uint8Array | undefined;
  /**
   * Gallery change after which any deletion makes the enrollment fail with ConflictError. The
   * deleted person may be this one, enrolled by a repeated request. An abandoned enrollment must
   * not bring that person back.
   */
  unlessRemovedSince?: number | undefined;
}

export interface Enrolment {
  personId: PersonId;
  puid: Puid;
  guid: string;
  enrollLevel: number;
  /** Similarity to the face that was there, 1 for a new person. */
  score: number;
  isNew: boolean;
}

type Complete = (trx: Transaction, enrolment: Enrolment) => Promise<void>;

export interface Probe {
  owner: Owner;
  modelVersion: string;
  vector: Float32Array;
  k: number;
  identifierDigest?: Uint8Array | undefined;
}

export interface Identified {
  guid: string;
  matches: Match[];
}

type PeopleCore = Pick<Core, 'database' | 'sealer' | 'clock' | 'ids'>;

interface PeopleParts {
  store: PeopleStore;
  index: FaceIndex;
  thresholds: MatchThresholds;
  /** In each world. */
  maxEmbeddings: number;
  /** Part of the transaction that deletes a person: what other parts keep about them. */
  onRemove: (trx: Transaction, personId: PersonId) => Promise<void>;
  /** Resolves when the memory of this process holds no token that was removed from the gallery. */
  settleTokens: (galleryId: string) => Promise<void>;
}

export class People {
  readonly #core: PeopleCore;
  readonly #parts: PeopleParts;
  readonly #seal: EmbeddingSeal;
  readonly #search;
  readonly #enrolments;
  /** Deletions that come together share one emptying of the write-ahead log. */
  readonly #eraseFreed;

  constructor(core: PeopleCore, parts: PeopleParts) {
    this.#core = core;
    this.#parts = parts;
    this.#seal = createEmbeddingSeal(core.sealer);
    this.#search = createPeopleSearch(parts);
    this.#enrolments = new LimiterPerKey({
      maxRunning: core.database.engine === 'sqlite' ? AT_ONCE_ON_SQLITE : AT_ONCE_ON_POSTGRES,
      maxWeight: MAX_NEWCOMERS / 2,
      maxWaiting: MAX_WAITING_ENROLLMENTS,
    });
    this.#eraseFreed = shareRuns(() => core.database.checkpoint());
  }

  /**
   * Adds a person, or finds the one who is there already; the same face never makes two people, whichever processes they
   * come through. `complete` runs in the very transaction that decides it.
   */
  async enrol(candidate: Candidate, complete: Complete = async () => {}): Promise<Enrolment> {
    const probe = meanDirection(candidate.vectors);
    if (!probe) throw new Error('a candidate has at least one usable vector');
    const { owner, modelVersion, vectors } = candidate;
    const gallery = JSON.stringify([nameOf(owner), modelVersion, probe.length]);
    const enrol = () => this.#enrolInTurn(candidate, probe, complete);
    return this.#enrolments.run(gallery, enrol, { weight: vectors.length }).catch((error: unknown) => {
      throw error instanceof QueueFullError ? changingTooFast() : error;
    });
  }

  /** The number of the last change to the gallery that a candidate of this kind belongs to; 0 before the first. */
  async lastChange(owner: Owner, modelVersion: string, dimensions: number): Promise<number> {
    return (await this.#parts.store.findGallery(owner, modelVersion, dimensions))?.version ?? 0;
  }

  /** Returns the people whose faces match, best first. */
  async identify({ owner, modelVersion, vector, k, identifierDigest }: Probe): Promise<Identified> {
    const gallery = await this.#parts.store.findGallery(owner, modelVersion, vector.length);
    if (!gallery) return { guid: '', matches: [] };
    const matches = identifierDigest
      ? await this.#search.findNamed(gallery, vector, k, identifierDigest)
      : await this.#search.findPeople(gallery, vector, k);
    return { guid: gallery.guid, matches };
  }

  /**
   * Deletes a person with everything that hangs on them, from disk and memory; false when there is no such person, or none in a
   * gallery that the caller may reach.
   */
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
      // The person is deleted first. The deletion waits for a call that is ending one of the
      // person's sessions, so that `onRemove` finds this session.
      if (!galleries) return undefined;
      await onRemove(trx, person.id);
      await noted(trx);
      return galleries;
    };
    const galleries = await this.#core.database.transact(work, { makesRoom: true });
    if (!galleries) return false;
    // The person is deleted even if these steps fail. Failed steps are retried automatically.
    await Promise.allSettled([...galleries.flatMap((id) => [index.settle(id), settleTokens(id)]), this.#eraseFreed()]);
    return true;
  }

  /** Returns the digest that is stored instead of a caller's own name for a person. */
  digestIdentifier({ customer }: Owner, identifier: string): Buffer {
    // All halves of pairs are the same bytes: one such name would find another's face.
    if (!identifier.isWellFormed()) throw invalid('body', 'must name somebody without lone surrogates');
    return this.#core.sealer.digest('people/identifier', `${customer}\n${identifier}`);
  }

  async #enrolInTurn(candidate: Candidate, probe: Float32Array, complete: Complete): Promise<Enrolment> {
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const { owner, modelVersion } = candidate;
      const gallery = await ensureGallery(this.#parts.store, this.#core, {
        owner,
        modelVersion,
        dimensions: probe.length,
      });
      const found = await this.#search.findNearest(gallery, probe);
      const enrolment = await this.#core.database.transact((trx) =>
        this.#decide(trx, candidate, gallery, probe, found, complete),
      );
      if (enrolment) return enrolment;
    }
    throw changingTooFast();
  }

  /**
   * The decision, behind the gallery's lock. The long search was done before it, on the gallery as it was then; here only
   * what has changed since is looked at. Nothing when that is too much or the face that was found is gone: search again.
   */
  async #decide(
    trx: Transaction,
    candidate: Candidate,
    searched: GalleryRow,
    probe: Float32Array,
    found: Match | undefined,
    complete: Complete,
  ): Promise<Enrolment | undefined> {
    const gallery = await this.#parts.store.lockGallery(trx, searched.id);
    if (!gallery) return undefined;
    await this.#refuseWhenOvertaken(trx, gallery, candidate);
    let existing = found;
    if (gallery.version !== searched.version) {
      if (found && (await this.#parts.store.findPeople(gallery.id, [found.seq], trx)).length === 0) return undefined;
      const newcomers = await this.#parts.store.listEmbeddingsSince(
        trx,
        gallery.id,
        searched.version,
        MAX_NEWCOMERS + 1,
      );
      if (newcomers.length > MAX_NEWCOMERS) return undefined;
      let least = existing?.similarity ?? this.#parts.thresholds.of(gallery.model_version, gallery.people);
      for (const { seq, id, sealed } of newcomers) {
        const likeness = similarity(probe, this.#seal.open(id, sealed));
        if (likeness < least) continue;
        const [person] = await this.#parts.store.findPeople(gallery.id, [seq], trx);
        if (person) existing = { ...person, similarity: likeness };
        least = likeness;
      }
    }
    const enrolment = existing
      ? { ...existing, guid: gallery.guid, score: existing.similarity, isNew: false }
      : await this.#addPerson(trx, gallery, candidate);
    await complete(trx, enrolment);
    return enrolment;
  }

  async #refuseWhenOvertaken(
    trx: Transaction,
    gallery: GalleryRow,
    { unlessRemovedSince: since }: Candidate,
  ): Promise<void> {
    if (since === undefined) return;
    // A change that has left the log may have been a removal.
    if (gallery.log_floor > since || (await this.#parts.store.hasRemovalsSince(trx, gallery.id, since)))
      throw new ConflictError();
  }

  async #addPerson(trx: Transaction, gallery: GalleryRow, candidate: Candidate): Promise<Enrolment> {
    const { vectors, identifierDigest = null } = candidate;
    await this.#refuseWhenFull(trx, gallery.world, vectors.length);
    const [personId, puid] = [this.#core.ids.sortable<PersonId>(), this.#core.ids.random<Puid>()];
    await this.#parts.store.insertPerson(trx, {
      id: personId,
      puid,
      gallery_id: gallery.id,
      identifier_digest: identifierDigest,
      enroll_level: vectors.length,
      created_at: this.#core.clock.now(),
      provisional_session: null,
    });
    const added = vectors.map((vector, i) => ({ seq: gallery.version + 1 + i, vector }));
    const rows = added.map(({ seq, vector }) => {
      const id = this.#core.ids.random();
      return { seq, id, sealed: this.#seal.seal(id, vector) };
    });
    await this.#parts.store.insertEmbeddings(trx, gallery.id, personId, rows);
    await this.#parts.index.addInTransaction(trx, gallery, added);
    await this.#parts.store.updateGallery(trx, {
      ...gallery,
      version: gallery.version + vectors.length,
      people: gallery.people + 1,
      embeddings: gallery.embeddings + vectors.length,
    });
    return { personId, puid, enrollLevel: vectors.length, guid: gallery.guid, score: 1, isNew: true };
  }

  /** Applies the limit per world: a test key must not use up the room of live keys. */
  async #refuseWhenFull(trx: Transaction, world: World, more: number): Promise<void> {
    if ((await this.#parts.store.countEmbeddings(trx, world)) + more <= this.#parts.maxEmbeddings) return;
    throw new AppError(
      'store_full',
      `All ${this.#parts.maxEmbeddings} places for embeddings in the ${world} world are taken; delete people or raise NODE_MAX_EMBEDDINGS.`,
    );
  }
}

function changingTooFast(): AppError {
  return new AppError('unavailable', 'The gallery is changing too fast at the moment; try again soon.', {
    headers: { 'retry-after': '1' },
  });
}
