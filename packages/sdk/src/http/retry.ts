// Retry policy: which failures are retried, and after what wait.
import { LimenConnectionError, LimenError } from '../errors.ts';
import type { Call } from './exchange.ts';

/** Waits between attempts, and stops when the caller aborts. */
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
  /** Maximum number of attempts, including the first. 1 disables retries. Default: 4. */
  attempts?: number | undefined;
  /** Maximum first wait in milliseconds, doubled with each further attempt. Default: 250. */
  baseDelayMs?: number | undefined;
  /** Upper bound of the doubled wait in milliseconds. Default: 8,000. */
  maxDelayMs?: number | undefined;
  /** Maximum accepted `Retry-After` in milliseconds. Default: 30,000. */
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

/** Returns whether sending a call twice has the effect of sending it once. */
export function isRepeatable({ method, idempotencyKey, isIdempotent }: RepeatableFacts): boolean {
  return method !== 'POST' || idempotencyKey !== undefined || isIdempotent === true;
}

/** Returns the milliseconds to wait after the `attempt`-th failure, or undefined to give up. */
export function planWaitMs(
  error: unknown,
  attempt: number,
  rules: RetryRules,
  random: () => number,
  call: Pick<Call, 'form'> = {},
): number | undefined {
  if (attempt >= rules.attempts || !isTransient(error)) return undefined;
  // The service timed out on the file and would start over, at the end of its queue.
  if (call.form && error instanceof LimenConnectionError && error.code === 'timeout') return undefined;
  const askedMs = error instanceof LimenError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  if (askedMs > rules.maxRetryAfterMs) return undefined;
  // Full jitter, also on top of Retry-After, so that clients refused together do not return
  // together.
  return askedMs + random() * Math.min(rules.maxDelayMs, rules.baseDelayMs * 2 ** (attempt - 1));
}

/**
 * Returns whether the service may have done the work although the attempt failed: without a reply,
 * or with 503, which may mean a failure after the commit. 429 precedes any work.
 */
export function leavesDoubt(error: unknown): boolean {
  return error instanceof LimenConnectionError || (error instanceof LimenError && error.status === 503);
}

/** Returns whether the same call may succeed later. */
export function isTransient(error: unknown): boolean {
  return leavesDoubt(error) || (error instanceof LimenError && error.status === 429);
}
