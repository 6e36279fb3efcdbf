// Log of webhook deliveries and resending.
import type { ListWebhookDeliveriesQuery, WebhookDelivery, WebhookDeliveryPage } from '@limen/contract';
import type { CallOptions } from '../http/exchange.ts';
import { iteratePages } from '../http/iterate-pages.ts';
import type { RequestFunction } from '../http/request.ts';

interface DeliveryFilter extends CallOptions {
  /** Limits deliveries to this session. */
  sessionId?: ListWebhookDeliveriesQuery['sessionId'] | undefined;
  state?: ListWebhookDeliveriesQuery['state'] | undefined;
}

export interface ListWebhookDeliveriesOptions extends DeliveryFilter {
  limit?: ListWebhookDeliveriesQuery['limit'] | undefined;
  /** `nextCursor` of the previous page. */
  cursor?: ListWebhookDeliveriesQuery['cursor'] | undefined;
}

export interface IterateWebhookDeliveriesOptions extends DeliveryFilter {
  /** Deliveries per request. Default: the service's. */
  pageSize?: ListWebhookDeliveriesQuery['limit'] | undefined;
}

export interface WebhookDeliveriesClient {
  /** Returns one page, newest first. */
  list(options?: ListWebhookDeliveriesOptions): Promise<WebhookDeliveryPage>;
  /** Iterates over all deliveries, newest first. Pages are fetched on demand. */
  iterate(options?: IterateWebhookDeliveriesOptions): AsyncGenerator<WebhookDelivery, void, undefined>;
  /** Starts a new round of attempts immediately, with the same `webhook-id`. */
  resend(id: string, options?: CallOptions): Promise<WebhookDelivery>;
}

const BASE = ['v2', 'webhook-deliveries'] as const;

export function createWebhookDeliveriesClient(request: RequestFunction): WebhookDeliveriesClient {
  const list = ({ limit, cursor, sessionId, state, signal }: ListWebhookDeliveriesOptions = {}) =>
    request<WebhookDeliveryPage>({ method: 'GET', path: BASE, query: { limit, cursor, sessionId, state }, signal });

  return {
    list,
    iterate: ({ pageSize, ...filter } = {}) =>
      iteratePages(
        (cursor) => list({ ...filter, limit: pageSize, cursor }),
        ({ deliveries }) => deliveries,
      ),
    // Retried, because receivers must tolerate repeated webhooks, while a lost resend would leave
    // them without.
    resend: (id, { signal } = {}) =>
      request({ method: 'POST', path: [...BASE, id, 'resend'], isIdempotent: true, signal }),
  };
}
