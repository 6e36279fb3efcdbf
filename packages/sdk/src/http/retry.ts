// When a failed call is sent again, and after how long a wait.
import { LimenConnectionError, LimenError } from '../errors.ts';
import type { Call } from './exchange.ts';

/** Waits between attempts, and stops waiting when the caller gives up. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    }, milliseconds);
    if (signal?.aborted) giveUp();
    else signal?.addEventListener('abort', giveUp, { once: true });
  });
}

export interface RetryOptions {
  /** Times a call is sent at most, the first included; 1 switches retries off. Default 4. */
  attempts?: number | undefined;
  /** Longest wait before the second attempt; it doubles with each further one. Default 250. */
  baseDelayMs?: number | undefined;
  /** Where that doubling stops. Default 8,000. */
  maxDelayMs?: number | undefined;
  /** A `Retry-After` beyond this is not waited for: the call fails at once. Default 30,000. */
  maxRetryAfterMs?: number | undefined;
}

export type RetryRules = { readonly [Name in keyof RetryOptions]-?: number };

export const DEFAULT_RETRIES: RetryRules = {
  attempts: 4,
  baseDelayMs: 250,
  maxDelayMs: 8_000,
  maxRetryAfterMs: 30_000,
};

type RepeatableFacts = Pick<Call, 'method' | 'idempotencyKey' | 'isIdempotent'>;

/** Whether sending a call twice has the effect of sending it once. */
export function isRepeatable({ method, idempotencyKey, isIdempotent }: RepeatableFacts): boolean {
  return method !== 'POST' || idempotencyKey !== undefined || isIdempotent === true;
}

/** Milliseconds to wait after the `attempt`-th failure, or undefined when another attempt makes no sense. */
export function planWaitMs(
  error: unknown,
  attempt: number,
  rules: RetryRules,
  random: () => number,
  call: Pick<Call, 'form'> = {},
): number | undefined {
  if (attempt >= rules.attempts || !isTransient(error)) return undefined;
  // The service was busy with the file and would start again, at the end of its queue.
  if (call.form && error instanceof LimenConnectionError && error.code === 'timeout') return undefined;
  const askedMs = error instanceof LimenError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  if (askedMs > rules.maxRetryAfterMs) return undefined;
  // Full jitter, also on top of what the service asked for: clients refused together must not come back together.
  return askedMs + random() * Math.min(rules.maxDelayMs, rules.baseDelayMs * 2 ** (attempt - 1));
}

/**
 * Whether the service may have done the work although the attempt failed: no answer came, or 503, which also stands
 * for a database or proxy that broke off after the commit. 429 is decided before any work.
 */
export function leavesDoubt(error: unknown): boolean {
  return error instanceof LimenConnectionError || (error instanceof LimenError && error.status === 503);
}

/** Whether the same call may well succeed later. */
export function isTransient(error: unknown): boolean {
  return leavesDoubt(error) || (error instanceof LimenError && error.status === 429);
}
