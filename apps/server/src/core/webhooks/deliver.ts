// The job behind every webhook: one attempt in its target's and its session's turn, then the next one or the end.
//
// The delivery's row counts attempts and knows when it is over; a job is only one run of it. What came of an attempt,
// the end of its job and the job of the next attempt are one transaction, so a crash repeats an attempt (under the same
// `webhook-id`) and never loses one.
import type { Logger } from 'pino';
import type { ApiKeys } from '../../platform/api-keys/api-keys.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { describeForLog } from '../../platform/errors.ts';
import { defineJob } from '../../platform/jobs/job.ts';
import type { JobHandler, JobRun, Jobs } from '../../platform/jobs/jobs.ts';
import type { Outbound } from '../../platform/outbound/guarded-fetch.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import { createLanes, type LaneLimits } from './lanes.ts';
import { deferralMs, retryDelayMs } from './retry-schedule.ts';
import { type SendOutcome, sendWebhook, type WebhookMessage } from './send-webhook.ts';
import { BODY_REMOVED, type DeliveryRow, type WebhookStore } from './store.ts';
import type { WebhookCounts } from './webhook-metrics.ts';

interface DeliverPayload {
  id: string;
  round: number;
  /** Of the target: deliveries to one origin share its turns. */
  origin: string;
  /** How often it has waited for an earlier webhook of its session in vain. */
  deferrals: number;
}

/** Webhooks in flight or in line in one process, all targets together. */
export const MAX_IN_FLIGHT = 256;

export const deliverWebhook = defineJob<DeliverPayload>('webhooks.deliver', {
  concurrency: MAX_IN_FLIGHT,
  // The row says when it is over; a job that a failing database keeps from finishing comes back until then.
  maxAttempts: Number.MAX_SAFE_INTEGER,
});

/**
 * A slow target has an eighth of what is in flight, a quick one up to seven eighths; who waits two seconds comes back
 * later. Sixteen calls of 50 ms are 320 webhooks per second to one target. To one on the same machine they were 740 per
 * second with SQLite on two cores, with a thousand waiting for another that hung: then the processor is the bound (about
 * 1.3 ms each), not the turns, and a commit is shared by ten.
 */
const LANE_LIMITS: LaneLimits = {
  perTarget: 16,
  maxWaiting: 16,
  maxWaitingQuick: 208,
  quickMs: 250,
  patienceMs: 2_000,
};

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
  /** From 0 to 1, for the jitter. */
  random?: () => number;
}

type Verdict = SendOutcome | { kind: 'impossible'; error: string };

interface Attempted {
  row: DeliveryRow;
  number: number;
  verdict: Verdict;
}

const TOO_EARLY = Symbol('an earlier webhook of the session is still under way');

interface Deliver {
  handler: JobHandler<DeliverPayload>;
  /** Of this process, since its start. */
  counts(): WebhookCounts;
}

export function createDeliver(options: DeliverOptions): Deliver {
  const { database, store, jobs, sealer, apiKeys, outbound, clock, log } = options;
  const { laneLimits = LANE_LIMITS, random = Math.random } = options;
  const lanes = createLanes(laneLimits);
  const attempts = new Map<string, number>();
  let dead = 0;

  return { handler: deliver, counts: () => ({ attempts, dead }) };

  async function deliver(payload: DeliverPayload, run: JobRun): Promise<void> {
    const turn = await lanes.use(payload.origin, run.signal, () => attempt(payload, run));
    if (!turn.taken) return defer(payload, run, turn.comeBackMs);
    if (turn.value === TOO_EARLY) {
      const waitMs = deferralMs(payload.deferrals, random());
      return defer({ ...payload, deferrals: payload.deferrals + 1 }, run, waitMs);
    }
    // Its turn is over with the reply: the next call does not wait for the disk.
    if (turn.value) await conclude(payload, run, turn.value);
  }

  async function attempt(payload: DeliverPayload, run: JobRun): Promise<Attempted | typeof TOO_EARLY | undefined> {
    const row = await store.find(payload.id);
    // Ended, sent anew or purged since this job was written.
    if (row?.state !== 'pending' || row.round !== payload.round) return undefined;
    if (await store.hasEarlierPending(row.session_id, row.id)) return TOO_EARLY;
    // A run that never came back was an attempt: its request may have arrived.
    const number = row.attempts + run.attempt;
    return { row, number, verdict: await send(row, number, run.signal) };
  }

  async function send(row: DeliveryRow, attempt: number, signal: AbortSignal): Promise<Verdict> {
    if (row.sealed === null || row.purge_at <= clock.now()) return { kind: 'impossible', error: BODY_REMOVED };
    const apiKey = await apiKeys.reveal(row.api_key_id);
    if (apiKey === undefined) return { kind: 'impossible', error: 'no_signing_key' };
    const message = openMessage(row.id, row.sealed);
    if (message === undefined) return { kind: 'impossible', error: 'unreadable' };
    return sendWebhook(outbound, message, { webhookId: row.id, attempt, apiKey, now: clock.now(), signal });
  }

  function openMessage(id: string, sealed: Uint8Array): WebhookMessage | undefined {
    try {
      return sealer.openJson(sealed, sealedPlace(id)) as WebhookMessage;
    } catch (error) {
      log.error({ ...describeForLog(error), delivery: id }, 'a sealed webhook does not open');
      return undefined;
    }
  }

  async function conclude(payload: DeliverPayload, run: JobRun, { row, number, verdict }: Attempted): Promise<void> {
    const now = clock.now();
    const tried = verdict.kind !== 'impossible';
    const delayMs = isFinal(verdict) ? undefined : retryDelayMs(number - row.attempts_before, random());
    const state = verdict.kind === 'delivered' ? 'delivered' : delayMs === undefined ? 'dead' : 'pending';
    const nextAt = delayMs === undefined ? null : now + delayMs;
    const progress = {
      state,
      attempts: tried ? number : row.attempts,
      last_attempt_at: tried ? now : row.last_attempt_at,
      last_status: 'status' in verdict ? verdict.status : tried ? null : row.last_status,
      last_error: 'error' in verdict ? verdict.error : null,
      next_attempt_at: nextAt,
      ended_at: nextAt === null ? now : null,
      sealed: verdict.kind === 'impossible' ? null : row.sealed,
    } as const;
    const recorded = await database.transact(async (trx) => {
      const stands = await store.record(trx, row.id, row.round, progress);
      if (stands && nextAt !== null) {
        await jobs.enqueue(trx, deliverWebhook, { ...payload, deferrals: 0 }, { runAt: nextAt });
      }
      await run.complete(trx);
      return stands;
    });
    if (tried) {
      const outcome = progress.last_error ?? 'delivered';
      attempts.set(outcome, (attempts.get(outcome) ?? 0) + 1);
    }
    if (!recorded) return;
    if (state === 'dead') dead += 1;
    const line = {
      delivery: row.id,
      attempt: progress.attempts,
      status: progress.last_status,
      why: progress.last_error,
    };
    log[state === 'dead' ? 'warn' : 'info'](line, SENTENCES[state]);
  }

  /** Makes room for others and comes back later; no attempt is used up. */
  async function defer(payload: DeliverPayload, run: JobRun, waitMs: number): Promise<void> {
    await database.transact(async (trx) => {
      await jobs.enqueue(trx, deliverWebhook, payload, { runAt: clock.now() + Math.round(waitMs) });
      await run.complete(trx);
    });
  }
}

const SENTENCES = {
  delivered: 'a webhook was delivered',
  pending: 'a webhook was not taken; it will be sent again',
  dead: 'a webhook was given up',
} as const;

function isFinal(verdict: Verdict): boolean {
  if (verdict.kind === 'refused') return verdict.error === 'gone';
  return verdict.kind !== 'failed';
}

export function sealedPlace(id: string): string {
  return `webhook_deliveries/sealed/${id}`;
}
