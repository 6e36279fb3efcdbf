// Webhooks as the service runs them: the guarded client with their patience, and everything behind them.
import type { Context } from '../platform/context.ts';
import { createOutbound, type Outbound } from '../platform/outbound/guarded-fetch.ts';
import type { Activity } from '../records/activity.ts';
import { MAX_IN_FLIGHT } from './limits.ts';
import { registerWebhookMetrics } from './metrics.ts';
import { createWebhooks, type Webhooks } from './outbox.ts';
import type { webhookSettings } from './settings.ts';
import { createWebhookStore } from './store.ts';

/** How long a reply's body may be silent; it is not needed, only its connection. */
const BODY_PATIENCE_MS = 1_000;

type WebhookSettings = ReturnType<typeof webhookSettings>;

export function openWebhooks(
  context: Context,
  settings: WebhookSettings,
  { activity }: { activity: Pick<Activity, 'count'> | undefined },
): { webhooks: Webhooks; close(): Promise<void> } {
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
    idleTimeoutMs: BODY_PATIENCE_MS,
    totalTimeoutMs: timeoutMs,
    maxRedirects: 0,
  });
}
