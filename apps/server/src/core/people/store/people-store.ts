// The SQL of galleries, people and embeddings. Their rows are sealed: one that was edited is as good as not there.
import { columnsOf, type Owner, ownerFrom } from '../../../platform/api-keys/owner.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { holdRows } from '../../../platform/database/hold-rows.ts';
import type { Schema } from '../../../platform/database/schema.ts';
import { type CustomerId, named, type PersonId, type Puid, type SessionId } from '../../../platform/ids.ts';
import type { SealLog } from '../../../platform/sealing/row-seal.ts';
import type { Sealer } from '../../../platform/sealing/sealer.ts';
import type { World } from '../../../platform/world.ts';
import type { GalleryRow } from '../index/face-index.ts';
import { createPeopleSeals, selectWithGallery } from './row-seals.ts';

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
  personId: PersonId;
  puid: Puid;
  enrollLevel: number;
}

export interface PersonRow {
  id: PersonId;
  galleryId: string;
  modelVersion: string;
  puid: Puid;
}

export type SealedPerson = Schema['people'];

/** The changes that added what hangs on a person. */
export interface SeqsOfPerson {
  embeddings: number[];
  tokens: number[];
}

export interface NewPerson {
  id: PersonId;
  galleryId: string;
  puid: Puid;
  identifierDigest: Uint8Array | null;
  enrollLevel: number;
  createdAt: number;
  /** The session that makes them, while it has not ended. */
  provisionalSession: SessionId | null;
}

export interface PeopleStore {
  /** Does nothing when the owner has a gallery of this version and length already. */
  insertGallery(gallery: NewGallery): Promise<void>;
  findGallery(owner: Owner, modelVersion: string, dimensions: number): Promise<GalleryRow | undefined>;
  listGalleries(): Promise<GalleryRow[]>;
  countGalleries(owner: Owner): Promise<number>;
  listVersions(galleryIds: readonly string[]): Promise<GalleryRow[]>;
  /** Embeddings of all galleries of a world together, as a transaction sees them. */
  countEmbeddings(trx: Transaction, world: World): Promise<number>;
  /** Reads a gallery's row and keeps every other writer of it waiting until the transaction ends. */
  lockGallery(trx: Transaction, galleryId: string): Promise<GalleryRow | undefined>;
  /** The same of one that somebody may have edited, without reading it. */
  lockAnyGallery(trx: Transaction, galleryId: string): Promise<void>;
  /** Of one that was edited, and does not become whole by it: what was removed from it is not in its log. */
  haveIndexesReloaded(trx: Transaction, galleryId: string): Promise<void>;
  /** Of one that this transaction has locked. */
  updateGallery(trx: Transaction, gallery: GalleryRow): Promise<void>;

  insertPerson(trx: Transaction, person: NewPerson): Promise<void>;
  /** As their row says, confirmed or not; `held` until the transaction ends, they are not deleted. */
  findPerson(trx: Transaction, personId: PersonId, held?: 'held'): Promise<SealedPerson | undefined>;
  /** Who has it in hand from now on, or nobody any more. */
  setProvisional(trx: Transaction, person: SealedPerson, session: SessionId | null): Promise<void>;
  /** This session shows the face of a person whose enrolment has not ended yet. */
  joinEnrolment(trx: Transaction, personId: PersonId, session: SessionId, now: number): Promise<void>;
  insertEmbeddings(
    trx: Transaction,
    galleryId: string,
    personId: PersonId,
    rows: readonly SealedEmbedding[],
  ): Promise<void>;
  /** The people behind these embeddings; those that are gone are missing. */
  findPeople(galleryId: string, seqs: readonly number[], trx?: Transaction): Promise<FoundPerson[]>;
  /** Of this owner by the columns of rows that somebody may have edited: for their deletion, and nothing else. */
  findToDelete(owner: Owner, puid: Puid): Promise<PersonRow | undefined>;
  /** Ids after `after` of people enrolled under this name, at most `limit`. */
  listByIdentifier(galleryId: string, digest: Uint8Array, after: string, limit: number): Promise<PersonId[]>;
  listSeqsOfPeople(personIds: readonly PersonId[]): Promise<number[]>;
  listSeqsOfPerson(trx: Transaction, personId: PersonId, galleryId: string): Promise<SeqsOfPerson>;
  /** By their own row, and by the rows of their embeddings and tokens. */
  listGalleriesOfPerson(trx: Transaction, personId: PersonId): Promise<{ own: string | undefined; ofFaces: string[] }>;
  /** With all that hangs on them; false when they were gone already. */
  deletePerson(trx: Transaction, personId: PersonId): Promise<boolean>;

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

export function createPeopleStore(database: Database, sealer: Pick<Sealer, 'digest'>, log: SealLog): PeopleStore {
  const { queries, engine } = database;
  const seals = createPeopleSeals(sealer, log);

  const galleryOf = database.prepare((customer: CustomerId, world: World, modelVersion: string, dimensions: number) =>
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

  const toGalleries = (rows: readonly Schema['galleries'][]) =>
    rows.flatMap((row) => (seals.galleries.ifWhole(row) ? [toGallery(row)] : []));

  /** Those whose person and embedding are as they were written, and of one gallery. */
  const toFound = (rows: readonly FoundRow[]): FoundPerson[] =>
    rows.flatMap(({ embedding_gallery_id, embedding_seq, embedding_id, embedding_mac, ...person }) => {
      const names = { gallery_id: embedding_gallery_id, seq: embedding_seq, id: embedding_id };
      const embedding = { ...names, person_id: person.id, mac: embedding_mac };
      if (!seals.people.ifWhole(person) || !seals.embeddings.ifWhole(embedding)) return [];
      if (person.gallery_id !== embedding.gallery_id) return [];
      const { id: personId, puid, enroll_level: enrollLevel } = person;
      return [{ seq: embedding.seq, personId, puid, enrollLevel }];
    });

  function lockRow(trx: Transaction, galleryId: string): Promise<Schema['galleries'] | undefined> {
    const query = trx.selectFrom('galleries').selectAll().where('id', '=', galleryId);
    return holdRows(engine, query).executeTakeFirst();
  }

  async function lockGallery(trx: Transaction, galleryId: string): Promise<GalleryRow | undefined> {
    const row = await lockRow(trx, galleryId);
    return row && toGalleries([row])[0];
  }

  async function updateGallery(trx: Transaction, gallery: GalleryRow): Promise<void> {
    const { id, version, logFloor, people, embeddings, tokens, tokenEpoch } = gallery;
    const changes = { version, log_floor: logFloor, people, embeddings, tokens, token_epoch: tokenEpoch };
    const { mac } = seals.galleries.sign({ ...fixedColumns(gallery), ...changes });
    await trx
      .updateTable('galleries')
      .set({ ...changes, mac })
      .where('id', '=', id)
      .execute();
  }

  return {
    async insertGallery(gallery) {
      const counts = { version: 0, log_floor: 0, people: 0, embeddings: 0, tokens: 0, token_epoch: null };
      await queries
        .insertInto('galleries')
        .values(seals.galleries.sign({ ...fixedColumns(gallery), ...counts }))
        .onConflict((conflict) => conflict.columns(['customer', 'world', 'model_version', 'dimensions']).doNothing())
        .execute();
    },

    async findGallery({ customer, world }, modelVersion, dimensions) {
      return toGalleries(await galleryOf(customer, world, modelVersion, dimensions))[0];
    },

    async listGalleries() {
      return toGalleries(await queries.selectFrom('galleries').selectAll().orderBy('id').execute());
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
      return toGalleries(rows);
    },

    async countEmbeddings(trx, world) {
      const row = await trx
        .selectFrom('galleries')
        .select(({ fn }) => fn.sum<number | string | null>('embeddings').as('total'))
        .where('world', '=', world)
        .executeTakeFirst();
      return Number(row?.total ?? 0);
    },

    lockGallery,
    lockAnyGallery: async (trx, galleryId) => void (await lockRow(trx, galleryId)),
    updateGallery,

    async haveIndexesReloaded(trx, galleryId) {
      await trx
        .updateTable('galleries')
        .set((set) => ({ version: set('version', '+', 1), log_floor: set('version', '+', 1) }))
        .where('id', '=', galleryId)
        .execute();
    },

    async insertPerson(trx, person) {
      const { id, galleryId, puid, identifierDigest, enrollLevel, createdAt, provisionalSession } = person;
      await trx
        .insertInto('people')
        .values(
          seals.people.sign({
            id,
            gallery_id: galleryId,
            puid,
            identifier_digest: identifierDigest,
            enroll_level: enrollLevel,
            created_at: createdAt,
            provisional_session: provisionalSession,
          }),
        )
        .execute();
      if (provisionalSession !== null) await enrols(trx, id, provisionalSession, 1, createdAt);
    },

    async findPerson(trx, personId, held) {
      const query = trx.selectFrom('people').selectAll().where('id', '=', personId);
      // SQLite has one writer at a time, and this transaction is it.
      const isHeld = held && engine === 'postgres';
      return seals.people.ifWhole(await (isHeld ? query.forKeyShare() : query).executeTakeFirst());
    },

    async setProvisional(trx, person, session) {
      const { mac } = seals.people.sign({ ...person, provisional_session: session });
      await trx.updateTable('people').set({ provisional_session: session, mac }).where('id', '=', person.id).execute();
    },

    joinEnrolment: (trx, personId, session, now) => enrols(trx, personId, session, 0, now),

    async insertEmbeddings(trx, galleryId, personId, rows) {
      await trx
        .insertInto('embeddings')
        .values(
          rows.map(({ sealed, seq, id }) => ({
            ...seals.embeddings.sign({ gallery_id: galleryId, seq, id, person_id: personId }),
            sealed,
          })),
        )
        .execute();
    },

    async findPeople(galleryId, seqs, trx) {
      if (seqs.length === 0) return [];
      if (seqs.length === 1 && !trx) return toFound(await personOf(galleryId, seqs[0]!));
      const found: FoundPerson[] = [];
      for (let at = 0; at < seqs.length; at += ROWS_PER_STATEMENT) {
        const rows = await foundPeople(trx ?? queries)
          .where('embeddings.gallery_id', '=', galleryId)
          .where('embeddings.seq', 'in', seqs.slice(at, at + ROWS_PER_STATEMENT))
          .execute();
        found.push(...toFound(rows));
      }
      return found;
    },

    async findToDelete(owner, puid) {
      const row = await selectWithGallery(queries)
        .where('people.puid', '=', puid)
        .where(({ and }) => and(columnsOf(owner)))
        .executeTakeFirst();
      if (!row) return undefined;
      // Nobody whose enrolment has not ended yet; that an edited row says so is nothing to go by.
      const isBegun = row.provisional_session !== null && seals.ifBothWhole(row);
      return isBegun ? undefined : { id: row.id, galleryId: row.gallery_id, modelVersion: row.of_model_version, puid };
    },

    async listByIdentifier(galleryId, digest, after, limit) {
      const rows = await queries
        .selectFrom('people')
        .select('id')
        .where('gallery_id', '=', galleryId)
        .where('identifier_digest', '=', digest)
        .where('id', '>', named<PersonId>(after))
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

    async listGalleriesOfPerson(trx, personId) {
      const person = await trx.selectFrom('people').select('gallery_id').where('id', '=', personId).executeTakeFirst();
      const rows = await trx
        .selectFrom('embeddings')
        .select('gallery_id')
        .where('person_id', '=', personId)
        .union(trx.selectFrom('tokens').select('gallery_id').where('person_id', '=', personId))
        .execute();
      return { own: person?.gallery_id, ofFaces: rows.map(({ gallery_id }) => gallery_id).sort() };
    },

    async listSeqsOfPerson(trx, personId, galleryId) {
      const seqsIn = async (table: 'embeddings' | 'tokens') => {
        const rows = await trx
          .selectFrom(table)
          .select('seq')
          .where('person_id', '=', personId)
          .where('gallery_id', '=', galleryId)
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
        .orderBy('gallery_id')
        .execute();
      for (const { gallery_id, last } of old) {
        const gallery = await lockGallery(trx, gallery_id);
        if (!gallery) continue;
        await trx
          .deleteFrom('gallery_removals')
          .where('gallery_id', '=', gallery_id)
          .where('version', '<=', last)
          .execute();
        await updateGallery(trx, { ...gallery, logFloor: last });
      }
    },
  };
}

async function enrols(
  trx: Transaction,
  personId: PersonId,
  session: SessionId,
  made: 0 | 1,
  now: number,
): Promise<void> {
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
    .selectAll('people')
    .select(['embeddings.gallery_id as embedding_gallery_id', 'embeddings.seq as embedding_seq'])
    .select(['embeddings.id as embedding_id', 'embeddings.mac as embedding_mac']);
}

type FoundRow = Awaited<ReturnType<ReturnType<typeof foundPeople>['execute']>>[number];

/** The columns of a gallery that never change. */
function fixedColumns({ id, owner, modelVersion, dimensions, guid, createdAt }: NewGallery) {
  return { id, ...columnsOf(owner), model_version: modelVersion, dimensions, guid, created_at: createdAt };
}

/** As the row says, whole or not: for what only counts and lists. */
export function toGallery(row: Schema['galleries']): GalleryRow {
  const { id, model_version, dimensions, guid, version, log_floor, created_at } = row;
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
    createdAt: created_at,
  };
}
