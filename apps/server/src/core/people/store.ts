// The SQL of galleries, people and embeddings.
import { columnsOf, type Owner, ownerFrom, type World } from '../../platform/api-keys/owner.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Schema } from '../../platform/database/schema.ts';
import type { GalleryRow } from './face-index.ts';

export interface NewGallery {
  id: string;
  owner: Owner;
  modelVersion: string;
  dimensions: number;
  guid: string;
  createdAt: number;
}

export interface SealedEmbedding {
  seq: number;
  id: string;
  sealed: Uint8Array;
}

/** A person as a reply needs them, by one of their embeddings. */
export interface FoundPerson {
  seq: number;
  personId: string;
  puid: string;
  enrollLevel: number;
}

export interface PersonRow {
  id: string;
  galleryId: string;
  modelVersion: string;
  puid: string;
}

/** The changes that added what hangs on a person. */
export interface SeqsOfPerson {
  embeddings: number[];
  tokens: number[];
}

export interface NewPerson {
  id: string;
  galleryId: string;
  puid: string;
  identifierDigest: Uint8Array | null;
  enrollLevel: number;
  createdAt: number;
  /** The session that makes them, while it has not ended. */
  provisionalSession: string | null;
}

export interface PeopleStore {
  /** Does nothing when the owner has a gallery of this version and length already. */
  insertGallery(gallery: NewGallery): Promise<void>;
  findGallery(owner: Owner, modelVersion: string, dimensions: number): Promise<GalleryRow | undefined>;
  listGalleries(): Promise<GalleryRow[]>;
  countGalleries(owner: Owner): Promise<number>;
  listVersions(galleryIds: readonly string[]): Promise<GalleryRow[]>;
  /** Embeddings of all galleries together, as a transaction sees them. */
  countEmbeddings(trx: Transaction): Promise<number>;
  /** Reads a gallery's row and keeps every other writer of it waiting until the transaction ends. */
  lockGallery(trx: Transaction, galleryId: string): Promise<GalleryRow>;
  updateGallery(trx: Transaction, gallery: GalleryRow): Promise<void>;

  insertPerson(trx: Transaction, person: NewPerson): Promise<void>;
  /** This session shows the face of a person whose enrolment has not ended yet. */
  joinEnrolment(trx: Transaction, personId: string, session: string, now: number): Promise<void>;
  insertEmbeddings(
    trx: Transaction,
    galleryId: string,
    personId: string,
    rows: readonly SealedEmbedding[],
  ): Promise<void>;
  /** The people behind these embeddings; those that are gone are missing. */
  findPeople(galleryId: string, seqs: readonly number[], trx?: Transaction): Promise<FoundPerson[]>;
  /** Nobody whose enrolment has not ended yet. */
  findByPuid(owner: Owner, puid: string): Promise<PersonRow | undefined>;
  /** Ids after `after` of people enrolled under this name, at most `limit`. */
  listByIdentifier(galleryId: string, digest: Uint8Array, after: string, limit: number): Promise<string[]>;
  listSeqsOfPeople(personIds: readonly string[]): Promise<number[]>;
  listSeqsOfPerson(trx: Transaction, personId: string): Promise<SeqsOfPerson>;
  /** With all that hangs on them; false when they were gone already. */
  deletePerson(trx: Transaction, personId: string): Promise<boolean>;

  /** Embeddings added by the changes after `after` up to `upTo`, oldest first. */
  listEmbeddings(galleryId: string, after: number, upTo: number, limit: number): Promise<SealedEmbedding[]>;
  listEmbeddingsSince(trx: Transaction, galleryId: string, after: number, limit: number): Promise<SealedEmbedding[]>;
  /** Whether anything was removed by a change after this one. */
  hasRemovalsSince(trx: Transaction, galleryId: string, after: number): Promise<boolean>;
  listRemovals(galleryId: string, after: number, upTo: number): Promise<number[]>;
  insertRemovals(
    trx: Transaction,
    galleryId: string,
    after: number,
    seqs: readonly number[],
    at: number,
  ): Promise<void>;
  /** Takes removals from before this time out of the log, and raises the floor of their galleries. */
  purgeRemovals(trx: Transaction, before: number): Promise<void>;
}

/** PostgreSQL takes 65,535 parameters in a statement, SQLite 32,766. */
const ROWS_PER_STATEMENT = 2_000;

export function createPeopleStore(database: Database): PeopleStore {
  const { queries, engine } = database;

  const galleryOf = database.prepare((customer: string, world: World, modelVersion: string, dimensions: number) =>
    queries
      .selectFrom('galleries')
      .selectAll()
      .where('customer', '=', customer)
      .where('world', '=', world)
      .where('model_version', '=', modelVersion)
      .where('dimensions', '=', dimensions),
  );
  const personOf = database.prepare((galleryId: string, seq: number) =>
    foundPeople(queries).where('embeddings.gallery_id', '=', galleryId).where('embeddings.seq', '=', seq),
  );

  return {
    async insertGallery({ owner, modelVersion, createdAt, ...gallery }) {
      const counts = { version: 0, log_floor: 0, people: 0, embeddings: 0, tokens: 0, token_epoch: null };
      await queries
        .insertInto('galleries')
        .values({ ...gallery, ...columnsOf(owner), ...counts, model_version: modelVersion, created_at: createdAt })
        .onConflict((conflict) => conflict.columns(['customer', 'world', 'model_version', 'dimensions']).doNothing())
        .execute();
    },

    async findGallery({ customer, world }, modelVersion, dimensions) {
      const [row] = await galleryOf(customer, world, modelVersion, dimensions);
      return row && toGallery(row);
    },

    async listGalleries() {
      const rows = await queries.selectFrom('galleries').selectAll().orderBy('id').execute();
      return rows.map(toGallery);
    },

    async countGalleries(owner) {
      const row = await queries
        .selectFrom('galleries')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where(({ and }) => and(columnsOf(owner)))
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },

    async listVersions(galleryIds) {
      const rows = await queries
        .selectFrom('galleries')
        .selectAll()
        .where('id', 'in', [...galleryIds])
        .execute();
      return rows.map(toGallery);
    },

    async countEmbeddings(trx) {
      const row = await trx
        .selectFrom('galleries')
        .select(({ fn }) => fn.sum<number | string | null>('embeddings').as('total'))
        .executeTakeFirst();
      return Number(row?.total ?? 0);
    },

    async lockGallery(trx, galleryId) {
      const query = trx.selectFrom('galleries').selectAll().where('id', '=', galleryId);
      // SQLite has one writer at a time, and this transaction is it.
      return toGallery(await (engine === 'postgres' ? query.forUpdate() : query).executeTakeFirstOrThrow());
    },

    async updateGallery(trx, { id, version, logFloor, people, embeddings, tokens, tokenEpoch }) {
      await trx
        .updateTable('galleries')
        .set({ version, log_floor: logFloor, people, embeddings, tokens, token_epoch: tokenEpoch })
        .where('id', '=', id)
        .execute();
    },

    async insertPerson(trx, person) {
      const { id, galleryId, puid, identifierDigest, enrollLevel, createdAt, provisionalSession } = person;
      await trx
        .insertInto('people')
        .values({
          id,
          gallery_id: galleryId,
          puid,
          identifier_digest: identifierDigest,
          enroll_level: enrollLevel,
          created_at: createdAt,
          provisional_session: provisionalSession,
        })
        .execute();
      if (provisionalSession !== null) await enrols(trx, id, provisionalSession, 1, createdAt);
    },

    joinEnrolment: (trx, personId, session, now) => enrols(trx, personId, session, 0, now),

    async insertEmbeddings(trx, galleryId, personId, rows) {
      await trx
        .insertInto('embeddings')
        .values(rows.map((row) => ({ ...row, gallery_id: galleryId, person_id: personId })))
        .execute();
    },

    async findPeople(galleryId, seqs, trx) {
      if (seqs.length === 0) return [];
      if (seqs.length === 1 && !trx) return (await personOf(galleryId, seqs[0]!)).map(toFoundPerson);
      const found: FoundPerson[] = [];
      for (let at = 0; at < seqs.length; at += ROWS_PER_STATEMENT) {
        const rows = await foundPeople(trx ?? queries)
          .where('embeddings.gallery_id', '=', galleryId)
          .where('embeddings.seq', 'in', seqs.slice(at, at + ROWS_PER_STATEMENT))
          .execute();
        found.push(...rows.map(toFoundPerson));
      }
      return found;
    },

    async findByPuid(owner, puid) {
      const row = await queries
        .selectFrom('people')
        .innerJoin('galleries', 'galleries.id', 'people.gallery_id')
        .select(['people.id', 'people.gallery_id', 'people.puid', 'galleries.model_version'])
        .where('people.puid', '=', puid)
        .where('people.provisional_session', 'is', null)
        .where(({ and }) => and(columnsOf(owner)))
        .executeTakeFirst();
      return row && { id: row.id, galleryId: row.gallery_id, modelVersion: row.model_version, puid: row.puid };
    },

    async listByIdentifier(galleryId, digest, after, limit) {
      const rows = await queries
        .selectFrom('people')
        .select('id')
        .where('gallery_id', '=', galleryId)
        .where('identifier_digest', '=', digest)
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },

    async listSeqsOfPeople(personIds) {
      const rows = await queries
        .selectFrom('embeddings')
        .select('seq')
        .where('person_id', 'in', [...personIds])
        .execute();
      return rows.map(({ seq }) => seq);
    },

    async listSeqsOfPerson(trx, personId) {
      const seqsIn = async (table: 'embeddings' | 'tokens') => {
        const rows = await trx
          .selectFrom(table)
          .select('seq')
          .where('person_id', '=', personId)
          .orderBy('seq')
          .execute();
        return rows.map(({ seq }) => seq);
      };
      return { embeddings: await seqsIn('embeddings'), tokens: await seqsIn('tokens') };
    },

    async deletePerson(trx, personId) {
      const result = await trx.deleteFrom('people').where('id', '=', personId).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },

    listEmbeddings: (galleryId, after, upTo, limit) =>
      queries
        .selectFrom('embeddings')
        .select(['seq', 'id', 'sealed'])
        .where('gallery_id', '=', galleryId)
        .where('seq', '>', after)
        .where('seq', '<=', upTo)
        .orderBy('seq')
        .limit(limit)
        .execute(),

    listEmbeddingsSince: (trx, galleryId, after, limit) =>
      trx
        .selectFrom('embeddings')
        .select(['seq', 'id', 'sealed'])
        .where('gallery_id', '=', galleryId)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(limit)
        .execute(),

    async hasRemovalsSince(trx, galleryId, after) {
      const row = await trx
        .selectFrom('gallery_removals')
        .select('seq')
        .where('gallery_id', '=', galleryId)
        .where('version', '>', after)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    async listRemovals(galleryId, after, upTo) {
      const rows = await queries
        .selectFrom('gallery_removals')
        .select('seq')
        .where('gallery_id', '=', galleryId)
        .where('version', '>', after)
        .where('version', '<=', upTo)
        .execute();
      return rows.map(({ seq }) => seq);
    },

    async insertRemovals(trx, galleryId, after, seqs, at) {
      await trx
        .insertInto('gallery_removals')
        .values(seqs.map((seq, i) => ({ gallery_id: galleryId, version: after + 1 + i, seq, removed_at: at })))
        .execute();
    },

    async purgeRemovals(trx, before) {
      const old = await trx
        .selectFrom('gallery_removals')
        .select(({ fn }) => ['gallery_id', fn.max<number>('version').as('last')])
        .where('removed_at', '<', before)
        .groupBy('gallery_id')
        .execute();
      for (const { gallery_id, last } of old) {
        await trx
          .deleteFrom('gallery_removals')
          .where('gallery_id', '=', gallery_id)
          .where('version', '<=', last)
          .execute();
        await trx.updateTable('galleries').set({ log_floor: last }).where('id', '=', gallery_id).execute();
      }
    },
  };
}

async function enrols(trx: Transaction, personId: string, session: string, made: 0 | 1, now: number): Promise<void> {
  await trx
    .insertInto('enrolling_sessions')
    .values({ person_id: personId, session_id: session, made, joined_at: now })
    .onConflict((conflict) => conflict.columns(['person_id', 'session_id']).doNothing())
    .execute();
}

function foundPeople(queries: Database['queries']) {
  return queries
    .selectFrom('embeddings')
    .innerJoin('people', 'people.id', 'embeddings.person_id')
    .select(['embeddings.seq', 'people.id', 'people.puid', 'people.enroll_level']);
}

function toFoundPerson(row: { seq: number; id: string; puid: string; enroll_level: number }): FoundPerson {
  return { seq: row.seq, personId: row.id, puid: row.puid, enrollLevel: row.enroll_level };
}

function toGallery(row: Schema['galleries']): GalleryRow {
  const { id, model_version, dimensions, guid, version, log_floor } = row;
  const { people, embeddings, tokens, token_epoch } = row;
  return {
    id,
    owner: ownerFrom(row),
    modelVersion: model_version,
    dimensions,
    guid,
    version,
    logFloor: log_floor,
    people,
    embeddings,
    tokens,
    tokenEpoch: token_epoch,
  };
}
