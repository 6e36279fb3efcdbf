// HTTP of the webhook delivery log: what was sent, what came of it, and sending it again.
import {
  DELIVERY_PAGE_DEFAULT,
  ErrorReply,
  ListWebhookDeliveriesQuery,
  ref,
  WebhookDelivery,
  WebhookDeliveryPage,
} from '@limen/contract';
import { Type } from 'typebox';
import { ownerOf } from '../platform/api-keys/owner.ts';
import { invalid } from '../platform/base/errors.ts';
import { isUuid, named, type SessionId } from '../platform/base/ids.ts';
import { clientOf } from '../platform/http/access.ts';
import type { Door } from '../platform/http/types.ts';
import type { Webhooks } from './outbox.ts';
import { presentDelivery } from './present.ts';

const IdPath = Type.Object({ id: Type.String({ description: 'The delivery’s id, which is its `webhook-id`.' }) });

export function registerWebhookDeliveryRoutes(
  { http: app, access }: Door,
  webhooks: Pick<Webhooks, 'list' | 'resend'>,
): void {
  const common = { tags: ['Webhooks'], security: [{ apiKey: [] }, { apiKey: [], client: [] }] };
  const unknownKey = ref(
    ErrorReply,
    'The API key is missing, unknown or inactive; or it has client credentials, and they are missing or wrong.',
  );

  app.get(
    '/v2/webhook-deliveries',
    {
      onRequest: access.requireClient,
      schema: {
        ...common,
        summary: 'List webhook deliveries',
        description:
          'The deliveries for the customer’s sessions, newest first, without bodies and header values, and with only the origin of the target. A row is kept for `DELIVERY_LOG_DAYS` days, and deleted with its session.',
        querystring: ListWebhookDeliveriesQuery,
        response: {
          200: ref(WebhookDeliveryPage, 'One page.'),
          400: ref(ErrorReply, 'A part of the query is not valid.'),
          401: unknownKey,
        },
      },
    },
    async (request) => {
      const { limit = DELIVERY_PAGE_DEFAULT, cursor, sessionId, state } = request.query;
      if (cursor !== undefined && !isUuid(cursor)) {
        throw invalid('query.cursor', 'must be the nextCursor of an earlier page, unchanged');
      }
      const rows = await webhooks.list(ownerOf(clientOf(request)), {
        limit: limit + 1,
        before: cursor,
        sessionId: sessionId === undefined ? undefined : named<SessionId>(sessionId),
        state,
      });
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const deliveries = page.map(presentDelivery);
      return rows.length > limit && last ? { deliveries, nextCursor: last.id } : { deliveries };
    },
  );

  app.post(
    '/v2/webhook-deliveries/:id/resend',
    {
      onRequest: access.requireClient,
      schema: {
        ...common,
        summary: 'Send a webhook again',
        description:
          'Starts a new round of attempts at once, whether the delivery is pending, delivered or dead. The `webhook-id` stays the same, so that a receiver can recognise a repetition.',
        params: IdPath,
        response: {
          202: ref(WebhookDelivery, 'It is being sent.'),
          401: unknownKey,
          404: ref(
            ErrorReply,
            'There is no such delivery, it belongs to another customer or world, or its body has been deleted.',
          ),
        },
      },
    },
    async (request, reply) => {
      const delivery = await webhooks.resend(ownerOf(clientOf(request)), request.params.id);
      return reply.code(202).send(presentDelivery(delivery));
    },
  );
}
