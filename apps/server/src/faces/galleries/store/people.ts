// The SQL of people and embeddings, with that of their galleries. Rows are sealed: one that was edited is as good as not there.
import { columnsOf, type Owner } from '../../../platform/api-keys/owner.ts';
import { named, type PersonId, type Puid, type SessionId } from '../../../platform/base/ids.ts';
import type { Database, Queries, Transaction } from '../../../platform/database/database.ts';
import type { Schema } from '../../../platform/database/schema.ts';
import type { SealLog } from '../../../platform/sealing/row-seal.ts';
import type { RowSealer } from '../../../platform/sealing/sealer.ts';
import { createGalleryStore } from './galleries.ts';
import { createPeopleSeals, type PeopleSeals, selectWithGallery } from './row-seals.ts';

export interface SealedEmbedding {
  seq: number;
  id: string;
  sealed: Uint8Array;
}

/** A person as a reply needs them, by one of their embeddings. */
export interface PersonOfFace {
  seq: number;
  personId: PersonId;
  puid: Puid;
  enrollLevel: number;
}

type SealedPerson = Schema['people'];

export type PeopleStore = ReturnType<typeof createPeopleStore>;

/** PostgreSQL takes 65,535 parameters in a statement, SQLite 32,766. */
const ROWS_PER_STATEMENT = 2_000;

export function createPeopleStore(database: Database, sealer: RowSealer, log: SealLog) {
  const { queries, engine } = database;
  const seals = createPeopleSeals(sealer, log);

  const personOf = database.prepare((galleryId: string, seq: number) =>
    foundPeople(queries).where('embeddings.gallery_id', '=', galleryId).where('embeddings.seq', '=', seq),
  );

  /** Those whose person and embedding are as they were written, and of one gallery. */
  const toFound = (rows: readonly FoundRow[]): PersonOfFace[] =>
    rows.flatMap(({ embedding_gallery_id, embedding_seq, embedding_id, embedding_mac, ...person }) => {
      const names = { gallery_id: embedding_gallery_id, seq: embedding_seq, id: embedding_id };
      const embedding = { ...names, person_id: person.id, mac: embedding_mac };
      if (!seals.people.ifWhole(person) || !seals.embeddings.ifWhole(embedding)) return [];
      if (person.gallery_id !== embedding.gallery_id) return [];
      const { id: personId, puid, enroll_level: enrollLevel } = person;
      return [{ seq: embedding.seq, personId, puid, enrollLevel }];
    });

  return {
    ...createPersonLists(queries, seals),
    ...createEmbeddingStore(queries, seals),
    ...createGalleryStore(database, seals),

    async insertPerson(trx: Transaction, person: Omit<SealedPerson, 'mac'>): Promise<void> {
      await trx.insertInto('people').values(seals.people.sign(person)).execute();
      const { id, provisional_session, created_at } = person;
      if (provisional_session !== null) await joinEnrolment(trx, id, provisional_session, created_at);
    },

    /** As their row says, confirmed or not; `held` until the transaction ends, they are not deleted. */
    async findPerson(trx: Transaction, personId: PersonId, held?: 'held'): Promise<SealedPerson | undefined> {
      const query = trx.selectFrom('people').selectAll().where('id', '=', personId);
      // SQLite has one writer at a time, and this transaction is it.
      const isHeld = held && engine === 'postgres';
      return seals.people.ifWhole(await (isHeld ? query.forKeyShare() : query).executeTakeFirst());
    },

    /** The session that is enrolling them from now on; null for none. */
    async setProvisional(trx: Transaction, person: SealedPerson, session: SessionId | null): Promise<void> {
      const { mac } = seals.people.sign({ ...person, provisional_session: session });
      await trx.updateTable('people').set({ provisional_session: session, mac }).where('id', '=', person.id).execute();
    },

    /** This session shows the face of a person whose enrolment has not ended yet. */
    joinEnrolment,

    /** The people behind these embeddings; those that are gone are missing. */
    async findPeople(galleryId: string, seqs: readonly number[], trx?: Transaction): Promise<PersonOfFace[]> {
      if (seqs.length === 0) return [];
      if (seqs.length === 1 && !trx) return toFound(await personOf(galleryId, seqs[0]!));
      const found: PersonOfFace[] = [];
      for (let at = 0; at < seqs.length; at += ROWS_PER_STATEMENT) {
        const rows = await foundPeople(trx ?? queries)
          .where('embeddings.gallery_id', '=', galleryId)
          .where('embeddings.seq', 'in', seqs.slice(at, at + ROWS_PER_STATEMENT))
          .execute();
        found.push(...toFound(rows));
      }
      return found;
    },

    /** With all that hangs on them; false when they were gone already. */
    async deletePerson(trx: Transaction, personId: PersonId): Promise<boolean> {
      const result = await trx.deleteFrom('people').where('id', '=', personId).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}

function createEmbeddingStore(queries: Queries, seals: PeopleSeals) {
  /** Embeddings added by the changes after `after`, oldest first. */
  const listSince = (db: Queries, galleryId: string, after: number, limit: number) =>
    db
      .selectFrom('embeddings')
      .select(['seq', 'id', 'sealed'])
      .where('gallery_id', '=', galleryId)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit);

  return {
    async insertEmbeddings(
      trx: Transaction,
      galleryId: string,
      personId: PersonId,
      rows: readonly SealedEmbedding[],
    ): Promise<void> {
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

    /** Embeddings added by the changes after `after` up to `upTo`, oldest first. */
    listEmbeddings: (galleryId: string, after: number, upTo: number, limit: number) =>
      listSince(queries, galleryId, after, limit).where('seq', '<=', upTo).execute(),

    listEmbeddingsSince: (trx: Transaction, galleryId: string, after: number, limit: number) =>
      listSince(trx, galleryId, after, limit).execute(),
  };
}

/** The reads that find people and what hangs on them. */
function createPersonLists(queries: Queries, seals: PeopleSeals) {
  return {
    /**
     * Finds a person of this owner by columns that may have been edited. Only deletions may use the
     * result.
     */
    async findToDelete(owner: Owner, puid: Puid) {
      const row = await selectWithGallery(queries)
        .where('people.puid', '=', puid)
        .where(({ and }) => and(columnsOf(owner)))
        .executeTakeFirst();
      if (!row) return undefined;
      // Nobody whose enrolment has not ended yet; an edited row that says so is not believed.
      const isBegun = row.provisional_session !== null && seals.ifBothWhole(row);
      return isBegun ? undefined : { id: row.id, modelVersion: row.of_model_version };
    },

    /** Ids after `after` of people enrolled under this name, at most `limit`. */
    async listByIdentifier(galleryId: string, digest: Uint8Array, after: string, limit: number): Promise<PersonId[]> {
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

    async listSeqsOfPeople(personIds: readonly PersonId[]): Promise<number[]> {
      const rows = await queries
        .selectFrom('embeddings')
        .select('seq')
        .where('person_id', 'in', [...personIds])
        .execute();
      return rows.map(({ seq }) => seq);
    },

    /** By their own row, and by the rows of their embeddings and tokens. */
    async listGalleriesOfPerson(trx: Transaction, personId: PersonId) {
      const person = await trx.selectFrom('people').select('gallery_id').where('id', '=', personId).executeTakeFirst();
      const rows = await trx
        .selectFrom('embeddings')
        .select('gallery_id')
        .where('person_id', '=', personId)
        .union(trx.selectFrom('tokens').select('gallery_id').where('person_id', '=', personId))
        .execute();
      return { own: person?.gallery_id, ofFaces: rows.map(({ gallery_id }) => gallery_id).sort() };
    },

    /** Lists the changes that added what hangs on a person. */
    async listSeqsOfPerson(trx: Transaction, personId: PersonId, galleryId: string) {
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
  };
}

async function joinEnrolment(trx: Transaction, personId: PersonId, session: SessionId, now: number): Promise<void> {
  await trx
    .insertInto('enrolling_sessions')
    .values({ person_id: personId, session_id: session, joined_at: now })
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
