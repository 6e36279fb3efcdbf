// What the metrics say of webhooks: what attempts came to, how many were given up, and what still waits.
import type { Clock } from '../../platform/clock.ts';
import type { Metrics } from '../../platform/http/metrics.ts';
import type { Webhooks } from './webhooks.ts';

export interface WebhookCounts {
  /** By outcome: `delivered`, or the code of the failure as in the delivery log. */
  attempts: ReadonlyMap<string, number>;
  dead: number;
}

export function registerWebhookMetrics(metrics: Metrics, webhooks: Webhooks, clock: Clock): void {
  metrics.addCounters('limen_webhook_attempts_total', 'Attempts at webhooks by outcome.', 'outcome', () => {
    return webhooks.counts().attempts;
  });
  metrics.addCounter('limen_webhooks_dead_total', 'Webhooks that were given up.', () => webhooks.counts().dead);
  metrics.addGauge('limen_webhooks_pending', 'Webhooks that are still to be delivered.', [], async (gauge) => {
    gauge.set((await webhooks.pending()).count);
  });
  const help = 'Age of the oldest webhook that is still to be delivered; 0 without one.';
  metrics.addGauge('limen_webhooks_oldest_pending_seconds', help, [], async (gauge) => {
    const { oldestAt } = await webhooks.pending();
    gauge.set(oldestAt === null ? 0 : Math.max(0, (clock.now() - oldestAt) / 1000));
  });
}
