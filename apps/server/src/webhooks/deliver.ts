// The job behind every webhook: one attempt in its target's and its session's turn, then the next one or the end.
//
// The delivery's row counts attempts and knows when it is over; a job is only one run of it. What came of an attempt,
// the end of its job and the job of the next attempt are one transaction, so a crash repeats an attempt (under the same
// `webhook-id`) and never loses one.
import type { Logger } from 'pino';
import type { ApiKeys } from '../platform/api-keys/api-keys.ts';
import type { Clock } from '../platform/base/clock.ts';
import { describeForLog } from '../platform/base/errors.ts';
import type { Database } from '../platform/database/database.ts';
import { defineJob, type JobRun } from '../platform/jobs/job.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import type { Outbound } from '../platform/outbound/guarded-fetch.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import type { Activity } from '../records/activity.ts';
import { createLanes, type LaneLimits } from './lanes.ts';
import { MAX_IN_FLIGHT } from './limits.ts';
import { deferralMs, LONGEST_RETRY_MS, retryDelayMs } from './retry-schedule.ts';
import { type SendOutcome, sendWebhook, type WebhookMessage } from './send.ts';
import { createReadSendable, createTries, type Impossible, type Sendable } from './sendable.ts';
import { BODY_REMOVED, type DeliveryRow, type WebhookStore } from './store.ts';
import { tables } from './tables.ts';

interface DeliverPayload {
  id: string;
  round: number;
  /** The target's origin: deliveries to the same origin take turns. */
  origin: string;
  /** Name of its owner: each has its share of the places. */
  customer: string;
  /** How often it was postponed without being sent, for reasons other than lack of room. */
  deferrals: number;
  /** Runs that never came back, of the jobs before this one; none after an attempt whose outcome is known. */
  lost?: number;
}

export const deliverWebhook = defineJob<DeliverPayload>('webhooks.deliver', {
  concurrency: MAX_IN_FLIGHT,
  // The row says when it is over; a job that a failing database keeps from finishing comes back until then.
  maxAttempts: Number.MAX_SAFE_INTEGER,
  longestWaitMs: LONGEST_RETRY_MS,
});

/** Sixteen calls of 50 ms are 320 webhooks per second to one target; who waits two seconds comes back later. */
const LANE_LIMITS: LaneLimits = {
  places: MAX_IN_FLIGHT,
  perTarget: 16,
  maxWaiting: 16,
  quickMs: 250,
  patienceMs: 2_000,
};
/** How long calls under way may go on when the service stops: most receivers have answered by then. */
const GRACE_MS = 2_000;

export interface DeliverOptions {
  database: Database;
  store: WebhookStore;
  jobs: Jobs;
  sealer: Sealer;
  apiKeys: ApiKeys;
  outbound: Outbound;
  clock: Clock;
  log: Logger;
  laneLimits?: LaneLimits;
  graceMs?: number;
  /** Told what came of each attempt, once that is written. */
  activity?: Pick<Activity, 'count'> | undefined;
  /** Undefined where it is off. */
  tracing?: Tracing | undefined;
  /** From 0 to 1, for the jitter. */
  random?: () => number;
}

type Verdict = SendOutcome | Impossible;

interface Prepared {
  row: DeliveryRow;
  sendable: Sendable | Impossible;
}

interface Attempted {
  row: DeliveryRow;
  number: number;
  verdict: Verdict;
  /** What is kept of the message once it was delivered or given up, where that is less than before. */
  lasting?: WebhookMessage;
}

/** Nothing was sent: an earlier webhook of the session is still under way, or what it takes could not be read. */
const NOT_YET = Symbol('not yet');

export function createDeliver(options: DeliverOptions) {
  const { database, store, jobs, sealer, apiKeys, outbound, clock, tracing, log } = options;
  const { laneLimits = LANE_LIMITS, graceMs = GRACE_MS, random = Math.random } = options;
  const lanes = createLanes(laneLimits);
  const readSendable = createReadSendable({ sealer, apiKeys, clock, log });
  const tries = createTries(sealer);
  const attempts = new Map<string, number>();
  let dead = 0;

  return { handler: deliver /** Totals since startup. */, counts: () => ({ attempts, dead }) };

  async function deliver(payload: DeliverPayload, run: JobRun): Promise<void> {
    const caller = { target: payload.origin, customer: payload.customer };
    const turn = await lanes.use(caller, run.signal, () => attempt(payload, run));
    if (!turn.taken) return defer(payload, run, turn.comeBackMs);
    if (turn.value === NOT_YET) {
      const waitMs = deferralMs(payload.deferrals, random());
      return defer({ ...payload, deferrals: payload.deferrals + 1 }, run, waitMs);
    }
    // Its turn ends with the reply: the next call does not wait for the disk.
    if (turn.value) await conclude(payload, run, turn.value);
  }

  async function attempt(payload: DeliverPayload, run: JobRun): Promise<Attempted | typeof NOT_YET | undefined> {
    const prepared = await prepare(payload).catch((error): typeof NOT_YET => {
      // A run that sent nothing is no attempt.
      run.signal.throwIfAborted();
      log.warn({ ...describeForLog(error), delivery: payload.id }, 'a webhook could not be read and will be retried');
      return NOT_YET;
    });
    if (prepared === undefined || prepared === NOT_YET) return prepared;
    const { row, sendable } = prepared;
    // A run that never came back was an attempt: its request may have arrived.
    const number = row.attempts + (payload.lost ?? 0) + run.attempt;
    if ('kind' in sendable) return { row, number, verdict: sendable };
    const verdict = await send(row.id, number, sendable, run.signal);
    const { ephemeral, ...lasting } = sendable.message;
    return { row, number, verdict, ...(ephemeral && { lasting }) };
  }

  /** Undefined if it was ended, resent or purged since its job was written. */
  async function prepare(payload: DeliverPayload): Promise<Prepared | typeof NOT_YET | undefined> {
    const found = await store.find(payload.id);
    if (found?.state !== 'pending' || found.round !== payload.round) return undefined;
    const { isBehind, ...row } = found;
    if (isBehind) return NOT_YET;
    return { row, sendable: await readSendable(row) };
  }

  async function send(
    webhookId: string,
    attempt: number,
    { apiKey, message }: Sendable,
    stop: AbortSignal,
  ): Promise<Verdict> {
    stop.throwIfAborted();
    const { signal, release } = delayAbort(stop, graceMs);
    try {
      const about = { webhookId, attempt, apiKey, now: clock.now(), signal };
      if (!tracing) return await sendWebhook(outbound, message, about);
      return await tracing.call(
        { name: 'webhook', kind: 'client', attributes: { 'http.request.method': 'POST', 'limen.attempt': attempt } },
        (traceparent) => sendWebhook(outbound, message, { ...about, traceparent }),
        message.traceparent,
      );
    } catch (error) {
      // A shutdown or a lost lease says nothing about the receiver; for anything else there are the next attempts.
      signal.throwIfAborted();
      log.error({ ...describeForLog(error), delivery: webhookId }, 'a webhook attempt failed unexpectedly');
      return { kind: 'failed', error: 'internal' };
    } finally {
      release();
    }
  }

  async function conclude(payload: DeliverPayload, run: JobRun, attempted: Attempted): Promise<void> {
    const { row, number, verdict, lasting } = attempted;
    const now = clock.now();
    const tried = verdict.kind !== 'impossible';
    const delayMs = isFinal(verdict) ? undefined : retryDelayMs(number - row.attempts_before, random());
    const state = verdict.kind === 'delivered' ? 'delivered' : delayMs === undefined ? 'dead' : 'pending';
    const nextAt = delayMs === undefined ? null : now + delayMs;
    const isOver = state !== 'pending';
    const sealedAfter =
      isOver && lasting ? sealer.sealJson(lasting, tables.webhook_deliveries.places.sealed(row)) : row.sealed;
    const progress = {
      state,
      attempts: tried ? number : number - 1,
      last_attempt_at: tried ? now : row.last_attempt_at,
      last_status: 'status' in verdict ? verdict.status : tried ? null : row.last_status,
      last_error: 'error' in verdict ? verdict.error : null,
      next_attempt_at: nextAt,
      ended_at: nextAt === null ? now : null,
      sealed: verdict.kind === 'impossible' ? null : sealedAfter,
      tries: verdict.kind === 'impossible' ? row.tries : tries.add(row, { at: now, outcome: outcomeOf(verdict) }),
    } as const;
    const recorded = await database.transact(async (trx) => {
      const stands = await store.record(trx, row.id, row.round, progress);
      if (stands && nextAt !== null) {
        await jobs.enqueue(trx, deliverWebhook, { ...payload, deferrals: 0, lost: 0 }, { runAt: nextAt });
      }
      await run.complete(trx);
      return stands;
    });
    if (tried) {
      const outcome = progress.last_error ?? 'delivered';
      attempts.set(outcome, (attempts.get(outcome) ?? 0) + 1);
    }
    if (!recorded) return;
    const result = state === 'delivered' ? 'delivered' : 'failed';
    if (tried) options.activity?.count({ apiKeyId: row.api_key_id, world: row.world }, [`webhook/${result}`]);
    if (state === 'dead' && progress.last_error !== BODY_REMOVED) dead += 1;
    const line = {
      delivery: row.id,
      attempt: progress.attempts,
      status: progress.last_status,
      why: progress.last_error,
    };
    log[state === 'dead' ? 'warn' : 'info'](line, SENTENCES[state]);
  }

  /** Makes room for others and comes back later; no attempt is used up, and none is forgotten. */
  async function defer(payload: DeliverPayload, run: JobRun, waitMs: number): Promise<void> {
    const next = { ...payload, lost: (payload.lost ?? 0) + run.attempt - 1 };
    await database.transact(async (trx) => {
      await jobs.enqueue(trx, deliverWebhook, next, { runAt: clock.now() + Math.round(waitMs) });
      await run.complete(trx);
    });
  }
}

const SENTENCES = {
  delivered: 'a webhook was delivered',
  pending: 'a webhook was not taken; it will be sent again',
  dead: 'a webhook was given up',
} as const;

function outcomeOf(outcome: SendOutcome): number | string {
  return 'status' in outcome ? outcome.status : outcome.error;
}

function isFinal(verdict: Verdict): boolean {
  if (verdict.kind === 'refused') return verdict.error === 'gone';
  return verdict.kind !== 'failed';
}

/** Returns a signal that follows `stop` after a delay, so that work under way may end by itself. `release` must be called when it has ended. */
export function delayAbort(stop: AbortSignal, graceMs: number): { signal: AbortSignal; release: () => void } {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    timer = setTimeout(() => late.abort(stop.reason), graceMs);
  };
  stop.addEventListener('abort', wait, { once: true });
  return {
    signal: late.signal,
    release() {
      stop.removeEventListener('abort', wait);
      clearTimeout(timer);
    },
  };
}
