// The log of webhook deliveries: its records and queries. Bodies and header values are never in it.
import { type Static, Type } from 'typebox';
import { oneOf } from './one-of.ts';
import { pageQuery } from './page-query.ts';
import { ref } from './ref.ts';

/** Rows on one page of the log when the client does not say, and at most. */
export const DELIVERY_PAGE_DEFAULT = 50;
export const DELIVERY_PAGE_MAX = 200;

const time = (description: string) => Type.String({ format: 'date-time', description });

const DeliveryState = oneOf(
  ['pending', 'delivered', 'dead'],
  '`pending`: on its way, or waiting for the next attempt. `delivered`: a 2xx reply came. `dead`: given up after the last attempt, a 410, or because the body was deleted.',
);

export const WebhookDelivery = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The `webhook-id` header of every attempt.' }),
    sessionId: Type.String({ description: 'The session it is about; of an alert, the watched subject.' }),
    url: Type.String({ description: 'Where it goes: only the origin, because a path can be a secret.' }),
    state: DeliveryState,
    attempts: Type.Integer({ description: 'Attempts so far, including those before a resend.' }),
    createdAt: time('When the webhook was written.'),
    lastAttemptAt: Type.Optional(time('When the last attempt ended.')),
    lastStatus: Type.Optional(Type.Integer({ description: 'HTTP status of the last attempt, if it got one.' })),
    lastError: Type.Optional(
      Type.String({
        description:
          'Why it has not been delivered: `status`, `redirect`, `gone`, `timeout`, `unreachable`, `interrupted`, `invalid_reply`, `address_refused`, `body_removed`, …',
      }),
    ),
    nextAttemptAt: Type.Optional(time('While pending: the earliest time of the next attempt.')),
    endedAt: Type.Optional(time('When it was delivered or given up.')),
    bodyKeptUntil: time('When retention deletes the body. Until then it can be resent, unless it was deleted earlier.'),
    canResend: Type.Boolean({ description: 'Whether the body is still there.' }),
  },
  { $id: 'WebhookDelivery' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const ListWebhookDeliveriesQuery = Type.Object({
  ...pageQuery({
    max: DELIVERY_PAGE_MAX,
    whenNotGiven: DELIVERY_PAGE_DEFAULT,
    description: 'At most this many rows on a page.',
  }),
  sessionId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Only deliveries for this session or watched subject.' }),
  ),
  state: Type.Optional(DeliveryState),
});
export type ListWebhookDeliveriesQuery = Static<typeof ListWebhookDeliveriesQuery>;

export const WebhookDeliveryPage = Type.Object(
  {
    deliveries: Type.Array(ref(WebhookDelivery), { description: 'Newest first.' }),
    nextCursor: Type.Optional(Type.String({ description: 'Present while there are older ones; opaque.' })),
  },
  { $id: 'WebhookDeliveryPage' },
);
export type WebhookDeliveryPage = Static<typeof WebhookDeliveryPage>;
