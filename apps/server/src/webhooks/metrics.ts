// What the metrics say of webhooks: what attempts came to, how many were given up, and what still waits.
import type { Clock } from '../platform/base/clock.ts';
import type { Metrics } from '../platform/watch/metrics.ts';
import type { Webhooks } from './outbox.ts';

export function registerWebhookMetrics(metrics: Metrics, webhooks: Webhooks, clock: Clock): void {
  metrics.addCounters('limen_webhook_attempts_total', 'Attempts at webhooks by outcome.', 'outcome', () => {
    return webhooks.counts().attempts;
  });
  const given = 'Webhooks that were given up, apart from those whose body was deleted first.';
  metrics.addCounter('limen_webhooks_dead_total', given, () => webhooks.counts().dead);
  // Both gauges of one scrape share one look at the database.
  let looking: ReturnType<Webhooks['pending']> | undefined;
  const look = () => {
    looking ??= webhooks.pending().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  metrics.addGauge('limen_webhooks_pending', 'Webhooks that are still to be delivered.', [], async (gauge) => {
    gauge.set((await look()).count);
  });
  const help = 'Age of the oldest webhook that is still to be delivered; 0 without one.';
  metrics.addGauge('limen_webhooks_oldest_pending_seconds', help, [], async (gauge) => {
    const { oldestAt } = await look();
    gauge.set(oldestAt === null ? 0 : Math.max(0, (clock.now() - oldestAt) / 1000));
  });
}
