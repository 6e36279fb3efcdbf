// The log of webhook deliveries: what was sent, what came of it, and sending it again.
import type { ListWebhookDeliveriesQuery, WebhookDelivery, WebhookDeliveryPage } from '@limen/contract';
import type { CallOptions } from '../http/exchange.ts';
import { iteratePages } from '../http/iterate-pages.ts';
import type { RequestFunction } from '../http/request.ts';

interface DeliveryFilter extends CallOptions {
  /** Only those of this session. */
  sessionId?: ListWebhookDeliveriesQuery['sessionId'] | undefined;
  state?: ListWebhookDeliveriesQuery['state'] | undefined;
}

export interface ListWebhookDeliveriesOptions extends DeliveryFilter {
  limit?: ListWebhookDeliveriesQuery['limit'] | undefined;
  /** The `nextCursor` of the page before. */
  cursor?: ListWebhookDeliveriesQuery['cursor'] | undefined;
}

export interface IterateWebhookDeliveriesOptions extends DeliveryFilter {
  /** Deliveries fetched with one request; the service decides by default. */
  pageSize?: ListWebhookDeliveriesQuery['limit'] | undefined;
}

export interface WebhookDeliveriesClient {
  /** One page, newest first. */
  list(options?: ListWebhookDeliveriesOptions): Promise<WebhookDeliveryPage>;
  /** Every delivery, newest first, page by page as the loop asks for them. */
  iterate(options?: IterateWebhookDeliveriesOptions): AsyncGenerator<WebhookDelivery, void, undefined>;
  /** Begins a new round of attempts at once, under the same `webhook-id`. */
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
    // Repeatable: a receiver may get any webhook more than once and knows it by its id, while a resend that got lost
    // would leave it without.
    resend: (id, { signal } = {}) =>
      request({ method: 'POST', path: [...BASE, id, 'resend'], isIdempotent: true, signal }),
  };
}
