// Webhooks as the service runs them: the guarded HTTP client, the outbox and the metrics.
import type { Clock } from '../platform/base/clock.ts';
import type { Context } from '../platform/context.ts';
import { createOutbound, type Outbound } from '../platform/outbound/guarded-fetch.ts';
import type { Metrics } from '../platform/watch/metrics.ts';
import type { Activity } from '../records/activity.ts';
import { MAX_IN_FLIGHT } from './limits.ts';
import { createWebhooks, type Webhooks } from './outbox.ts';
import type { webhookSettings } from './settings.ts';
import { createWebhookStore } from './store.ts';

const BODY_IDLE_MS = 1_000;

type WebhookSettings = ReturnType<typeof webhookSettings>;

export function openWebhooks(
  context: Context,
  settings: WebhookSettings,
  { activity }: { activity: Pick<Activity, 'count'> | undefined },
) {
  const { logDays, areHeld } = settings;
  const outbound = createWebhookOutbound(settings);
  const store = createWebhookStore(context.database);
  const webhooks = createWebhooks({ ...context, store, outbound, activity, logDays, areHeld });
  registerWebhookMetrics(context.metrics, webhooks, context.clock);
  return { webhooks, close: () => outbound.close() };
}

export function createWebhookOutbound({
  allowPrivate,
  timeoutMs,
}: Pick<WebhookSettings, 'allowPrivate' | 'timeoutMs'>): Outbound {
  return createOutbound({
    allowPrivate,
    maxConcurrent: MAX_IN_FLIGHT,
    headersTimeoutMs: timeoutMs,
    idleTimeoutMs: BODY_IDLE_MS,
    totalTimeoutMs: timeoutMs,
    maxRedirects: 0,
  });
}

export function registerWebhookMetrics(metrics: Metrics, webhooks: Webhooks, clock: Clock): void {
  const { attempts } = webhooks.counts();
  metrics.addCounters('limen_webhook_attempts_total', 'Attempts at webhooks by outcome.', 'outcome', () => attempts);
  const dead = 'Webhooks that were given up, apart from those whose body was deleted first.';
  metrics.addCounter('limen_webhooks_dead_total', dead, () => webhooks.counts().dead);
  let running: ReturnType<Webhooks['pending']> | undefined;
  const query = () => {
    running ??= webhooks.pending().finally(() => {
      running = undefined;
    });
    return running;
  };
  metrics.addGauge('limen_webhooks_pending', 'Webhooks that are still to be delivered.', [], async (gauge) => {
    gauge.set((await query()).count);
  });
  const oldest = 'Age of the oldest webhook that is still to be delivered; 0 without one.';
  metrics.addGauge('limen_webhooks_oldest_pending_seconds', oldest, [], async (gauge) => {
    const { oldestAt } = await query();
    gauge.set(oldestAt === null ? 0 : Math.max(0, (clock.now() - oldestAt) / 1000));
  });
}
