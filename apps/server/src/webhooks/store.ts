// The SQL of webhook deliveries.
import { sql } from 'kysely';
import { type Owner, ownerColumns } from '../platform/api-keys/owner.ts';
import type { SessionId } from '../platform/base/ids.ts';
import type { Database, Queries, Transaction } from '../platform/database/database.ts';
import { prepareWrite } from '../platform/database/prepare-query.ts';
import type { Schema } from '../platform/database/schema.ts';
import { tables } from './tables.ts';

export type DeliveryRow = Schema['webhook_deliveries'];
export type DeliveryRecord = Omit<DeliveryRow, 'sealed'> & { hasBody: boolean };

interface DeliveryListing {
  before?: string | undefined;
  sessionId?: SessionId | undefined;
  state?: DeliveryRow['state'] | undefined;
  limit: number;
}

type AttemptResult = Pick<DeliveryRow, 'state' | 'attempts' | 'next_attempt_at' | 'last_status' | 'last_error'> &
  Pick<DeliveryRow, 'last_attempt_at' | 'ended_at' | 'sealed' | 'tries'>;

export const RECORD_COLUMNS = Object.keys(tables.webhook_deliveries.columns).filter(
  (column) => column !== 'sealed',
) as Exclude<keyof DeliveryRow, 'sealed'>[];

export const BODY_REMOVED = 'body_removed';

export function createWebhookStore({ queries, prepareOne }: Database) {
  const record = prepareWrite(({ id, round, ...progress }: AttemptResult & Pick<DeliveryRow, 'id' | 'round'>) =>
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
  // SQLite has no booleans.
  const present = <T extends { hasBody: unknown }>(row: T) => ({ ...row, hasBody: Boolean(row.hasBody) });

  return {
    insert: prepareWrite((row: DeliveryRow) => queries.insertInto('webhook_deliveries').values(row)),

    /** `isBehind`: an earlier webhook of the same session is pending. */
    find: prepareOne((id: string) =>
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
    ),

    /** `any` is for operators. */
    async findRecord(id: string, owner: Owner | 'any') {
      const own = owner === 'any' ? records : records.where(({ and }) => and(ownerColumns(owner)));
      const row = await own.where('id', '=', id).executeTakeFirst();
      return row && present(row);
    },

    async list(owner: Owner, { before, sessionId, state, limit }: DeliveryListing) {
      let query = records.where(({ and }) => and(ownerColumns(owner)));
      if (before !== undefined) query = query.where('id', '<', before);
      if (sessionId !== undefined) query = query.where('session_id', '=', sessionId);
      if (state !== undefined) query = query.where('state', '=', state);
      return (await query.orderBy('id', 'desc').limit(limit).execute()).map(present);
    },

    async listOfSession(sessionId: DeliveryRow['session_id'], trx?: Transaction) {
      const ofSession = recordsIn(trx ?? queries).where('session_id', '=', sessionId);
      return (await ofSession.orderBy('id').execute()).map(present);
    },

    record: async (trx: Transaction, id: string, round: number, progress: AttemptResult) =>
      (await record(trx, { ...progress, id, round })).changed > 0,

    /** Begins a new round of attempts. Returns false without a body, or if the round is over. */
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

    async deleteSession(trx: Transaction, sessionId: DeliveryRow['session_id']) {
      await trx.deleteFrom('webhook_deliveries').where('session_id', '=', sessionId).execute();
    },

    async summarizePending() {
      const row = await queries
        .selectFrom('webhook_deliveries')
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min<number | null>('created_at').as('oldestAt')])
        // A literal, because SQLite does not use the partial index for a parameter.
        .where('state', '=', sql.lit('pending' as const))
        .executeTakeFirstOrThrow();
      return { count: Number(row.count), oldestAt: row.oldestAt };
    },
  };
}

export type WebhookStore = ReturnType<typeof createWebhookStore>;
