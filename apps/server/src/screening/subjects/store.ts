// The SQL of watched subjects, their hits and alerts.
import type { WatchedSubjectCount } from '@limen/contract';
import { sql } from 'kysely';
import { type Owner, ownerColumns } from '../../platform/api-keys/owner.ts';
import { type CustomerId, firstIdAt, type WatchedSubjectId } from '../../platform/base/ids.ts';
import type { World } from '../../platform/base/world.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { holdRows } from '../../platform/database/hold-rows.ts';
import type { AlertRow, HitRow, SubjectRow } from './contents.ts';

export interface RowPage {
  customer?: CustomerId | undefined;
  world?: World | undefined;
  /** Id of the last row of the page before. */
  before?: string | undefined;
  limit: number;
}

export type SubjectFilter = { state?: SubjectRow['state'] | undefined; hits?: SubjectRow['hit_state'] | undefined };

export interface AlertFilter {
  subjectId?: string | undefined;
  kinds?: readonly AlertRow['kind'][] | undefined;
  since?: number | undefined;
}

export type ScreenedNote = Pick<SubjectRow, 'state' | 'screened_at' | 'engine' | 'more_hits'>;

export class WatchStore {
  readonly #queries: Database['queries'];
  readonly #engine: Database['engine'];

  constructor({ queries, engine }: Pick<Database, 'queries' | 'engine'>) {
    this.#queries = queries;
    this.#engine = engine;
  }

  /** Skips references that exist. Returns the rows that were added. */
  async insertAll(trx: Transaction, rows: SubjectRow[]): Promise<SubjectRow[]> {
    const result = await trx
      .insertInto('watched_subjects')
      .values(rows)
      .onConflict((conflict) => conflict.column('reference_digest').doNothing())
      .executeTakeFirst();
    if (Number(result.numInsertedOrUpdatedRows) === rows.length) return rows;
    const ids = rows.map(({ id }) => id);
    const added = await trx.selectFrom('watched_subjects').select('id').where('id', 'in', ids).execute();
    const addedIds = new Set(added.map(({ id }) => id));
    return rows.filter(({ id }) => addedIds.has(id));
  }

  /** Locks the rows until the transaction ends, in the order of their ids against deadlocks. */
  holdByReferences(trx: Transaction, digests: readonly Uint8Array[]): Promise<SubjectRow[]> {
    const rows = trx.selectFrom('watched_subjects').selectAll().where('reference_digest', 'in', digests).orderBy('id');
    return holdRows(this.#engine, rows).execute();
  }

  /** Locks like `holdByReferences`. */
  holdAll(trx: Transaction, ids: readonly WatchedSubjectId[]): Promise<SubjectRow[]> {
    const rows = trx.selectFrom('watched_subjects').selectAll().where('id', 'in', ids).orderBy('id');
    return holdRows(this.#engine, rows).execute();
  }

  /** The subjects must be locked. */
  async noteScreened(trx: Transaction, ids: readonly WatchedSubjectId[], note: ScreenedNote): Promise<void> {
    if (ids.length === 0) return;
    await trx
      .updateTable('watched_subjects')
      .set(({ eb }) => ({ ...note, revision: eb('revision', '+', 1) }))
      .where('id', 'in', ids)
      .execute();
  }

  async update(trx: Transaction, id: WatchedSubjectId, values: Partial<SubjectRow>): Promise<void> {
    await trx.updateTable('watched_subjects').set(values).where('id', '=', id).execute();
  }

  /** Newest first. */
  async findByReferences(digests: readonly Uint8Array[]): Promise<SubjectRow[]> {
    if (digests.length === 0) return [];
    const rows = this.#queries.selectFrom('watched_subjects').selectAll();
    return rows.where('reference_digest', 'in', digests).orderBy('id', 'desc').execute();
  }

  findOwn(owner: Owner, id: string, trx?: Transaction): Promise<SubjectRow | undefined> {
    return (trx ?? this.#queries)
      .selectFrom('watched_subjects')
      .selectAll()
      .where(({ and }) => and(ownerColumns(owner)))
      .where(sql.ref('id'), '=', id)
      .executeTakeFirst();
  }

  /** In the order of their ids. */
  async findMany(ids: readonly string[]): Promise<SubjectRow[]> {
    if (ids.length === 0) return [];
    const rows = this.#queries.selectFrom('watched_subjects').selectAll().where(sql.ref('id'), 'in', ids);
    return rows.orderBy('id').execute();
  }

  /** Newest first. */
  list({ customer, world, before, limit, state, hits }: RowPage & SubjectFilter): Promise<SubjectRow[]> {
    let query = this.#queries.selectFrom('watched_subjects').selectAll();
    if (customer !== undefined) query = query.where('customer', '=', customer);
    if (world !== undefined) query = query.where('world', '=', world);
    // A literal, because SQLite uses the partial index of due subjects only if it sees the value.
    if (state !== undefined) query = query.where('state', '=', sql.lit(state));
    if (hits !== undefined) query = query.where('hit_state', '=', hits);
    if (before !== undefined) query = query.where(sql.ref('id'), '<', before);
    return query.orderBy('id', 'desc').limit(limit).execute();
  }

  async count(owner: Owner, engine: number): Promise<WatchedSubjectCount> {
    const rows = await this.#queries
      .selectFrom('watched_subjects')
      .select(({ fn }) => ['state', 'engine', fn.countAll<number>().as('count')])
      .where(({ and }) => and(ownerColumns(owner)))
      .groupBy(['state', 'engine'])
      .execute();
    const progress: WatchedSubjectCount = { total: 0, due: 0, withoutList: 0, outdated: 0 };
    for (const { state, engine: last, count } of rows) {
      progress.total += Number(count);
      if (state === 'due') progress.due += Number(count);
      else if (state === 'no_list') progress.withoutList += Number(count);
      else if (Number(last) < engine) progress.outdated += Number(count);
    }
    return progress;
  }

  async countHits(ids: readonly WatchedSubjectId[], trx?: Transaction): Promise<Map<WatchedSubjectId, number>> {
    if (ids.length === 0) return new Map();
    const rows = await (trx ?? this.#queries)
      .selectFrom('watched_hits')
      .select(({ fn }) => ['subject_id', fn.countAll<number>().as('count')])
      .where('subject_id', 'in', ids)
      .groupBy('subject_id')
      .execute();
    return new Map(rows.map(({ subject_id, count }) => [subject_id, Number(count)]));
  }

  /** Deletes a subject with its hits and alerts. Returns false if there is none. */
  async delete(trx: Transaction, owner: Owner, id: string): Promise<boolean> {
    // Its row comes first: a process that writes hits for it waits, and then finds no row.
    const result = await trx
      .deleteFrom('watched_subjects')
      .where(({ and }) => and(ownerColumns(owner)))
      .where(sql.ref('id'), '=', id)
      .executeTakeFirst();
    if (result.numDeletedRows === 0n) return false;
    await trx.deleteFrom('watched_hits').where(sql.ref('subject_id'), '=', id).execute();
    await trx.deleteFrom('screening_alerts').where(sql.ref('subject_id'), '=', id).execute();
    return true;
  }

  async hitsOf(subjects: readonly WatchedSubjectId[], trx?: Transaction): Promise<HitRow[]> {
    if (subjects.length === 0) return [];
    const rows = (trx ?? this.#queries).selectFrom('watched_hits').selectAll();
    return rows.where('subject_id', 'in', subjects).execute();
  }

  async findHits(ids: readonly string[]): Promise<HitRow[]> {
    if (ids.length === 0) return [];
    return this.#queries.selectFrom('watched_hits').selectAll().where('id', 'in', ids).execute();
  }

  async writeHit(trx: Transaction, row: HitRow): Promise<void> {
    const { id: _, ...values } = row;
    await trx
      .insertInto('watched_hits')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
      .execute();
    await noteHits(trx, row.subject_id);
  }

  async removeHit(trx: Transaction, { id, subject_id }: Pick<HitRow, 'id' | 'subject_id'>): Promise<void> {
    await trx.deleteFrom('watched_hits').where('id', '=', id).execute();
    await noteHits(trx, subject_id);
  }

  async insertAlert(trx: Transaction, row: AlertRow): Promise<void> {
    await trx.insertInto('screening_alerts').values(row).execute();
  }

  /** Newest first. */
  listAlerts(page: RowPage & AlertFilter): Promise<AlertRow[]> {
    const { customer, world, before, limit, subjectId, kinds, since } = page;
    let query = this.#queries.selectFrom('screening_alerts').selectAll();
    if (customer !== undefined) query = query.where('customer', '=', customer);
    if (world !== undefined) query = query.where('world', '=', world);
    if (kinds !== undefined) query = query.where('kind', 'in', kinds);
    // Ids begin with their time, so older rows are not even read.
    if (since !== undefined) query = query.where('id', '>=', firstIdAt(since)).where('created_at', '>=', since);
    if (subjectId !== undefined) query = query.where(sql.ref('subject_id'), '=', subjectId);
    if (before !== undefined) query = query.where('id', '<', before);
    return query.orderBy('id', 'desc').limit(limit).execute();
  }

  /** Counts all records of a subject, decisions included, and returns the last id. */
  async sizeOfHistory(subject: WatchedSubjectId): Promise<{ count: number; last: string | undefined }> {
    const row = await this.#queries
      .selectFrom('screening_alerts')
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('id').as('last')])
      .where('subject_id', '=', subject)
      .executeTakeFirst();
    return { count: Number(row?.count ?? 0), last: row?.last ?? undefined };
  }

  /** Oldest first, after the id `after` and up to `last`. */
  historyBetween(subject: WatchedSubjectId, after: string, last: string, limit: number): Promise<AlertRow[]> {
    return this.#queries
      .selectFrom('screening_alerts')
      .selectAll()
      .where('subject_id', '=', subject)
      .where('id', '>', after)
      .where('id', '<=', last)
      .orderBy('id')
      .limit(limit)
      .execute();
  }
}

/** Updates the state of a subject's hits, by which subjects are listed. */
async function noteHits(trx: Transaction, subject: WatchedSubjectId): Promise<void> {
  const ofSubject = sql`select 1 from watched_hits where subject_id = ${subject}`;
  await sql`update watched_subjects set hit_state = case
      when exists (${ofSubject} and is_open = 1) then 'open'
      when exists (${ofSubject}) then 'decided'
      else 'none' end
    where id = ${subject}`.execute(trx);
}
