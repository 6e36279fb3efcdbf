// Webhooks to be sent: added to the caller's transaction, listed, sent again and deleted.
import type { WebhookBodies, WebhookEvent } from '@limen/contract';
import { formatOwner, type Owner, ownerColumns } from '../platform/api-keys/owner.ts';
import { AppError } from '../platform/base/errors.ts';
import { type Ids, isUuid, type SessionId, type WatchedSubjectId } from '../platform/base/ids.ts';
import type { InTransaction, Transaction } from '../platform/database/database.ts';
import { writeJson } from '../platform/json/verbatim.ts';
import { type CallbackHeaders, keepCallbackHeaders } from './callback.ts';
import { type DeliveryTools, deliverWebhook, WebhookDeliverer } from './deliver.ts';
import { forgetSessions, handlePurge } from './purge.ts';
import type { WebhookMessage } from './send.ts';
import { type DeliveryTryRow, readTries } from './sendable.ts';
import { tables } from './tables.ts';

interface Envelope {
  owner: Owner;
  /** Key that created the session or wrote the subject. Its value signs. */
  apiKeyId: string;
  sessionId: SessionId | WatchedSubjectId;
  url: string;
  headers: CallbackHeaders;
  purgeAt: number;
}

interface WebhookContent<Event extends WebhookEvent> {
  event: Event;
  body: WebhookBodies[Event];
  /** More fields of the body, deleted once the webhook was delivered or given up. A resend goes without them. */
  ephemeral?: Partial<WebhookBodies[Event]> | undefined;
}

export type NewWebhook = { [Event in WebhookEvent]: Envelope & WebhookContent<Event> }[WebhookEvent];

interface WebhooksOptions extends DeliveryTools {
  ids: Ids;
  logDays: number;
  areHeld?: boolean;
}

export function createWebhooks(options: WebhooksOptions) {
  const { database, store, jobs, sealer, clock, ids, tracing } = options;
  const deliverer = new WebhookDeliverer(options);
  if (!options.areHeld) jobs.handle(deliverWebhook, (payload, run) => deliverer.deliver(payload, run));
  handlePurge(options, options.logDays);
  const startRound = (trx: Transaction, owner: Owner, id: string, round: number, origin: string) =>
    jobs.enqueue(trx, deliverWebhook, { id, round, origin, customer: formatOwner(owner), deferrals: 0 });

  return {
    /** Adds a webhook to the caller's transaction. It is sent after the commit, following those of the same session. */
    async enqueue(
      trx: Transaction,
      { owner, apiKeyId, sessionId, url, headers, body, ephemeral, purgeAt }: NewWebhook,
    ) {
      const id = ids.sortable();
      const now = clock.now();
      const traceparent = tracing?.current();
      const message: WebhookMessage = {
        url,
        headers: keepCallbackHeaders(headers),
        body: writeJson(body),
        ...(ephemeral && { ephemeral }),
        ...(traceparent && { traceparent }),
      };
      const bound = { id, ...ownerColumns(owner), api_key_id: apiKeyId, session_id: sessionId };
      const { origin } = new URL(url);
      await store.insert(trx, {
        ...bound,
        target: origin,
        state: 'pending',
        round: 1,
        attempts: 0,
        attempts_before: 0,
        next_attempt_at: now,
        last_attempt_at: null,
        last_status: null,
        last_error: null,
        created_at: now,
        ended_at: null,
        purge_at: purgeAt,
        sealed: sealer.sealJson(message, tables.webhook_deliveries.places.sealed(bound)),
        tries: null,
      });
      await startRound(trx, owner, id, 1, origin);
    },

    counts: () => deliverer.counts(),
    pending: store.summarizePending,
    look: (id: string) => store.findRecord(id, 'any'),
    triesOf: (row: DeliveryTryRow) => readTries(sealer, row),
    list: store.list,
    deleteSession: store.deleteSession,
    forgetSessions: (trx: Transaction, sessionIds: readonly SessionId[]) =>
      forgetSessions(trx, sessionIds, clock.now()),

    /** Begins a new round of attempts under the same `webhook-id`. `writeAudit` runs in the same transaction. */
    async resend(owner: Owner, id: string, writeAudit?: InTransaction) {
      const before = isUuid(id) ? await store.findRecord(id, owner) : undefined;
      if (!before) throw new AppError('not_found', 'There is no webhook delivery with this id.');
      const isReopened = await database.transact(async (trx) => {
        if (!(await store.reopen(trx, id, before.round, clock.now()))) return false;
        await writeAudit?.(trx);
        await startRound(trx, owner, id, before.round + 1, before.target);
        return true;
      });
      const now = await store.findRecord(id, owner);
      if (now && (isReopened || now.round > before.round)) return now;
      throw new AppError('not_found', 'The body of this delivery has been deleted; there is nothing left to send.');
    },
  };
}

export type Webhooks = ReturnType<typeof createWebhooks>;
