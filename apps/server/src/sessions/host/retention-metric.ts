// How late retention is: a promise about personal data, so it is watched like any other.
import type { Clock } from '../../platform/base/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Metrics } from '../../platform/watch/metrics.ts';

/** Each minimum is the first entry of the index that the purge itself goes by. */
export function registerRetentionMetric(metrics: Metrics, { queries }: Pick<Database, 'queries'>, clock: Clock): void {
  const help = 'How long the oldest row of a kind is past the time at which it has to be deleted; 0 without one.';
  metrics.addGauge('limen_retention_late_seconds', help, ['kind'], async (gauge) => {
    const oldest = await queries
      .selectNoFrom(({ selectFrom }) => [
        selectFrom('sessions')
          .select(({ fn }) => fn.min('purge_at').as('at'))
          .where('purge_at', 'is not', null)
          .as('session'),
        selectFrom('webhook_deliveries')
          .select(({ fn }) => fn.min('purge_at').as('at'))
          .where('sealed', 'is not', null)
          .as('webhook_body'),
        selectFrom('review_cases')
          .select(({ fn }) => fn.min('purge_at').as('at'))
          .where('purge_at', 'is not', null)
          .as('case'),
        selectFrom('idempotency_keys')
          .select(({ fn }) => fn.min('expires_at').as('at'))
          .as('reply'),
      ])
      .executeTakeFirstOrThrow();
    const now = clock.now();
    for (const [kind, at] of Object.entries(oldest)) gauge.set({ kind }, Math.max(0, (now - (at ?? now)) / 1000));
  });
}
