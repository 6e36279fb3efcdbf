// The SQL of sessions.
import type { SelectQueryBuilder } from 'kysely';
import type { Database, Queries, Transaction } from '../../platform/database/database.ts';
import { holdRows } from '../../platform/database/hold-rows.ts';
import type { Schema } from '../../platform/database/schema.ts';
import type { PersonId, SessionId } from '../../platform/ids.ts';
import type { SessionKind } from './kinds/session-kinds.ts';
import { type EndState, type OpenState, statesBefore } from './rules.ts';

export type SessionRow = Schema['sessions'];
export type ExpiredSession = Pick<SessionRow, 'id' | 'expires_at'>;

interface SessionEnd {
  id: SessionId;
  state: EndState;
  /** Any that may come before unless given. */
  from?: OpenState | undefined;
  endedAt: number;
  purgeAt: number;
  outcome: Uint8Array;
  /** Whom it was about. */
  personId: PersonId | null;
}

export interface SessionStore {
  insert(trx: Transaction, row: SessionRow): Promise<void>;
  findByLookup(lookup: Uint8Array): Promise<SessionRow | undefined>;
  find(id: SessionId): Promise<SessionRow | undefined>;
  /** False when the session is past its time or not in a state that `to` may follow. */
  move(id: SessionId, to: OpenState, now: number, trx?: Transaction): Promise<boolean>;
  /** False when another ended it first, when it is gone, and when it is past its time and shall not just expire. */
  end(trx: Transaction, end: SessionEnd): Promise<boolean>;
  /** Open sessions of these kinds that are past their time, after the given one, longest overdue first. */
  listOverdue(
    kinds: readonly SessionKind[],
    now: number,
    after: ExpiredSession | undefined,
    limit: number,
  ): Promise<SessionRow[]>;
  /** Deletes ended sessions that are past their retention, at most `limit`, and says which. */
  deleteKeptLongEnough(trx: Transaction, now: number, limit: number): Promise<SessionId[]>;
  /** Deletes the sessions that were about this person and says which. */
  deleteOfPerson(trx: Transaction, personId: PersonId): Promise<SessionId[]>;
  delete(trx: Transaction, id: SessionId): Promise<boolean>;
  /** Deletes a session unless it has ended. */
  deleteOpen(trx: Transaction, id: SessionId): Promise<boolean>;
}

/** Databases bound the parameters of a statement. */
const IDS_PER_STATEMENT = 2_000;

export function createSessionStore({ queries, prepare, engine }: Database): SessionStore {
  // Every call of a host or a device asks one of these.
  const findByLookup = prepare((lookup: Uint8Array) =>
    queries.selectFrom('sessions').selectAll().where('token_lookup', '=', lookup),
  );
  const find = prepare((id: SessionId) => queries.selectFrom('sessions').selectAll().where('id', '=', id));

  return {
    async insert(trx, row) {
      await trx.insertInto('sessions').values(row).execute();
    },

    findByLookup: async (lookup) => (await findByLookup(lookup))[0],
    find: async (id) => (await find(id))[0],

    async move(id, to, now, trx) {
      const result = await guardedUpdate(trx ?? queries, id, to, now)
        .set({ state: to })
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    async end(trx, { id, state, from, endedAt, purgeAt, outcome, personId }) {
      const update = guardedUpdate(trx, id, state, endedAt);
      const result = await (from ? update.where('state', '=', from) : update)
        .set({ state, ended_at: endedAt, purge_at: purgeAt, outcome, person_id: personId })
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    listOverdue(kinds, now, after, limit) {
      let query = queries
        .selectFrom('sessions')
        .selectAll()
        .where('ended_at', 'is', null)
        .where('expires_at', '<=', now)
        .where('kind', 'in', kinds);
      if (after) {
        query = query.where(({ eb, or, and }) =>
          or([
            eb('expires_at', '>', after.expires_at),
            and([eb('expires_at', '=', after.expires_at), eb('id', '>', after.id)]),
          ]),
        );
      }
      return query.orderBy('expires_at').orderBy('id').limit(limit).execute();
    },

    async deleteKeptLongEnough(trx, now, limit) {
      const due = trx
        .selectFrom('sessions')
        .select('id')
        .where('purge_at', 'is not', null)
        .where('purge_at', '<=', now);
      return deleteInOrder(trx, due.orderBy('purge_at').orderBy('id').limit(limit));
    },

    deleteOfPerson: (trx, personId) =>
      deleteInOrder(
        trx,
        trx.selectFrom('sessions').select('id').where('person_id', '=', personId).orderBy('purge_at').orderBy('id'),
      ),

    async delete(trx, id) {
      const result = await trx.deleteFrom('sessions').where('id', '=', id).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },

    async deleteOpen(trx, id) {
      const open = trx.deleteFrom('sessions').where('id', '=', id).where('ended_at', 'is', null);
      return (await open.executeTakeFirst()).numDeletedRows > 0n;
    },
  };

  /** Two that delete several at once lock them in the same order, so that neither waits for the other for ever. */
  async function deleteInOrder(
    trx: Transaction,
    chosen: SelectQueryBuilder<Schema, 'sessions', { id: SessionId }>,
  ): Promise<SessionId[]> {
    const rows = await holdRows(engine, chosen).execute();
    const ids = rows.map(({ id }) => id);
    for (let at = 0; at < ids.length; at += IDS_PER_STATEMENT) {
      await trx
        .deleteFrom('sessions')
        .where('id', 'in', ids.slice(at, at + IDS_PER_STATEMENT))
        .execute();
    }
    return ids;
  }
}

/** The database itself refuses a transition that the table does not have; of two at once the second finds no row. */
function guardedUpdate(queries: Queries, id: SessionId, to: OpenState | EndState, now: number) {
  const update = queries.updateTable('sessions').where('id', '=', id).where('state', 'in', statesBefore(to));
  return to === 'expired' ? update : update.where('expires_at', '>', now);
}
