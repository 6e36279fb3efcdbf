// Lists and counts the people of all galleries for the operator. Needs no keys, because it decides nothing.
import { sql } from 'kysely';
import { type Owner, ownerFrom } from '../../../platform/api-keys/owner.ts';
import type { CustomerId, PersonId, Puid } from '../../../platform/base/ids.ts';
import type { World } from '../../../platform/base/world.ts';
import type { Database } from '../../../platform/database/database.ts';

interface PeopleFilter {
  customer?: CustomerId | undefined;
  world?: World | undefined;
  modelVersion?: string | undefined;
  /** Excludes this person and later ones. */
  before?: PersonId | undefined;
  limit: number;
}

export type PeopleCensus = ReturnType<typeof createPeopleCensus>;

export function createPeopleCensus({ queries }: Database) {
  return {
    listGalleries: () => queries.selectFrom('galleries').selectAll().orderBy('id').execute(),

    /** Lists people with the number of their face tokens, newest first. */
    async listPeople({ customer, world, modelVersion, before, limit }: PeopleFilter) {
      let query = queries
        .selectFrom('people')
        .innerJoin('galleries', 'galleries.id', 'people.gallery_id')
        .select(['people.id', 'people.puid', 'people.enroll_level', 'people.created_at'])
        .select(['galleries.customer', 'galleries.world', 'galleries.model_version', 'galleries.dimensions'])
        .select(({ selectFrom }) =>
          selectFrom('tokens')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .whereRef('tokens.person_id', '=', 'people.id')
            .as('tokens'),
        )
        .where('people.provisional_session', 'is', null);
      if (customer !== undefined) query = query.where('galleries.customer', '=', customer);
      if (world !== undefined) query = query.where('galleries.world', '=', world);
      if (modelVersion !== undefined) query = query.where('galleries.model_version', '=', modelVersion);
      if (before !== undefined) query = query.where('people.id', '<', before);
      return query.orderBy('people.id', 'desc').limit(limit).execute();
    },

    async findOwner(puid: Puid): Promise<Owner | undefined> {
      const row = await queries
        .selectFrom('people')
        .innerJoin('galleries', 'galleries.id', 'people.gallery_id')
        .select(['galleries.customer', 'galleries.world'])
        .where('people.puid', '=', puid)
        .executeTakeFirst();
      return row && ownerFrom(row);
    },

    countByLevel: () =>
      queries
        .selectFrom('people')
        .select(({ fn }) => [
          'gallery_id',
          'enroll_level',
          fn.countAll<number>().as('people'),
          fn.min<number>('created_at').as('first_at'),
          fn.max<number>('created_at').as('last_at'),
        ])
        .where('provisional_session', 'is', null)
        .groupBy(['gallery_id', 'enroll_level'])
        .orderBy('gallery_id')
        .orderBy('enroll_level')
        .execute(),

    /** Measures one embedding of each gallery that has any: they all have the same size. */
    async measureSealed(): Promise<Map<string, number>> {
      // Reads one row per gallery. A sum would read every face.
      const rows = await queries
        .selectFrom('galleries')
        .select(({ selectFrom }) => [
          'id',
          selectFrom('embeddings')
            .select(sql<number>`octet_length(sealed)`.as('bytes'))
            .whereRef('embeddings.gallery_id', '=', 'galleries.id')
            .limit(1)
            .as('bytes'),
        ])
        .execute();
      return new Map(rows.flatMap(({ id, bytes }) => (bytes === null ? [] : [[id, bytes] as const])));
    },
  };
}
