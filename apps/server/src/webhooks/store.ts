// The SQL of webhook deliveries.
import { sql } from 'kysely';
import { columnsOf, type Owner } from '../platform/api-keys/owner.ts';
import type { SessionId } from '../platform/base/ids.ts';
import type { Database, Queries, Transaction } from '../platform/database/database.ts';
import { prepareWrite } from '../platform/database/prepare-query.ts';
import type { Schema } from '../platform/database/schema.ts';

export type DeliveryRow = Schema['webhook_deliveries'];
/** A delivery without what it sends. */
export type DeliveryRecord = Omit<DeliveryRow, 'sealed'> & { hasBody: boolean };

interface ListStart {
  owner: Owner;
  /** Only older ones than this. */
  before: string | undefined;
  sessionId: SessionId | undefined;
  state: DeliveryRow['state'] | undefined;
  limit: number;
}

type Progress = Pick<DeliveryRow, 'state' | 'attempts' | 'next_attempt_at' | 'last_status' | 'last_error'> &
  Pick<DeliveryRow, 'last_attempt_at' | 'ended_at' | 'sealed' | 'tries'>;

export const RECORD_COLUMNS = [
  'id',
  'customer',
  'world',
  'api_key_id',
  'session_id',
  'target',
  'state',
  'round',
  'attempts',
  'attempts_before',
  'next_attempt_at',
  'last_attempt_at',
  'last_status',
  'last_error',
  'created_at',
  'ended_at',
  'purge_at',
  'tries',
] as const;

/** Said of a delivery that ended because its body is gone. */
export const BODY_REMOVED = 'body_removed';

export function createWebhookStore({ queries, prepareOne }: Database) {
  // Every attempt asks it.
  const find = prepareOne((id: string) =>
    queries
      .selectFrom('webhook_deliveries')
      .selectAll()
      .select(({ exists, selectFrom }) =>
        exists(
          selectFrom('webhook_deliveries as earlier')
            .select('earlier.id')
            .whereRef('earlier.session_id', '=', 'webhook_deliveries.session_id')
            .where('earlier.state', '=', 'pending')
            .whereRef('earlier.id', '<', 'webhook_deliveries.id'),
        ).as('isBehind'),
      )
      .where('id', '=', id),
  );
  const insert = prepareWrite((row: DeliveryRow) => queries.insertInto('webhook_deliveries').values(row));
  const record = prepareWrite(({ id, round, ...progress }: Progress & Pick<DeliveryRow, 'id' | 'round'>) =>
    queries
      .updateTable('webhook_deliveries')
      .set(progress)
      .where('id', '=', id)
      .where('round', '=', round)
      .where('state', '=', 'pending'),
  );
  const recordsIn = (db: Queries) =>
    db
      .selectFrom('webhook_deliveries')
      .select(RECORD_COLUMNS)
      .select((expression) => expression('sealed', 'is not', null).as('hasBody'));
  const records = recordsIn(queries);
  // SQLite knows no booleans.
  const present = <T extends { hasBody: unknown }>(row: T) => ({ ...row, hasBody: Boolean(row.hasBody) });

  return {
    async insert(trx: Transaction, row: DeliveryRow) {
      await insert(trx, row);
    },

    /** With whether an earlier webhook of the same session has not come to its end. */
    find,

    async findOwn(owner: Owner, id: string) {
      const row = await records
        .where(({ and }) => and(columnsOf(owner)))
        .where('id', '=', id)
        .executeTakeFirst();
      return row && present(row);
    },

    /** Newest first. */
    async list({ owner, before, sessionId, state, limit }: ListStart) {
      let query = records.where(({ and }) => and(columnsOf(owner)));
      if (before !== undefined) query = query.where('id', '<', before);
      if (sessionId !== undefined) query = query.where('session_id', '=', sessionId);
      if (state !== undefined) query = query.where('state', '=', state);
      return (await query.orderBy('id', 'desc').limit(limit).execute()).map(present);
    },

    /** Oldest first. */
    async listOfSession(sessionId: DeliveryRow['session_id'], trx?: Transaction) {
      const ofSession = recordsIn(trx ?? queries).where('session_id', '=', sessionId);
      return (await ofSession.orderBy('id').execute()).map(present);
    },

    /** Changes a pending delivery of this round; false if it was ended or resent in the meantime. */
    record: async (trx: Transaction, id: string, round: number, progress: Progress) =>
      (await record(trx, { ...progress, id, round })).changed > 0,

    /** Begins a new round of attempts; false without a body. */
    async reopen(trx: Transaction, id: string, round: number, now: number) {
      const result = await trx
        .updateTable('webhook_deliveries')
        .set((set) => ({
          state: 'pending' as const,
          round: set('round', '+', 1),
          attempts_before: set.ref('attempts'),
          next_attempt_at: now,
          ended_at: null,
        }))
        .where('id', '=', id)
        .where('round', '=', round)
        .where('sealed', 'is not', null)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    async forgetSessions(trx: Transaction, sessionIds: readonly DeliveryRow['session_id'][], now: number) {
      const ofThese = trx
        .updateTable('webhook_deliveries')
        .where('session_id', 'in', sessionIds)
        .where('purge_at', '<=', now);
      await ofThese.where('state', '=', 'pending').set(endWithoutBody(now)).execute();
      await ofThese.where('sealed', 'is not', null).set({ sealed: null }).execute();
    },

    async deleteSession(trx: Transaction, sessionId: DeliveryRow['session_id']) {
      await trx.deleteFrom('webhook_deliveries').where('session_id', '=', sessionId).execute();
    },

    /** Removes the bodies whose time is up, at most `limit`; how many there were. */
    async purgeBodies(trx: Transaction, now: number, limit: number) {
      const due = trx.selectFrom('webhook_deliveries').select('id').where('purge_at', '<=', now);
      const found = await due.where('sealed', 'is not', null).limit(limit).execute();
      if (found.length === 0) return 0;
      const ids = found.map(({ id }) => id);
      const these = trx.updateTable('webhook_deliveries').where('id', 'in', ids);
      await these.where('state', '=', 'pending').set(endWithoutBody(now)).execute();
      await these.set({ sealed: null }).execute();
      return found.length;
    },

    /** Deletes rows without a body, at most `limit`; how many there were. */
    async deleteOlder(trx: Transaction, createdBefore: number, limit: number) {
      const old = trx.selectFrom('webhook_deliveries').select('id').where('created_at', '<', createdBefore);
      const found = await old.where('sealed', 'is', null).orderBy('created_at').limit(limit).execute();
      if (found.length === 0) return 0;
      const ids = found.map(({ id }) => id);
      await trx.deleteFrom('webhook_deliveries').where('id', 'in', ids).execute();
      return found.length;
    },

    /** Whosever it is. */
    async look(id: string) {
      const row = await records.where('id', '=', id).executeTakeFirst();
      return row && present(row);
    },

    async summarizePending() {
      const row = await queries
        .selectFrom('webhook_deliveries')
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min<number | null>('created_at').as('oldestAt')])
        // Written out, because SQLite uses the index of pending ones only when it sees the word.
        .where('state', '=', sql.lit('pending' as const))
        .executeTakeFirstOrThrow();
      return { count: Number(row.count), oldestAt: row.oldestAt };
    },
  };
}

export type WebhookStore = ReturnType<typeof createWebhookStore>;

function endWithoutBody(now: number) {
  return {
    state: 'dead' as const,
    last_error: BODY_REMOVED,
    ended_at: now,
    next_attempt_at: null,
    sealed: null,
  };
}
