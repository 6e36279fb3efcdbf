// The tables of webhooks.
import type { CustomerId, SessionId, WatchedSubjectId } from '../platform/base/ids.ts';
import type { World } from '../platform/base/world.ts';
import {
  bindList,
  bytes,
  DELETED_WITH,
  defineTable,
  integer,
  nullable,
  type SchemaRows,
  text,
} from '../platform/database/table.ts';

/** Binds a body to its owner and signing key: moved to another one, it does not open. */
const SENDER = ['id', 'customer', 'world', 'api_key_id', 'session_id'] as const;

export const tables = {
  webhook_deliveries: defineTable({
    about: 'The delivery log.',
    stays:
      'for `DELIVERY_LOG_DAYS`; the sealed part as long as its session, of an alert for 7 days, a selfie in it until it is delivered',
    deletedBy: `${DELETED_WITH.session}; ${DELETED_WITH.subject}`,
    key: ['id'],
    columns: {
      id: text('pseudonym'),
      customer: text<CustomerId>('readable', 'the name you gave a customer'),
      world: text<World>('nothing'),
      api_key_id: text('nothing'),
      session_id: text<SessionId | WatchedSubjectId>('pseudonym', 'the session or watched subject it is about'),
      /** Without the path, which may be a secret. */
      target: text('readable', 'scheme, host and port of the receiver'),
      state: text<'pending' | 'delivered' | 'dead'>('nothing'),
      /** Number of resends. Attempts of an earlier round that are still running change nothing. */
      round: integer('nothing'),
      attempts: integer('nothing'),
      /** Attempts of earlier rounds. The backoff starts again with each round. */
      attempts_before: integer('nothing'),
      next_attempt_at: nullable(integer('nothing')),
      last_attempt_at: nullable(integer('pseudonym')),
      last_status: nullable(integer('nothing')),
      last_error: nullable(text('nothing', 'a code, never free text')),
      created_at: integer('pseudonym'),
      ended_at: nullable(integer('pseudonym')),
      purge_at: integer('nothing'),
      sealed: nullable(bytes('sealed', 'address, headers and body')),
      tries: nullable(bytes('sealed', 'when it was tried, with the status or what failed')),
    },
    places: {
      sealed: bindList('webhook_deliveries/sealed', ...SENDER),
      tries: bindList('webhook_deliveries/tries', ...SENDER),
    },
  }),
};

declare module '../platform/database/schema.ts' {
  interface Schema extends SchemaRows<typeof tables> {}
}
