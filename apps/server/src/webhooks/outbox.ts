import type { WebhookBodies, WebhookEvent } from '@limen/contract';
import { columnsOf, nameOf, type Owner } from '../platform/api-keys/owner.ts';
import { AppError } from '../platform/base/errors.ts';
import { type Ids, isUuid, type SessionId, type WatchedSubjectId } from '../platform/base/ids.ts';
import type { InTransaction, Transaction } from '../platform/database/database.ts';
import { inBatches } from '../platform/jobs/in-batches.ts';
import { defineRecurringJob } from '../platform/jobs/job.ts';
import { writeJson } from '../platform/json/verbatim.ts';
import { type CallbackHeaders, keepCallbackHeaders } from './callback.ts';
import { createDeliver, type DeliverOptions, deliverWebhook } from './deliver.ts';
import type { WebhookMessage } from './send.ts';
import { createTries } from './sendable.ts';
import type { DeliveryRow } from './store.ts';
import { tables } from './tables.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Rows of one transaction of the purge: requests get in between. */
const PURGE_BATCH = 100;
const purgeDeliveries = defineRecurringJob('webhooks.purge', MINUTE_MS);

/** Whose it is and where it goes. */
interface Envelope {
  owner: Owner;
  /** The key that created the session or wrote the subject; its value signs. */
  apiKeyId: string;
  /** What it is about. */
  sessionId: SessionId | WatchedSubjectId;
  /** As `checkCallback` let it pass. */
  url: string;
  headers: CallbackHeaders;
  /** From then on the body is gone, delivered or not. */
  purgeAt: number;
}

interface Content<Event extends WebhookEvent> {
  event: Event;
  /** Written as JSON once, so that every attempt sends the same bytes. */
  body: WebhookBodies[Event];
  /** More fields of the body, forgotten once it was delivered or given up: sent again later, it goes without them. */
  ephemeral?: Partial<WebhookBodies[Event]> | undefined;
}

export type NewWebhook = { [Event in WebhookEvent]: Envelope & Content<Event> }[WebhookEvent];

interface ListDeliveries {
  limit: number;
  before?: string | undefined;
  sessionId?: SessionId | undefined;
  state?: DeliveryRow['state'] | undefined;
}

interface WebhooksOptions extends DeliverOptions {
  ids: Ids;
  /** The log outlives the bodies, but nothing is kept for ever. */
  logDays: number;
  /** Whether deliveries wait: they are written, and this process sends none. */
  areHeld?: boolean;
}

export function createWebhooks(options: WebhooksOptions) {
  const { database, store, jobs, sealer, clock, ids, tracing } = options;
  const { handler, counts } = createDeliver(options);
  if (!options.areHeld) jobs.handle(deliverWebhook, handler);
  jobs.handle(purgeDeliveries, async (_payload, { signal }) => {
    const purge = (some: (trx: Transaction) => Promise<number>) =>
      inBatches(signal, PURGE_BATCH, () => database.transact(some, { makesRoom: true }));
    await purge((trx) => store.purgeBodies(trx, clock.now(), PURGE_BATCH));
    await purge((trx) => store.deleteOlder(trx, clock.now() - options.logDays * DAY_MS, PURGE_BATCH));
  });

  return {
    /** Adds a webhook to the caller's transaction; it is sent once that has committed, after those of the same session. */
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
      const bound = { id, ...columnsOf(owner), api_key_id: apiKeyId, session_id: sessionId };
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
      const payload = { id, round: 1, origin, customer: nameOf(owner), deferrals: 0 };
      await jobs.enqueue(trx, deliverWebhook, payload);
    },

    /** Counts of this process since its start. */
    counts,
    /** Summarizes the pending deliveries of all processes. */
    pending: () => store.summarizePending(),
    /** Whosever it is, for operators. */
    look: store.look,
    /** When it was tried and what came of it; oldest first. */
    triesOf: createTries(sealer).read,

    /** Deletes a session's webhooks, so that nothing of them stays in the log. */
    deleteSession: store.deleteSession,
    /**
     * Removes the bodies of these sessions' webhooks whose time is over with them; what was not delivered yet never will be.
     * Webhooks about a reviewer's decision end later.
     */
    forgetSessions: (trx: Transaction, sessionIds: readonly SessionId[]) =>
      store.forgetSessions(trx, sessionIds, clock.now()),

    /** Newest first. */
    list: (owner: Owner, { limit, before, sessionId, state }: ListDeliveries) =>
      store.list({ owner, limit, before, sessionId, state }),

    /** Begins a new round of attempts at once, under the same `webhook-id`; `noted`: put on record with it. */
    async resend(owner: Owner, id: string, noted?: InTransaction) {
      const found = isUuid(id) ? await store.findOwn(owner, id) : undefined;
      if (!found) throw new AppError('not_found', 'There is no webhook delivery with this id.');
      const reopened = await database.transact(async (trx) => {
        if (!(await store.reopen(trx, id, found.round, clock.now()))) return false;
        await noted?.(trx);
        const origin = new URL(found.target).origin;
        const payload = { id, round: found.round + 1, origin, customer: nameOf(owner), deferrals: 0 };
        return jobs.enqueue(trx, deliverWebhook, payload);
      });
      const now = await store.findOwn(owner, id);
      // Two resends at the same moment are one.
      if (now && (reopened || now.round > found.round)) return now;
      throw new AppError('not_found', 'The body of this delivery has been deleted; there is nothing left to send.');
    },
  };
}

export type Webhooks = ReturnType<typeof createWebhooks>;
