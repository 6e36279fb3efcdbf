// The job of every webhook: one attempt in the turn of its target and session. Its outcome, the end of the job and the next job are one
// transaction, so a crash repeats an attempt (under the same `webhook-id`) and never loses one.
import { describeForLog } from '../platform/base/errors.ts';
import type { Context } from '../platform/context.ts';
import { defineJob, type JobRun } from '../platform/jobs/job.ts';
import type { Outbound } from '../platform/outbound/guarded-fetch.ts';
import type { Activity } from '../records/activity.ts';
import { type LaneLimits, Lanes } from './lanes.ts';
import { MAX_IN_FLIGHT } from './limits.ts';
import { deferralMs, LONGEST_RETRY_MS, retryDelayMs } from './retry-schedule.ts';
import { type SendOutcome, sendWebhook, type WebhookMessage } from './send.ts';
import { addTry, readSendable, type SendableWebhook, type UnsendableReason } from './sendable.ts';
import { BODY_REMOVED, type DeliveryRow, type WebhookStore } from './store.ts';
import { tables } from './tables.ts';

interface DeliverPayload {
  id: string;
  round: number;
  origin: string;
  customer: string;
  deferrals: number;
  /** Lost runs of the previous jobs, since the last attempt with a known outcome. */
  lost?: number;
}

export const deliverWebhook = defineJob<DeliverPayload>('webhooks.deliver', {
  concurrency: MAX_IN_FLIGHT,
  // Only the row ends a delivery. A job that a failing database keeps from finishing is repeated until then.
  maxAttempts: Number.MAX_SAFE_INTEGER,
  longestWaitMs: LONGEST_RETRY_MS,
});

/** Sixteen calls of 50 ms are 320 webhooks per second to one target. */
const LANE_LIMITS: LaneLimits = {
  places: MAX_IN_FLIGHT,
  perTarget: 16,
  maxWaiting: 16,
  quickMs: 250,
  patienceMs: 2_000,
};
const GRACE_MS = 2_000;

export interface DeliveryTools
  extends Pick<Context, 'database' | 'jobs' | 'sealer' | 'apiKeys' | 'clock' | 'log'>,
    Partial<Pick<Context, 'tracing'>> {
  store: WebhookStore;
  outbound: Outbound;
  laneLimits?: LaneLimits;
  graceMs?: number;
  activity?: Pick<Activity, 'count'> | undefined;
  random?: () => number;
}

interface FinishedAttempt {
  row: DeliveryRow;
  number: number;
  verdict: SendOutcome | UnsendableReason;
  lasting?: WebhookMessage;
}

/** Nothing was sent: an earlier webhook of the session is under way, or the delivery could not be read. */
const NOT_YET = Symbol('not yet');

export class WebhookDeliverer {
  readonly #tools: DeliveryTools;
  readonly #random: () => number;
  readonly #lanes: Lanes;
  readonly #attempts = new Map<string, number>();
  #dead = 0;

  constructor(tools: DeliveryTools) {
    this.#tools = tools;
    this.#random = tools.random ?? Math.random;
    this.#lanes = new Lanes(tools.laneLimits ?? LANE_LIMITS);
  }

  counts() {
    return { attempts: this.#attempts, dead: this.#dead };
  }

  async deliver(payload: DeliverPayload, run: JobRun): Promise<void> {
    const caller = { target: payload.origin, customer: payload.customer };
    const turn = await this.#lanes.use(caller, run.signal, () => this.#attempt(payload, run));
    if (!turn.taken) return this.#defer(payload, run, turn.comeBackMs);
    if (turn.value === NOT_YET) {
      const waitMs = deferralMs(payload.deferrals, this.#random());
      return this.#defer({ ...payload, deferrals: payload.deferrals + 1 }, run, waitMs);
    }
    // The turn ended with the reply: the next call does not wait for the disk.
    if (turn.value) await this.#conclude(payload, run, turn.value);
  }

  /** Returns undefined if the delivery was ended, resent or purged since its job was written. */
  async #attempt(payload: DeliverPayload, run: JobRun): Promise<FinishedAttempt | typeof NOT_YET | undefined> {
    const prepared = await this.#prepare(payload).catch((error): typeof NOT_YET => {
      run.signal.throwIfAborted();
      const line = { ...describeForLog(error), delivery: payload.id };
      this.#tools.log.warn(line, 'a webhook could not be read and will be retried');
      return NOT_YET;
    });
    if (prepared === undefined || prepared === NOT_YET) return prepared;
    const { row, sendable } = prepared;
    // A lost run counts as an attempt: its request may have arrived.
    const number = row.attempts + (payload.lost ?? 0) + run.attempt;
    if ('kind' in sendable) return { row, number, verdict: sendable };
    const verdict = await this.#send(row.id, number, sendable, run.signal);
    const { ephemeral, ...lasting } = sendable.message;
    return { row, number, verdict, ...(ephemeral && { lasting }) };
  }

  async #prepare(payload: DeliverPayload) {
    const found = await this.#tools.store.find(payload.id);
    if (found?.state !== 'pending' || found.round !== payload.round) return undefined;
    const { isBehind, ...row } = found;
    return isBehind ? NOT_YET : { row, sendable: await readSendable(this.#tools, row) };
  }

  async #send(webhookId: string, attempt: number, { apiKey, message }: SendableWebhook, stop: AbortSignal) {
    const { outbound, tracing, clock, log, graceMs = GRACE_MS } = this.#tools;
    stop.throwIfAborted();
    const { signal, release } = delayAbort(stop, graceMs);
    const send = (traceparent?: string) =>
      sendWebhook(outbound, message, { webhookId, attempt, apiKey, now: clock.now(), signal, traceparent });
    try {
      if (!tracing) return await send();
      const attributes = { 'http.request.method': 'POST', 'limen.attempt': attempt };
      return await tracing.call({ name: 'webhook', kind: 'client', attributes }, send, message.traceparent);
    } catch (error) {
      // A shutdown or a lost lease says nothing about the receiver. Other failures are retried.
      signal.throwIfAborted();
      log.error({ ...describeForLog(error), delivery: webhookId }, 'a webhook attempt failed unexpectedly');
      return { kind: 'failed', error: 'internal' } as const;
    } finally {
      release();
    }
  }

  async #conclude(payload: DeliverPayload, run: JobRun, attempt: FinishedAttempt): Promise<void> {
    const { database, store, jobs, activity, log } = this.#tools;
    const { row, verdict } = attempt;
    const progress = this.#progressAfter(attempt);
    const { state, last_status: status, last_error: why, next_attempt_at: nextAt } = progress;
    const isRecorded = await database.transact(async (trx) => {
      const stands = await store.record(trx, row.id, row.round, progress);
      if (stands && nextAt !== null) {
        await jobs.enqueue(trx, deliverWebhook, { ...payload, deferrals: 0, lost: 0 }, { runAt: nextAt });
      }
      await run.complete(trx);
      return stands;
    });
    const isTried = verdict.kind !== 'impossible';
    if (isTried) {
      const outcome = why ?? 'delivered';
      this.#attempts.set(outcome, (this.#attempts.get(outcome) ?? 0) + 1);
    }
    if (!isRecorded) return;
    const result = state === 'delivered' ? 'delivered' : 'failed';
    if (isTried) activity?.count({ apiKeyId: row.api_key_id, world: row.world }, [`webhook/${result}`]);
    if (state === 'dead' && why !== BODY_REMOVED) this.#dead += 1;
    const line = { delivery: row.id, attempt: progress.attempts, status, why };
    log[state === 'dead' ? 'warn' : 'info'](line, SENTENCES[state]);
  }

  #progressAfter({ row, number, verdict, lasting }: FinishedAttempt) {
    const { sealer, clock } = this.#tools;
    const now = clock.now();
    const mayRetry = verdict.kind === 'failed' || (verdict.kind === 'refused' && verdict.error !== 'gone');
    const delayMs = mayRetry ? retryDelayMs(number - row.attempts_before, this.#random()) : undefined;
    const state = verdict.kind === 'delivered' ? 'delivered' : delayMs === undefined ? 'dead' : 'pending';
    const ending = {
      state,
      next_attempt_at: delayMs === undefined ? null : now + delayMs,
      ended_at: delayMs === undefined ? now : null,
      last_error: 'error' in verdict ? verdict.error : null,
    } as const;
    if (verdict.kind === 'impossible') {
      const { last_attempt_at, last_status, tries } = row;
      return { ...ending, attempts: number - 1, last_attempt_at, last_status, tries, sealed: null };
    }
    const status = 'status' in verdict ? verdict.status : null;
    const place = tables.webhook_deliveries.places.sealed(row);
    return {
      ...ending,
      attempts: number,
      last_attempt_at: now,
      last_status: status,
      sealed: state !== 'pending' && lasting ? sealer.sealJson(lasting, place) : row.sealed,
      tries: addTry(sealer, row, { at: now, outcome: status ?? ending.last_error! }),
    };
  }

  async #defer(payload: DeliverPayload, run: JobRun, waitMs: number): Promise<void> {
    const { database, jobs, clock } = this.#tools;
    const next = { ...payload, lost: (payload.lost ?? 0) + run.attempt - 1 };
    await database.transact(async (trx) => {
      await jobs.enqueue(trx, deliverWebhook, next, { runAt: clock.now() + Math.round(waitMs) });
      await run.complete(trx);
    });
  }
}

const SENTENCES = {
  delivered: 'a webhook was delivered',
  pending: 'a webhook was not accepted; it will be sent again',
  dead: 'a webhook was given up',
} as const;

/** Returns a signal that follows `stop` after a delay. Call `release` when the work has ended. */
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
