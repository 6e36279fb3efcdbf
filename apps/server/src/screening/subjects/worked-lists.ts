// The SQL of the lists that subjects have been screened against, and of the subjects that a change may concern.
import { type SelectQueryBuilder, sql } from 'kysely';
import { inGroups } from '../../platform/base/batches.ts';
import type { WatchedSubjectId } from '../../platform/base/ids.ts';
import type { World } from '../../platform/base/world.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Schema } from '../../platform/database/schema.ts';
import type { SubjectRow } from './contents.ts';

const KEYS_PER_QUERY = 500;
/** Keeps sums over millions of rows within the range of the database: about three years. */
const SUMMED_MS = 100_000_000_000;

export type WorkedList = Schema['watched_lists'];

export type OutdatedSubject = Pick<SubjectRow, 'id' | 'engine'>;

export class WorkedLists {
  readonly #queries: Database['queries'];
  readonly #engine: Database['engine'];

  constructor({ queries, engine }: Pick<Database, 'queries' | 'engine'>) {
    this.#queries = queries;
    this.#engine = engine;
  }

  all(): Promise<WorkedList[]> {
    return this.#queries.selectFrom('watched_lists').selectAll().execute();
  }

  /** Locks the rows against changes until the transaction ends. */
  hold(trx: Transaction): Promise<WorkedList[]> {
    const query = trx.selectFrom('watched_lists').selectAll().orderBy('name');
    return (this.#engine === 'postgres' ? query.forShare() : query).execute();
  }

  async noteSeen(names: readonly string[], at: number): Promise<void> {
    if (names.length > 0)
      await this.#queries.updateTable('watched_lists').set({ seen_at: at }).where('name', 'in', names).execute();
  }

  async record(trx: Transaction, { name, ...values }: WorkedList): Promise<void> {
    await trx
      .insertInto('watched_lists')
      .values({ name, ...values })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
      .execute();
  }

  async forget(trx: Transaction, name: string): Promise<void> {
    await trx.deleteFrom('watched_lists').where('name', '=', name).execute();
  }

  /** Ordered by id, after `after`. */
  versionsAfter(after: string, limit: number, world?: World): Promise<Pick<SubjectRow, 'id' | 'changed_at'>[]> {
    let query = this.#subjects()
      .select(['id', 'changed_at'])
      .where('id', '>', after as WatchedSubjectId);
    if (world !== undefined) query = query.where('world', '=', world);
    return query.orderBy('id').limit(limit).execute();
  }

  inTestWorld(ids: readonly WatchedSubjectId[]): Promise<Set<WatchedSubjectId>> {
    const rows = this.#subjects().select('id').where('world', '=', 'test');
    return collectIds(ids, (group) => rows.where('id', 'in', group).execute());
  }

  countSubjects(): Promise<number> {
    return countRows(this.#subjects());
  }

  /** Subjects that an older engine screened last, ordered by engine and id, after the subject `after`. */
  outdatedAfter(
    engine: number,
    world: World,
    after: OutdatedSubject | undefined,
    limit: number,
  ): Promise<OutdatedSubject[]> {
    let query = this.#subjects()
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
  }

  countOutdated(engine: number): Promise<number> {
    return countRows(this.#subjects().where('state', '=', 'screened').where('engine', '<', engine));
  }

  /** Returns a sum that differs as soon as a subject is added, changed or deleted. */
  async sumOfVersions(): Promise<string> {
    const row = await this.#subjects()
      .select(({ fn }) => [
        fn.countAll<number>().as('count'),
        // A change makes `changed_at` later. The text keeps the sum exact in JavaScript.
        sql<string>`cast(sum(changed_at % ${sql.lit(SUMMED_MS)}) as text)`.as('sum'),
        // Ids only grow, which distinguishes a deletion from an addition in the same millisecond.
        sql<string>`max(cast(id as text))`.as('newest'),
      ])
      .executeTakeFirst();
    return `${row?.count} ${row?.sum} ${row?.newest}`;
  }

  /** Returns subjects with a hit on any of these entities, given by their digests. */
  subjectsWithHitsOn(entities: readonly Uint8Array[]): Promise<Set<WatchedSubjectId>> {
    const hits = this.#queries.selectFrom('watched_hits').select('subject_id as id').distinct();
    return collectIds(entities, (group) => hits.where('entity_digest', 'in', group).execute());
  }

  countWithoutList(): Promise<number> {
    return countRows(this.#subjects().where('state', '=', 'no_list'));
  }

  async withoutList(limit: number): Promise<WatchedSubjectId[]> {
    const rows = await this.#subjects().select('id').where('state', '=', 'no_list').limit(limit).execute();
    return rows.map(({ id }) => id);
  }

  #subjects() {
    return this.#queries.selectFrom('watched_subjects');
  }
}

async function countRows(query: SelectQueryBuilder<Schema, 'watched_subjects', object>): Promise<number> {
  const row = await query.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirst();
  return Number(row?.count ?? 0);
}

async function collectIds<Key>(keys: readonly Key[], find: (group: Key[]) => Promise<Pick<SubjectRow, 'id'>[]>) {
  const ids = new Set<WatchedSubjectId>();
  for (const group of inGroups(keys, KEYS_PER_QUERY)) for (const { id } of await find(group)) ids.add(id);
  return ids;
}
