// The SQL that finds, counts and deletes cases.
import type { OperatorId, PersonId, SessionId, WatchedSubjectId } from '../platform/base/ids.ts';
import type { World } from '../platform/base/world.ts';
import type { Database, Queries, Transaction } from '../platform/database/database.ts';
import { holdRows } from '../platform/database/hold-rows.ts';
import type { Schema } from '../platform/database/schema.ts';
import type { CaseKind, CaseRow, CaseState } from './case.ts';

export interface CaseFilter {
  /** Without a state, all cases that wait for a reviewer */
  state?: CaseState | undefined;
  kind?: CaseKind | undefined;
  world?: World | undefined;
  apiKeyId?: string | undefined;
  assigneeId?: OperatorId | null | undefined;
  dueBefore?: number | undefined;
  after?: Pick<CaseRow, 'due_at' | 'id'> | undefined;
  limit: number;
}

export function createReviewStore({ queries, engine }: Pick<Database, 'queries' | 'engine'>) {
  return {
    ...createCaseDeletions(engine),

    /** Locks the row until the transaction ends. */
    hold: (trx: Transaction, id: string) =>
      holdRows(engine, trx.selectFrom('review_cases').selectAll().where('id', '=', id)).executeTakeFirst(),
    holdOfSession: (trx: Transaction, id: SessionId) => holdRows(engine, ofSession(trx, id)).executeTakeFirst(),
    findOfToken: (trx: Transaction, tokenLookup: Uint8Array) => {
      const found = trx.selectFrom('review_tokens').select('case_id').where('token_lookup', '=', tokenLookup);
      return trx.selectFrom('review_cases').selectAll().where('id', 'in', found).executeTakeFirst();
    },
    async addToken(trx: Transaction, row: Schema['review_tokens']) {
      await trx.insertInto('review_tokens').values(row).execute();
    },
    async listSessionsWithCase(trx: Transaction, ids: readonly SessionId[]) {
      if (ids.length === 0) return [];
      const found = trx.selectFrom('review_cases').select('about').where('about', 'in', ids);
      return (await found.where('kind', '=', 'session').execute()).map(({ about }) => about as SessionId);
    },
    holdOfHit: (trx: Transaction, hitId: string) =>
      holdRows(engine, trx.selectFrom('review_cases').selectAll().where('hit_id', '=', hitId)).executeTakeFirst(),
    find: (id: string) => queries.selectFrom('review_cases').selectAll().where('id', '=', id).executeTakeFirst(),
    findOfHit: (hitId: string) =>
      queries.selectFrom('review_cases').selectAll().where('hit_id', '=', hitId).executeTakeFirst(),
    findOfSession: (id: SessionId, db: Queries = queries) => ofSession(db, id).executeTakeFirst(),

    /** Sorts by due time; decided cases come latest first. */
    list({ state, limit, ...filter }: CaseFilter) {
      if (state !== undefined) return listOf(state, limit, filter).execute();
      // One statement reads both states in the order of their indexes, so a case that changes its state is not missed.
      const part = (waiting: CaseState) => queries.selectFrom(listOf(waiting, limit, filter).as(waiting)).selectAll();
      const both = queries.selectFrom(part('open').unionAll(part('proposed')).as('waiting')).selectAll();
      return both.orderBy('due_at').orderBy('id').limit(limit).execute();
    },

    /** Counts each state no further than `upTo`, so that a long queue costs no more than a short one. */
    async count(now: number, upTo?: number) {
      // Overdue cases come first, so that one walk along the index counts both.
      const counted = (state: CaseState) => {
        let rows = queries.selectFrom('review_cases').select('due_at').where('state', '=', state).orderBy('due_at');
        if (upTo !== undefined) rows = rows.limit(upTo);
        return queries
          .selectFrom(rows.as(state))
          .select(({ fn, eb }) => [
            eb.val(state).as('state'),
            fn.countAll<number | bigint>().as('waiting'),
            fn.count<number | bigint>(eb.case().when('due_at', '<', now).then(1).end()).as('late'),
          ]);
      };
      const rows = await counted('open').unionAll(counted('proposed')).execute();
      const of = (state: CaseState) => rows.find((row) => row.state === state)!;
      const overdue = Number(of('open').late) + Number(of('proposed').late);
      return {
        open: Number(of('open').waiting),
        proposed: Number(of('proposed').waiting),
        overdue: Math.min(overdue, upTo ?? overdue),
      };
    },
  };

  function ofSession(db: Queries, id: SessionId) {
    return db.selectFrom('review_cases').selectAll().where('about', '=', id).where('kind', '=', 'session');
  }

  function listOf(
    state: CaseState,
    limit: number,
    { kind, world, apiKeyId, assigneeId, dueBefore, after }: Omit<CaseFilter, 'state' | 'limit'>,
  ) {
    let query = queries.selectFrom('review_cases').selectAll().where('state', '=', state);
    if (kind) query = query.where('kind', '=', kind);
    if (world) query = query.where('world', '=', world);
    if (apiKeyId !== undefined) query = query.where('api_key_id', '=', apiKeyId);
    if (assigneeId === null) query = query.where('assignee_id', 'is', null);
    else if (assigneeId !== undefined) query = query.where('assignee_id', '=', assigneeId);
    if (dueBefore !== undefined) query = query.where('due_at', '<', dueBefore);
    const isBackwards = state === 'decided';
    if (after) {
      const further = isBackwards ? '<' : '>';
      query = query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('due_at', 'id'), further, tuple(after.due_at, after.id)),
      );
    }
    const order = isBackwards ? 'desc' : 'asc';
    return query.orderBy('due_at', order).orderBy('id', order).limit(limit);
  }
}

function createCaseDeletions(engine: Database['engine']) {
  return {
    async delete(trx: Transaction, id: string) {
      await trx.deleteFrom('review_cases').where('id', '=', id).execute();
    },
    async deleteOf(trx: Transaction, about: SessionId | WatchedSubjectId) {
      await trx.deleteFrom('review_cases').where('about', '=', about).execute();
    },
    async deleteOfPerson(trx: Transaction, personId: PersonId) {
      const gone = trx.deleteFrom('review_cases').where('person_id', '=', personId).returning('about');
      return (await gone.execute()).map(({ about }) => about as SessionId);
    },
    /** Deletes at most `limit` expired cases. Returns their number, and the number of undecided ones. */
    async purge(trx: Transaction, now: number, limit: number) {
      const due = trx.selectFrom('review_cases').select(['id', 'state']).where('purge_at', '<=', now);
      const rows = await holdRows(engine, due.orderBy('purge_at').orderBy('id').limit(limit)).execute();
      if (rows.length === 0) return { gone: 0, undecided: 0 };
      const ids = rows.map(({ id }) => id);
      await trx.deleteFrom('review_cases').where('id', 'in', ids).execute();
      return { gone: rows.length, undecided: rows.filter(({ state }) => state !== 'decided').length };
    },
  };
}

export type ReviewStore = ReturnType<typeof createReviewStore>;
