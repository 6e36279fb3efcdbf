// The SQL of which lists the subjects have been screened against, and of whom a change may concern.
import { sql } from 'kysely';
import type { WatchedSubjectId } from '../../platform/base/ids.ts';
import type { World } from '../../platform/base/world.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Schema } from '../../platform/database/schema.ts';
import type { SubjectRow } from './contents.ts';

/** About three years. */
const SUMMED_MS = 100_000_000_000;

export type WorkedList = Schema['watched_lists'];

export type Outdated = Pick<SubjectRow, 'id' | 'engine'>;

export interface WorkedLists {
  all(): Promise<WorkedList[]>;
  /** They stay as they are until the transaction ends. */
  hold(trx: Transaction): Promise<WorkedList[]>;
  noteSeen(names: readonly string[], at: number): Promise<void>;
  record(trx: Transaction, row: WorkedList): Promise<void>;
  forget(trx: Transaction, name: string): Promise<void>;
  /** Subjects in the order of their ids, after this one; of one world if it is given. */
  versionsAfter(after: string, limit: number, world?: World): Promise<Pick<SubjectRow, 'id' | 'changed_at'>[]>;
  /** Returns the ids that belong to the test world. */
  inTestWorld(ids: readonly WatchedSubjectId[]): Promise<Set<WatchedSubjectId>>;
  countSubjects(): Promise<number>;
  /** Those that were screened last by an engine before this one, in an order of their own, after this one. */
  outdatedAfter(engine: number, world: World, after: Outdated | undefined, limit: number): Promise<Outdated[]>;
  countOutdated(engine: number): Promise<number>;
  /** Other than before as soon as one comes, changes or goes. */
  sumOfVersions(): Promise<string>;
  /** Who has a hit on one of these entities, by their digests. */
  subjectsWithHitsOn(entities: readonly Uint8Array[]): Promise<WatchedSubjectId[]>;
  /** Those for whom no list is there, and so many of them. */
  countWithoutList(): Promise<number>;
  withoutList(limit: number): Promise<WatchedSubjectId[]>;
}

export function createWorkedLists({ queries, engine }: Pick<Database, 'queries' | 'engine'>): WorkedLists {
  return {
    all: () => queries.selectFrom('watched_lists').selectAll().execute(),

    hold(trx) {
      const query = trx.selectFrom('watched_lists').selectAll().orderBy('name');
      // SQLite has one writer at a time, and a transaction that writes is it.
      return (engine === 'postgres' ? query.forShare() : query).execute();
    },

    async noteSeen(names, at) {
      if (names.length > 0)
        await queries.updateTable('watched_lists').set({ seen_at: at }).where('name', 'in', names).execute();
    },

    async record(trx, { name, ...values }) {
      await trx
        .insertInto('watched_lists')
        .values({ name, ...values })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
        .execute();
    },

    async forget(trx, name) {
      await trx.deleteFrom('watched_lists').where('name', '=', name).execute();
    },

    versionsAfter(after, limit, world) {
      let query = queries
        .selectFrom('watched_subjects')
        .select(['id', 'changed_at'])
        .where('id', '>', after as WatchedSubjectId);
      if (world !== undefined) query = query.where('world', '=', world);
      return query.orderBy('id').limit(limit).execute();
    },

    async inTestWorld(ids) {
      if (ids.length === 0) return new Set();
      const rows = await queries
        .selectFrom('watched_subjects')
        .select('id')
        .where('id', 'in', ids)
        .where('world', '=', 'test')
        .execute();
      return new Set(rows.map(({ id }) => id));
    },

    async countSubjects() {
      const row = await queries
        .selectFrom('watched_subjects')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },

    outdatedAfter(engine, world, after, limit) {
      let query = queries
        .selectFrom('watched_subjects')
        .select(['id', 'engine'])
        .where('state', '=', 'screened')
        .where('engine', '<', engine)
        .where('world', '=', world);
      if (after) {
        query = query
          .where('engine', '>=', after.engine)
          .where(({ eb, or }) => or([eb('engine', '>', after.engine), eb('id', '>', after.id)]));
      }
      return query.orderBy('engine').orderBy('id').limit(limit).execute();
    },

    async countOutdated(engine) {
      const row = await queries
        .selectFrom('watched_subjects')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('state', '=', 'screened')
        .where('engine', '<', engine)
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },

    async sumOfVersions() {
      const row = await queries
        .selectFrom('watched_subjects')
        .select(({ fn }) => [
          fn.countAll<number>().as('count'),
          // A change makes it later, and the sum larger. Of millions the whole times would be more than a database adds up, and
          // what it does is more than a number of JavaScript holds.
          sql<string>`cast(sum(changed_at % ${sql.lit(SUMMED_MS)}) as text)`.as('sum'),
          // Ids grow: one that went and one that came in the same moment are not the same.
          sql<string>`max(cast(id as text))`.as('newest'),
        ])
        .executeTakeFirst();
      return `${row?.count} ${row?.sum} ${row?.newest}`;
    },

    async subjectsWithHitsOn(entities) {
      if (entities.length === 0) return [];
      const rows = await queries
        .selectFrom('watched_hits')
        .select('subject_id')
        .distinct()
        .where('entity_digest', 'in', entities)
        .execute();
      return rows.map(({ subject_id }) => subject_id);
    },

    async countWithoutList() {
      const row = await queries
        .selectFrom('watched_subjects')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('state', '=', 'no_list')
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },

    async withoutList(limit) {
      const rows = await queries
        .selectFrom('watched_subjects')
        .select('id')
        .where('state', '=', 'no_list')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}
