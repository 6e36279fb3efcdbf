// Removes the bodies of webhooks and the rows of the delivery log when their time is over.
import type { UpdateQueryBuilder, UpdateResult } from 'kysely';
import { inBatches } from '../platform/base/batches.ts';
import type { Context } from '../platform/context.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { Schema } from '../platform/database/schema.ts';
import { defineRecurringJob } from '../platform/jobs/job.ts';
import { BODY_REMOVED, type DeliveryRow } from './store.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const PURGE_BATCH = 100;
const purgeDeliveries = defineRecurringJob('webhooks.purge', MINUTE_MS);

export function handlePurge(
  { database, jobs, clock }: Pick<Context, 'database' | 'jobs' | 'clock'>,
  logDays: number,
): void {
  jobs.handle(purgeDeliveries, async (_payload, { signal }) => {
    const purge = (purgeBatch: (trx: Transaction) => Promise<number>) =>
      inBatches(signal, PURGE_BATCH, () => database.transact(purgeBatch, { makesRoom: true }));
    await purge((trx) => purgeBodies(trx, clock.now()));
    await purge((trx) => deleteOlder(trx, clock.now() - logDays * DAY_MS));
  });
}

/** Removes the expired bodies of these sessions' webhooks. Bodies about a reviewer's decision expire later. */
export async function forgetSessions(
  trx: Transaction,
  sessionIds: readonly DeliveryRow['session_id'][],
  now: number,
): Promise<void> {
  const deliveries = trx.updateTable('webhook_deliveries').where('session_id', 'in', sessionIds);
  await removeBodies(deliveries.where('purge_at', '<=', now), now);
}

async function purgeBodies(trx: Transaction, now: number): Promise<number> {
  const due = trx.selectFrom('webhook_deliveries').select('id').where('purge_at', '<=', now);
  const ids = (await due.where('sealed', 'is not', null).limit(PURGE_BATCH).execute()).map(({ id }) => id);
  if (ids.length > 0) await removeBodies(trx.updateTable('webhook_deliveries').where('id', 'in', ids), now);
  return ids.length;
}

async function removeBodies(
  deliveries: UpdateQueryBuilder<Schema, 'webhook_deliveries', 'webhook_deliveries', UpdateResult>,
  now: number,
): Promise<void> {
  const ended = { state: 'dead', last_error: BODY_REMOVED, ended_at: now, next_attempt_at: null } as const;
  await deliveries.where('state', '=', 'pending').set(ended).execute();
  await deliveries.where('sealed', 'is not', null).set({ sealed: null }).execute();
}

async function deleteOlder(trx: Transaction, createdBefore: number): Promise<number> {
  const old = trx.selectFrom('webhook_deliveries').select('id').where('created_at', '<', createdBefore);
  const rows = await old.where('sealed', 'is', null).orderBy('created_at').limit(PURGE_BATCH).execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await trx.deleteFrom('webhook_deliveries').where('id', 'in', ids).execute();
  return ids.length;
}
