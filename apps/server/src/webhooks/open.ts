// Webhooks as the service runs them: the guarded client with their patience, and everything behind them.
import { createOutbound } from '../platform/outbound/guarded-fetch.ts';
import { MAX_IN_FLIGHT } from './limits.ts';
import { createWebhooks, type Webhooks, type WebhooksOptions } from './outbox.ts';
import { createWebhookStore } from './store.ts';

/** How long a reply's body may be silent; it is not needed, only its connection. */
const BODY_PATIENCE_MS = 1_000;

export interface WebhookSettings extends Pick<WebhooksOptions, 'logDays' | 'areHeld'> {
  allowPrivate: boolean;
  timeoutMs: number;
}

type OpenWebhooks = Omit<WebhooksOptions, 'store' | 'outbound'> & WebhookSettings;

export function openWebhooks({ allowPrivate, timeoutMs, ...rest }: OpenWebhooks): {
  webhooks: Webhooks;
  close(): Promise<void>;
} {
  const outbound = createOutbound({
    allowPrivate,
    maxConcurrent: MAX_IN_FLIGHT,
    headersTimeoutMs: timeoutMs,
    idleTimeoutMs: BODY_PATIENCE_MS,
    totalTimeoutMs: timeoutMs,
    maxRedirects: 0,
  });
  const webhooks = createWebhooks({ ...rest, store: createWebhookStore(rest.database), outbound });
  return { webhooks, close: () => outbound.close() };
}
