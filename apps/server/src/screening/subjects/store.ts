// The SQL of watched subjects, their hits and alerts.
import { ALERT_KINDS, type WatchedSubjectCount } from '@limen/contract';
import { sql } from 'kysely';
import { columnsOf, type Owner } from '../../platform/api-keys/owner.ts';
import { firstIdAt, type WatchedSubjectId } from '../../platform/base/ids.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { holdRows } from '../../platform/database/hold-rows.ts';
import type { AlertRow, HitRow, SubjectRow } from './contents.ts';

interface RecordListStart {
  owner: Owner;
  /** Only older ones than this. */
  before: string | undefined;
  limit: number;
}

export interface SubjectFilter {
  state?: SubjectRow['state'] | undefined;
  hits?: SubjectRow['hit_state'] | undefined;
}

export interface AlertFilter {
  subjectId?: string | undefined;
  kind?: AlertRow['kind'] | undefined;
  /** Not before this moment. */
  since?: number | undefined;
}

/** Columns of a subject that are known once its outcome is written */
export type ScreenedNote = Pick<SubjectRow, 'state' | 'screened_at' | 'engine' | 'more_hits'>;

export class WatchStore {
  readonly #queries: Database['queries'];
  readonly #engine: Database['engine'];

  constructor({ queries, engine }: Pick<Database, 'queries' | 'engine'>) {
    this.#queries = queries;
    this.#engine = engine;
  }

  /** Returns the rows whose reference was there already. */
  async insertAll(trx: Transaction, rows: readonly SubjectRow[]): Promise<SubjectRow[]> {
    if (rows.length === 0) return [];
    const result = await trx
      .insertInto('watched_subjects')
      .values(rows)
      .onConflict((conflict) => conflict.column('reference_digest').doNothing())
      .executeTakeFirst();
    if (Number(result.numInsertedOrUpdatedRows) === rows.length) return [];
    const ids = rows.map(({ id }) => id);
    const added = await trx.selectFrom('watched_subjects').select('id').where('id', 'in', ids).execute();
    const there = new Set(added.map(({ id }) => id));
    return rows.filter(({ id }) => !there.has(id));
  }

  /** Locks the row until the transaction ends. */
  holdByReference(trx: Transaction, digest: Uint8Array): Promise<SubjectRow | undefined> {
    return holdRows(
      this.#engine,
      trx.selectFrom('watched_subjects').selectAll().where('reference_digest', '=', digest),
    ).executeTakeFirst();
  }

  /** In the order of their ids, so that two who hold several do not wait for each other. */
  holdAllByReference(trx: Transaction, digests: readonly Uint8Array[]): Promise<SubjectRow[]> {
    return holdRows(
      this.#engine,
      trx.selectFrom('watched_subjects').selectAll().where('reference_digest', 'in', digests).orderBy('id'),
    ).execute();
  }

  hold(trx: Transaction, id: WatchedSubjectId): Promise<SubjectRow | undefined> {
    return holdRows(
      this.#engine,
      trx.selectFrom('watched_subjects').selectAll().where('id', '=', id),
    ).executeTakeFirst();
  }

  /** In the order of their ids. */
  holdAll(trx: Transaction, ids: readonly WatchedSubjectId[]): Promise<SubjectRow[]> {
    return holdRows(
      this.#engine,
      trx.selectFrom('watched_subjects').selectAll().where('id', 'in', ids).orderBy('id'),
    ).execute();
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

  findByReference(digest: Uint8Array): Promise<SubjectRow | undefined> {
    return this.#queries
      .selectFrom('watched_subjects')
      .selectAll()
      .where('reference_digest', '=', digest)
      .executeTakeFirst();
  }

  findOwn(owner: Owner, id: string, trx?: Transaction): Promise<SubjectRow | undefined> {
    return (trx ?? this.#queries)
      .selectFrom('watched_subjects')
      .selectAll()
      .where(({ and }) => and(columnsOf(owner)))
      .where(sql.ref('id'), '=', id)
      .executeTakeFirst();
  }

  async findMany(ids: readonly WatchedSubjectId[]): Promise<SubjectRow[]> {
    return ids.length === 0
      ? []
      : await this.#queries.selectFrom('watched_subjects').selectAll().where('id', 'in', ids).orderBy('id').execute();
  }

  /** Newest first. */
  list({ owner, before, limit, state, hits }: RecordListStart & SubjectFilter): Promise<SubjectRow[]> {
    let query = this.#queries
      .selectFrom('watched_subjects')
      .selectAll()
      .where(({ and }) => and(columnsOf(owner)));
    if (state !== undefined) query = query.where('state', '=', state);
    if (hits !== undefined) query = query.where('hit_state', '=', hits);
    if (before !== undefined) query = query.where(sql.ref('id'), '<', before);
    return query.orderBy('id', 'desc').limit(limit).execute();
  }

  async count(owner: Owner, engine: number): Promise<WatchedSubjectCount> {
    const rows = await this.#queries
      .selectFrom('watched_subjects')
      .select(({ fn }) => ['state', 'engine', fn.countAll<number>().as('count')])
      .where(({ and }) => and(columnsOf(owner)))
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

  async countAll(owner: Owner): Promise<number> {
    const row = await this.#queries
      .selectFrom('watched_subjects')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where(({ and }) => and(columnsOf(owner)))
      .executeTakeFirst();
    return Number(row?.count ?? 0);
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

  /** With its hits and alerts; false where there is none. */
  async delete(trx: Transaction, owner: Owner, id: string): Promise<boolean> {
    // Its row first: a process that is about to write hits for it waits, and then finds no row.
    const result = await trx
      .deleteFrom('watched_subjects')
      .where(({ and }) => and(columnsOf(owner)))
      .where(sql.ref('id'), '=', id)
      .executeTakeFirst();
    if (result.numDeletedRows === 0n) return false;
    await trx.deleteFrom('watched_hits').where(sql.ref('subject_id'), '=', id).execute();
    await trx.deleteFrom('screening_alerts').where(sql.ref('subject_id'), '=', id).execute();
    return true;
  }

  async hitsOf(subjects: readonly WatchedSubjectId[], trx?: Transaction): Promise<HitRow[]> {
    return subjects.length === 0
      ? []
      : await (trx ?? this.#queries)
          .selectFrom('watched_hits')
          .selectAll()
          .where('subject_id', 'in', subjects)
          .execute();
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

  /** Newest first. Decisions and refreshed scores are not among them. */
  listAlerts({ owner, before, limit, subjectId, kind, since }: RecordListStart & AlertFilter): Promise<AlertRow[]> {
    let query = this.#queries
      .selectFrom('screening_alerts')
      .selectAll()
      .where(({ and }) => and(columnsOf(owner)))
      .where('kind', 'in', kind === undefined ? ALERT_KINDS : [kind]);
    // An id begins with its time, so that what is older is not even read.
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

  /** Oldest first, after the first id and up to the last. */
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

/** Says on the subject itself what its hits are, so that it can be listed by that. */
async function noteHits(trx: Transaction, subject: WatchedSubjectId): Promise<void> {
  const ofSubject = sql`select 1 from watched_hits where subject_id = ${subject}`;
  await sql`update watched_subjects set hit_state = case
      when exists (${ofSubject} and is_open = 1) then 'open'
      when exists (${ofSubject}) then 'decided'
      else 'none' end
    where id = ${subject}`.execute(trx);
}
