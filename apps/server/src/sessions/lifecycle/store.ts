// The SQL of sessions.
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { inGroups } from '../../platform/base/batches.ts';
import type { PersonId, SessionId } from '../../platform/base/ids.ts';
import type { World } from '../../platform/base/world.ts';
import type { Database, Engine, Queries, Transaction } from '../../platform/database/database.ts';
import { holdRows } from '../../platform/database/hold-rows.ts';
import { prepareWrite } from '../../platform/database/prepare-query.ts';
import type { Schema } from '../../platform/database/schema.ts';
import type { SessionKind } from './kinds.ts';
import {
  END_STATES,
  type EndState,
  isOpen,
  OPEN_STATES,
  type OpenState,
  type SessionState,
  statesBefore,
} from './rules.ts';

export type SessionRow = Schema['sessions'];
export type ExpiredSession = Pick<SessionRow, 'id' | 'expires_at'>;

type MarkedSession = Pick<SessionRow, 'id' | 'created_at'>;

export interface SessionFilter {
  kind?: SessionKind | undefined;
  state?: SessionState | undefined;
  world?: World | undefined;
  apiKeyId?: string | undefined;
  /** Creation time, from `from` up to but excluding `until` */
  from?: number | undefined;
  until?: number | undefined;
  idPrefix?: string | undefined;
  marks: readonly Uint8Array[];
  before?: Pick<SessionRow, 'created_at' | 'id'> | undefined;
  limit: number;
}

type EndColumns = Pick<SessionRow, 'id' | 'purge_at' | 'outcome' | 'person_id'> & { ended_at: number };
type StoredEnd = EndColumns & { state: EndState };

const ENDS = Object.values(END_STATES);

const IDS_PER_STATEMENT = 2_000;

export function createSessionStore({ queries, prepareOne, engine }: Database) {
  const findByLookup = prepareOne((lookup: Uint8Array) =>
    queries.selectFrom('sessions').selectAll().where('token_lookup', '=', lookup),
  );
  const find = prepareOne((id: SessionId) => queries.selectFrom('sessions').selectAll().where('id', '=', id));
  const insert = prepareWrite((row: SessionRow) => queries.insertInto('sessions').values(row));
  const insertMarks = prepareWrite(
    ({ created_at, id: session_id, ...marks }: MarkedSession & Record<string, unknown>) =>
      queries
        .insertInto('session_marks')
        .values(Object.values(marks).map((mark) => ({ mark: mark as Uint8Array, created_at, session_id }))),
  );
  const moveTo = mapStates(OPEN_STATES, (to) =>
    prepareWrite(({ id, now }: { id: SessionId; now: number }) =>
      guardedUpdate(queries, id, to, now).set({ state: to }),
    ),
  );
  const endAs = mapStates(ENDS, (to) =>
    prepareWrite(({ id, ended_at, ...columns }: EndColumns) =>
      guardedUpdate(queries, id, to, ended_at).set({ state: to, end_state: to, ended_at, ...columns }),
    ),
  );

  return {
    findByLookup,
    find,
    list: (filter: SessionFilter, now: number) => selectList(queries, filter, now).execute(),
    listOverdue: (kinds: readonly SessionKind[], now: number, after: ExpiredSession | undefined, limit: number) =>
      selectOverdue(queries, kinds, now, after).limit(limit).execute(),

    insert,

    async mark(trx: Transaction, { id, created_at }: MarkedSession, marks: readonly Uint8Array[]) {
      if (marks.length === 0) return;
      await insertMarks(trx, { id, created_at, ...Object.fromEntries(marks.map((mark, nth) => [`mark${nth}`, mark])) });
    },

    move: async (trx: Transaction, id: SessionId, to: OpenState, now: number) =>
      (await moveTo[to](trx, { id, now })).changed > 0,

    /** Returns false if no session in a `from` state is there. Expired ones can only expire. */
    async end(trx: Transaction, { state, ...columns }: StoredEnd, from?: readonly OpenState[]) {
      if (!from) return (await endAs[state](trx, columns)).changed > 0;
      const { id, ...end } = columns;
      const update = guardedUpdate(trx, id, state, columns.ended_at, from);
      const result = await update.set({ state, end_state: state, ...end }).executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    deleteKeptLongEnough(trx: Transaction, now: number, limit: number) {
      const due = trx.selectFrom('sessions').select('id').where('purge_at', 'is not', null);
      return deleteInOrder(engine, trx, due.where('purge_at', '<=', now).limit(limit));
    },

    deleteOfPerson: (trx: Transaction, personId: PersonId) =>
      deleteInOrder(engine, trx, trx.selectFrom('sessions').select('id').where('person_id', '=', personId)),

    async delete(trx: Transaction, id: SessionId) {
      await deleteMarks(trx, [id]);
      const result = await trx.deleteFrom('sessions').where('id', '=', id).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },

    async deleteOpen(trx: Transaction, id: SessionId) {
      const open = trx.deleteFrom('sessions').where('id', '=', id).where('ended_at', 'is', null);
      if ((await open.executeTakeFirst()).numDeletedRows === 0n) return false;
      await deleteMarks(trx, [id]);
      return true;
    },
  };
}

export type SessionStore = ReturnType<typeof createSessionStore>;

/** Locks rows in one order, so that concurrent deletions do not deadlock. */
async function deleteInOrder(
  engine: Engine,
  trx: Transaction,
  chosen: SelectQueryBuilder<Schema, 'sessions', { id: SessionId }>,
): Promise<SessionId[]> {
  const rows = await holdRows(engine, chosen.orderBy('purge_at').orderBy('id')).execute();
  const ids = rows.map(({ id }) => id);
  for (const group of inGroups(ids, IDS_PER_STATEMENT)) {
    await trx.deleteFrom('sessions').where('id', 'in', group).execute();
    await deleteMarks(trx, group);
  }
  return ids;
}

async function deleteMarks(trx: Transaction, ids: readonly SessionId[]): Promise<void> {
  await trx.deleteFrom('session_marks').where('session_id', 'in', ids).execute();
}

function selectOverdue(
  queries: Queries,
  kinds: readonly SessionKind[],
  now: number,
  after: ExpiredSession = { expires_at: Number.MIN_SAFE_INTEGER, id: '' as SessionId },
) {
  return (
    queries
      .selectFrom('sessions')
      .selectAll()
      .where('ended_at', 'is', null)
      .where('expires_at', '<=', now)
      // Hidden from SQLite's planner, which would otherwise read every session of the kind.
      .where(sql<SessionKind>`coalesce(${sql.ref('kind')}, '')`, 'in', kinds)
      .where(({ eb, refTuple, tuple }) => eb(refTuple('expires_at', 'id'), '>', tuple(after.expires_at, after.id)))
      .orderBy('expires_at')
      .orderBy('id')
  );
}

/** Uses the index of the first mark, or else of the key, kind, world, state or creation. */
function selectList(queries: Queries, filter: SessionFilter, now: number) {
  const { kind, state, world, apiKeyId, idPrefix, from, until, marks, before, limit } = filter;
  const [first, ...others] = marks;
  let query = queries
    .selectFrom('sessions')
    .selectAll('sessions')
    .where(({ eb, or }) => or([eb('purge_at', 'is', null), eb('purge_at', '>', now)]));
  if (kind) query = query.where('kind', '=', kind);
  if (world) query = query.where('world', '=', world);
  if (apiKeyId !== undefined) query = query.where('api_key_id', '=', apiKeyId);
  if (idPrefix !== undefined) {
    // `~` sorts after every character of an id.
    query = query.where(sql<boolean>`${sql.ref('sessions.id')} >= ${idPrefix}`);
    query = query.where(sql<boolean>`${sql.ref('sessions.id')} < ${`${idPrefix}~`}`);
  }
  const isOfOpen = state !== undefined && isOpen(state);
  // The redundant second condition lets the index of open sessions be used.
  if (isOfOpen) query = query.where('state', '=', state).where('ended_at', 'is', null);
  else if (state) query = query.where('end_state', '=', state);
  // Few rows match, so they are sorted. SQLite would scan all sessions by the plain column.
  const time =
    isOfOpen || idPrefix !== undefined ? sql`+${sql.ref('sessions.created_at')}` : sql.ref('sessions.created_at');
  if (first === undefined) return inOrder(query, time, sql.ref('sessions.id'));
  let marked = query
    .innerJoin('session_marks', 'session_marks.session_id', 'sessions.id')
    .where('session_marks.mark', '=', first);
  for (const mark of others) {
    // One index lookup per mark. PostgreSQL would join a plain `exists` and read all of the mark.
    marked = marked.where(
      ({ selectFrom }) =>
        selectFrom('session_marks as also')
          .select('also.session_id')
          .where('also.mark', '=', mark)
          .whereRef('also.created_at', '=', 'session_marks.created_at')
          .whereRef('also.session_id', '=', 'session_marks.session_id')
          .limit(1),
      'is not',
      null,
    );
  }
  if (apiKeyId !== undefined) {
    // Also one lookup. With `=` PostgreSQL picks another index and fetches every session.
    marked = marked.where('session_marks.session_id', '=', ({ selectFrom }) =>
      selectFrom('sessions as of_key')
        .select('of_key.id')
        .where('of_key.api_key_id', '=', apiKeyId)
        .where(({ eb, refTuple }) =>
          eb(
            refTuple('of_key.created_at', 'of_key.id'),
            '>=',
            refTuple('session_marks.created_at', 'session_marks.session_id'),
          ),
        )
        .orderBy('of_key.created_at')
        .orderBy('of_key.id')
        .limit(1),
    );
  }
  return inOrder(
    marked as unknown as typeof query,
    sql.ref('session_marks.created_at'),
    sql.ref('session_marks.session_id'),
  );

  /** Sorts the newest first by columns of the index in use. Both tables have them. */
  function inOrder(list: typeof query, time: RawBuilder<unknown>, id: RawBuilder<unknown>) {
    let ordered = list;
    if (from !== undefined) ordered = ordered.where(sql<boolean>`${time} >= ${from}`);
    if (until !== undefined) ordered = ordered.where(sql<boolean>`${time} < ${until}`);
    if (before) ordered = ordered.where(sql<boolean>`(${time}, ${id}) < (${before.created_at}, ${before.id})`);
    return ordered.orderBy(sql`${time} desc, ${id} desc`).limit(limit);
  }
}

/** Updates only a session in a `from` state. A concurrent second update matches no row. */
function guardedUpdate(
  queries: Queries,
  id: SessionId,
  to: OpenState | EndState,
  now: number,
  from: readonly SessionState[] = statesBefore(to),
) {
  const update = queries.updateTable('sessions').where('id', '=', id).where('state', 'in', from);
  return to === 'expired' ? update : update.where('expires_at', '>', now);
}

/** Prepares one statement per target state, because its text names the states before. */
function mapStates<State extends string, T>(states: readonly State[], make: (state: State) => T): Record<State, T> {
  return Object.fromEntries(states.map((state) => [state, make(state)])) as Record<State, T>;
}
