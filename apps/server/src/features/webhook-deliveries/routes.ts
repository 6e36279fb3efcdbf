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
import type { Webhooks } from '../../core/webhooks/webhooks.ts';
import { ownerOf } from '../../platform/api-keys/owner.ts';
import { invalid } from '../../platform/errors.ts';
import { type Access, clientOf } from '../../platform/http/access.ts';
import type { HttpServer } from '../../platform/http/http-server.ts';
import { isUuid } from '../../platform/ids.ts';
import { presentDelivery } from './present-delivery.ts';

const IdPath = Type.Object({ id: Type.String({ description: 'The delivery’s id, which is its `webhook-id`.' }) });

interface DeliveryRoutes {
  webhooks: Webhooks;
  access: Access;
}

export function registerWebhookDeliveryRoutes(app: HttpServer, { webhooks, access }: DeliveryRoutes): void {
  const common = { tags: ['Webhooks'], security: [{ apiKey: [] }, { apiKey: [], client: [] }] };
  const unknownKey = ref(
    ErrorReply,
    'The API key is missing, unknown or not active; or it has client credentials, and they are missing or wrong.',
  );

  app.get(
    '/v2/webhook-deliveries',
    {
      onRequest: access.requireClient,
      schema: {
        ...common,
        summary: 'List webhook deliveries',
        description:
          'The deliveries of the customer’s sessions, newest first, without bodies and header values; of the target only the origin. A row is kept `DELIVERY_LOG_DAYS` days, and goes with its session when that is deleted.',
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
        sessionId,
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
          'Begins a new round of attempts at once, whether the delivery is pending, delivered or dead. The `webhook-id` stays the same, so that a receiver can tell a repetition.',
        params: IdPath,
        response: {
          202: ref(WebhookDelivery, 'It will be sent now.'),
          401: unknownKey,
          404: ref(
            ErrorReply,
            'There is no such delivery, it belongs to another customer or world, or its body is deleted.',
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
