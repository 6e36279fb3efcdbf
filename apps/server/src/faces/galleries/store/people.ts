// The SQL of people and embeddings, including their galleries. A row whose seal does not verify is treated as missing.
import { type Owner, ownerColumns } from '../../../platform/api-keys/owner.ts';
import { named, type PersonId, type Puid, type SessionId } from '../../../platform/base/ids.ts';
import type { Database, Queries, Transaction } from '../../../platform/database/database.ts';
import type { Schema } from '../../../platform/database/schema.ts';
import type { SealLog } from '../../../platform/sealing/edited-rows.ts';
import type { RowSealer } from '../../../platform/sealing/sealer.ts';
import { createGalleryStore } from './galleries.ts';
import { createPeopleSeals, type PeopleSeals, selectWithGallery } from './row-seals.ts';

export type SealedEmbedding = Pick<Schema['embeddings'], 'seq' | 'id' | 'sealed'>;

export interface FaceOwner {
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

  const selectPerson = database.prepare((galleryId: string, seq: number) =>
    selectByEmbedding(queries).where('embeddings.gallery_id', '=', galleryId).where('embeddings.seq', '=', seq),
  );

  /** Keeps the rows whose person and embedding are unchanged and of the same gallery. */
  const toPeople = (rows: Awaited<ReturnType<typeof selectPerson>>): FaceOwner[] =>
    rows.flatMap(({ of_gallery_id: gallery_id, of_seq: seq, of_id, of_mac, ...person }) => {
      const { id: personId, puid, enroll_level: enrollLevel } = person;
      const embedding = { gallery_id, seq, id: of_id, person_id: personId, mac: of_mac };
      const isWhole = seals.people.ifWhole(person) && seals.embeddings.ifWhole(embedding);
      return isWhole && person.gallery_id === gallery_id ? [{ seq, personId, puid, enrollLevel }] : [];
    });

  return {
    ...createFaceStore(queries, seals),
    ...createGalleryStore(database, seals),

    async insertPerson(trx: Transaction, person: Omit<SealedPerson, 'mac'>): Promise<void> {
      await trx.insertInto('people').values(seals.people.sign(person)).execute();
      const { id, provisional_session, created_at } = person;
      if (provisional_session !== null) await joinEnrollment(trx, id, provisional_session, created_at);
    },

    /** With `held`, the person cannot be deleted until the transaction ends. */
    async findPerson(trx: Transaction, personId: PersonId, held?: 'held'): Promise<SealedPerson | undefined> {
      const query = trx.selectFrom('people').selectAll().where('id', '=', personId);
      // SQLite has only one writer at a time, and this transaction is it.
      const isHeld = held && engine === 'postgres';
      return seals.people.ifWhole(await (isHeld ? query.forKeyShare() : query).executeTakeFirst());
    },

    /** Names the session that enrolls the person from now on, null for none. */
    async setProvisional(trx: Transaction, person: SealedPerson, session: SessionId | null): Promise<void> {
      const { mac } = seals.people.sign({ ...person, provisional_session: session });
      await trx.updateTable('people').set({ provisional_session: session, mac }).where('id', '=', person.id).execute();
    },

    joinEnrolment: joinEnrollment,

    /** Finds the people of these embeddings. Deleted ones are missing from the result. */
    async findPeople(galleryId: string, seqs: readonly number[], trx?: Transaction): Promise<FaceOwner[]> {
      if (seqs.length === 1 && !trx) return toPeople(await selectPerson(galleryId, seqs[0]!));
      const found: FaceOwner[] = [];
      for (let at = 0; at < seqs.length; at += ROWS_PER_STATEMENT) {
        const rows = await selectByEmbedding(trx ?? queries)
          .where('embeddings.gallery_id', '=', galleryId)
          .where('embeddings.seq', 'in', seqs.slice(at, at + ROWS_PER_STATEMENT))
          .execute();
        found.push(...toPeople(rows));
      }
      return found;
    },

    /** Deletes a person with all dependent rows. Returns false if there is no such person. */
    async deletePerson(trx: Transaction, personId: PersonId): Promise<boolean> {
      const result = await trx.deleteFrom('people').where('id', '=', personId).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}

function createFaceStore(queries: Queries, seals: PeopleSeals) {
  const selectSince = (db: Queries, galleryId: string, after: number, limit: number) =>
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
      gallery_id: string,
      person_id: PersonId,
      embeddings: readonly SealedEmbedding[],
    ): Promise<void> {
      const rows = embeddings.map(({ sealed, ...names }) => ({
        ...seals.embeddings.sign({ ...names, gallery_id, person_id }),
        sealed,
      }));
      await trx.insertInto('embeddings').values(rows).execute();
    },

    listEmbeddings: (galleryId: string, after: number, upTo: number, limit: number) =>
      selectSince(queries, galleryId, after, limit).where('seq', '<=', upTo).execute(),

    listEmbeddingsSince: (trx: Transaction, galleryId: string, after: number, limit: number) =>
      selectSince(trx, galleryId, after, limit).execute(),

    /** Finds a person by columns that may have been edited. Only deletions may use the result. */
    async findToDelete(owner: Owner, puid: Puid) {
      const row = await selectWithGallery(queries)
        .where('people.puid', '=', puid)
        .where(({ and }) => and(ownerColumns(owner)))
        .executeTakeFirst();
      if (!row) return undefined;
      // Hides people whose enrollment has not ended. An edited row cannot claim that.
      const isBegun = row.provisional_session !== null && seals.ifBothWhole(row);
      return isBegun ? undefined : { id: row.id, modelVersion: row.of_model_version };
    },

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
      const rows = await queries.selectFrom('embeddings').select('seq').where('person_id', 'in', personIds).execute();
      return rows.map(({ seq }) => seq);
    },

    /** Reads the person's own row, and the rows of their embeddings and tokens. */
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

    async listSeqsOfPerson(trx: Transaction, personId: PersonId, galleryId: string) {
      const listSeqs = async (table: 'embeddings' | 'tokens') => {
        const rows = await trx
          .selectFrom(table)
          .select('seq')
          .where('person_id', '=', personId)
          .where('gallery_id', '=', galleryId)
          .orderBy('seq')
          .execute();
        return rows.map(({ seq }) => seq);
      };
      return { embeddings: await listSeqs('embeddings'), tokens: await listSeqs('tokens') };
    },
  };
}

/** Notes that this session shows the face of a person whose enrollment has not ended. */
async function joinEnrollment(trx: Transaction, personId: PersonId, session: SessionId, now: number): Promise<void> {
  await trx
    .insertInto('enrolling_sessions')
    .values({ person_id: personId, session_id: session, joined_at: now })
    .onConflict((conflict) => conflict.columns(['person_id', 'session_id']).doNothing())
    .execute();
}

function selectByEmbedding(queries: Queries) {
  return queries
    .selectFrom('embeddings')
    .innerJoin('people', 'people.id', 'embeddings.person_id')
    .selectAll('people')
    .select(['embeddings.gallery_id as of_gallery_id', 'embeddings.seq as of_seq'])
    .select(['embeddings.id as of_id', 'embeddings.mac as of_mac']);
}
