// HTTP routes of the webhook delivery log: list deliveries and send one again.
import {
  DELIVERY_PAGE_DEFAULT,
  ListWebhookDeliveriesQuery,
  ref,
  WebhookDelivery,
  WebhookDeliveryPage,
} from '@limen/contract';
import { Type } from 'typebox';
import { toOwner } from '../platform/api-keys/owner.ts';
import { named, type SessionId } from '../platform/base/ids.ts';
import { hostRoutes } from '../platform/http/route.ts';
import type { Door } from '../platform/http/types.ts';
import { cutPage, readCursor } from '../platform/page.ts';
import type { Webhooks } from './outbox.ts';
import type { DeliveryRecord } from './store.ts';

export function registerWebhookDeliveryRoutes(door: Door, webhooks: Pick<Webhooks, 'list' | 'resend'>): void {
  const add = hostRoutes(door, 'Webhooks', 'client');

  add(
    'GET /v2/webhook-deliveries',
    {
      summary: 'List webhook deliveries',
      description:
        'The deliveries for the customer’s sessions, newest first, without bodies and header values, and with only the origin of the target. A row is kept for `DELIVERY_LOG_DAYS` days, and deleted with its session.',
      query: ListWebhookDeliveriesQuery,
      reply: { 200: ref(WebhookDeliveryPage, 'One page.') },
      errors: { 400: 'A part of the query is not valid.' },
    },
    async ({ caller, query: { limit = DELIVERY_PAGE_DEFAULT, cursor, sessionId, state } }) => {
      const found = await webhooks.list(toOwner(caller), {
        limit: limit + 1,
        before: readCursor(cursor),
        sessionId: sessionId === undefined ? undefined : named<SessionId>(sessionId),
        state,
      });
      const [rows, nextCursor] = cutPage(found, limit);
      return { deliveries: rows.map(presentDelivery), ...nextCursor };
    },
  );

  add(
    'POST /v2/webhook-deliveries/:id/resend',
    {
      summary: 'Send a webhook again',
      description:
        'Starts a new round of attempts at once, whether the delivery is pending, delivered or dead. The `webhook-id` stays the same, so that a receiver can recognize a repetition.',
      params: Type.Object({ id: Type.String({ description: 'The delivery’s id, which is its `webhook-id`.' }) }),
      reply: { 202: ref(WebhookDelivery, 'It is being sent.') },
      errors: {
        404: 'There is no such delivery, it belongs to another customer or world, or its body has been deleted.',
      },
    },
    async ({ caller, params }) => presentDelivery(await webhooks.resend(toOwner(caller), params.id)),
  );
}

const formatTime = (milliseconds: number) => new Date(milliseconds).toISOString();

export function presentDelivery(row: DeliveryRecord): WebhookDelivery {
  return {
    id: row.id,
    sessionId: row.session_id,
    url: row.target,
    state: row.state,
    attempts: row.attempts,
    createdAt: formatTime(row.created_at),
    ...(row.last_attempt_at !== null && { lastAttemptAt: formatTime(row.last_attempt_at) }),
    ...(row.last_status !== null && { lastStatus: row.last_status }),
    ...(row.last_error !== null && { lastError: row.last_error }),
    ...(row.next_attempt_at !== null && { nextAttemptAt: formatTime(row.next_attempt_at) }),
    ...(row.ended_at !== null && { endedAt: formatTime(row.ended_at) }),
    bodyKeptUntil: formatTime(row.purge_at),
    canResend: row.hasBody,
  };
}
