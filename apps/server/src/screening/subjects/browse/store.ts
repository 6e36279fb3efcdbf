// The SQL of watched subjects as operators look through them: those of every customer, newest first.
import { sql } from 'kysely';
import type { CustomerId, WatchedSubjectId } from '../../../platform/base/ids.ts';
import type { World } from '../../../platform/base/world.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { AlertRow, HitRow, SubjectRow } from '../contents.ts';
import type { SubjectFilter } from '../store.ts';

export interface Whose {
  customer?: CustomerId | undefined;
  world?: World | undefined;
}

interface Page {
  /** Only older ones than this. */
  before?: string | undefined;
  limit: number;
}

export type SubjectPage = Whose & SubjectFilter & Page;

export interface AlertPage extends Whose, Page {
  kinds: readonly AlertRow['kind'][];
}

export interface BrowseStore {
  subjects(page: SubjectPage): Promise<SubjectRow[]>;
  subjectsOf(ids: readonly string[]): Promise<SubjectRow[]>;
  byReferences(digests: readonly Uint8Array[]): Promise<SubjectRow[]>;
  alerts(page: AlertPage): Promise<AlertRow[]>;
  historyOf(subject: WatchedSubjectId, page: Page): Promise<AlertRow[]>;
  hitsOf(ids: readonly string[]): Promise<HitRow[]>;
}

export function createBrowseStore({ queries }: Pick<Database, 'queries'>): BrowseStore {
  return {
    subjects({ customer, world, state, hits, before, limit }) {
      let query = queries.selectFrom('watched_subjects').selectAll();
      if (customer !== undefined) query = query.where('customer', '=', customer);
      if (world !== undefined) query = query.where('world', '=', world);
      // Written out, because SQLite uses the index of those that are due only when it sees the word.
      if (state !== undefined) query = query.where('state', '=', sql.lit(state));
      if (hits !== undefined) query = query.where('hit_state', '=', hits);
      if (before !== undefined) query = query.where(sql.ref('id'), '<', before);
      return query.orderBy('id', 'desc').limit(limit).execute();
    },

    subjectsOf: async (ids) =>
      ids.length === 0
        ? []
        : await queries
            .selectFrom('watched_subjects')
            .selectAll()
            .where(sql.ref('id'), 'in', [...ids])
            .execute(),

    byReferences: async (digests) =>
      digests.length === 0
        ? []
        : await queries
            .selectFrom('watched_subjects')
            .selectAll()
            .where('reference_digest', 'in', digests)
            .orderBy('id', 'desc')
            .execute(),

    alerts({ customer, world, kinds, before, limit }) {
      let query = queries.selectFrom('screening_alerts').selectAll().where('kind', 'in', kinds);
      if (customer !== undefined) query = query.where('customer', '=', customer);
      if (world !== undefined) query = query.where('world', '=', world);
      if (before !== undefined) query = query.where('id', '<', before);
      return query.orderBy('id', 'desc').limit(limit).execute();
    },

    historyOf(subject, { before, limit }) {
      let query = queries.selectFrom('screening_alerts').selectAll().where('subject_id', '=', subject);
      if (before !== undefined) query = query.where('id', '<', before);
      return query.orderBy('id', 'desc').limit(limit).execute();
    },

    hitsOf: async (ids) =>
      ids.length === 0 ? [] : await queries.selectFrom('watched_hits').selectAll().where('id', 'in', ids).execute(),
  };
}
