// Sessions that were left to a reviewer before there were cases get one: a job looks through them once. And an inbox of one kind of
// case has an index of its own, so that a kind of which nothing waits is no look at all that wait.
import { randomUUID } from 'node:crypto';
import type { Engine, Transaction } from '../database.ts';
import type { Migration, OpenSealer } from './migration.ts';

export const reviewBacklog: Migration = { name: '0030-review-backlog', up };

async function up(trx: Transaction, _engine: Engine, openSealer: OpenSealer): Promise<void> {
  const ofKind = ['kind', 'state', 'due_at', 'id', 'world', 'api_key_id', 'assignee_id'];
  await trx.schema.createIndex('review_cases_kind').on('review_cases').columns(ofKind).execute();

  const { applied_at: casesSince } = await trx
    .selectFrom('schema_migrations')
    .select('applied_at')
    .where('name', '=', '0023-review')
    .executeTakeFirstOrThrow();
  const earlier = await trx
    .selectFrom('sessions')
    .select('id')
    .where('state', '=', 'completed')
    .where('ended_at', '<=', casesSince)
    .limit(1)
    .executeTakeFirst();
  if (!earlier) return;
  const sealer = await openSealer();
  const id = randomUUID();
  const state = { state: 'ready' as const, attempts: 0, lease_token: null, lease_until: null, last_error: null };
  await trx
    .insertInto('jobs')
    .values({
      ...{ id, kind: 'review.backlog', payload: sealer.sealJson({ endedUntil: casesSince }, `jobs/payload/${id}`) },
      ...{ ...state, run_at: casesSince, unique_key: null, created_at: casesSince },
    })
    .execute();
}
