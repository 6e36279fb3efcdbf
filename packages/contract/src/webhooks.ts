// Log of webhook deliveries: records and queries. It never contains bodies or header values.
import { type Static, Type } from 'typebox';
import { DELIVERY_TEXTS } from './error-table.ts';
import { oneOf } from './one-of.ts';
import { pageQuery } from './page-query.ts';
import { ref } from './ref.ts';

/** Page size of the log: default and maximum. */
export const DELIVERY_PAGE_DEFAULT = 50;
export const DELIVERY_PAGE_MAX = 200;

const time = (description: string) => Type.String({ format: 'date-time', description });

const DeliveryState = oneOf(
  ['pending', 'delivered', 'dead'],
  '`pending`: the delivery is in progress or waiting for the next attempt. `delivered`: the endpoint returned 2xx. `dead`: no further attempts, after the last attempt, a 410, or the deletion of the body.',
);

export const WebhookDelivery = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Value of the `webhook-id` header, equal in every attempt.' }),
    sessionId: Type.String({ description: 'Session that the webhook is about. For alerts, the watched subject.' }),
    url: Type.String({ description: 'Origin of the endpoint. The path is omitted because it can be a secret.' }),
    state: DeliveryState,
    attempts: Type.Integer({ description: 'Number of attempts so far, including those before a resend.' }),
    createdAt: time('When the webhook was created.'),
    lastAttemptAt: Type.Optional(time('When the last attempt ended.')),
    lastStatus: Type.Optional(
      Type.Integer({ description: 'HTTP status of the last attempt, if there was a response.' }),
    ),
    lastError: Type.Optional(
      Type.String({
        description: `Why the webhook was not delivered: ${Object.keys(DELIVERY_TEXTS)
          .map((code) => `\`${code}\``)
          .join(', ')}.`,
      }),
    ),
    nextAttemptAt: Type.Optional(time('Earliest time of the next attempt. Present while pending.')),
    endedAt: Type.Optional(time('When the webhook was delivered or given up.')),
    bodyKeptUntil: time('When retention deletes the body. Until then it can be resent, unless it was deleted earlier.'),
    canResend: Type.Boolean({ description: 'Whether the body still exists.' }),
  },
  { $id: 'WebhookDelivery' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const ListWebhookDeliveriesQuery = Type.Object({
  ...pageQuery({
    max: DELIVERY_PAGE_MAX,
    defaultLimit: DELIVERY_PAGE_DEFAULT,
    description: 'Maximum number of rows per page.',
  }),
  sessionId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Returns only deliveries for this session or watched subject.',
    }),
  ),
  state: Type.Optional(DeliveryState),
});
export type ListWebhookDeliveriesQuery = Static<typeof ListWebhookDeliveriesQuery>;

export const WebhookDeliveryPage = Type.Object(
  {
    deliveries: Type.Array(ref(WebhookDelivery), { description: 'Newest first.' }),
    nextCursor: Type.Optional(Type.String({ description: 'Opaque cursor of the next page. Absent on the last page.' })),
  },
  { $id: 'WebhookDeliveryPage' },
);
export type WebhookDeliveryPage = Static<typeof WebhookDeliveryPage>;
