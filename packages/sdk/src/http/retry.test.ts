// Retry rules as a table: retryable failures and wait times.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LimenConnectionError, LimenError } from '../errors.ts';
import { DEFAULT_RETRIES, isRepeatable, leavesDoubt, planWaitMs, sleep } from './retry.ts';

const refusal = (status: number, retryAfterSeconds?: number) =>
  new LimenError('refused', { status, code: `http_${status}`, retryAfterSeconds });
const lost = new LimenConnectionError('connection_failed', 'lost', undefined);

describe('planWaitMs', () => {
  it.each([400, 401, 404, 408, 422, 500, 502, 504, 507])('gives up immediately on %i', (status) => {
    expect(planWaitMs(refusal(status), 1, DEFAULT_RETRIES, Math.random)).toBeUndefined();
  });

  it('does not resend a file that timed out in the service', () => {
    const slow = new LimenConnectionError('timeout', 'slow', undefined);
    const form = new FormData();
    expect(planWaitMs(slow, 1, DEFAULT_RETRIES, Math.random, { form })).toBeUndefined();
    expect(planWaitMs(slow, 1, DEFAULT_RETRIES, Math.random)).toBeTypeOf('number');
    expect(planWaitMs(lost, 1, DEFAULT_RETRIES, Math.random, { form })).toBeTypeOf('number');
  });

  it('gives up immediately on errors that are not the service’s', () => {
    expect(planWaitMs(new TypeError('a mistake'), 1, DEFAULT_RETRIES, Math.random)).toBeUndefined();
  });

  it.each([refusal(429), refusal(503), lost])('doubles the wait up to its limit on %s', (error) => {
    const rules = { ...DEFAULT_RETRIES, attempts: 9 };
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => planWaitMs(error, attempt, rules, () => 1));
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
  });

  it('stops after the last attempt', () => {
    const rules = { ...DEFAULT_RETRIES, attempts: 2 };
    expect(planWaitMs(lost, 1, rules, () => 0)).toBe(0);
    expect(planWaitMs(lost, 2, rules, () => 0)).toBeUndefined();
  });

  it('waits for Retry-After up to the limit and gives up beyond it', () => {
    expect(planWaitMs(refusal(429, 30), 1, DEFAULT_RETRIES, () => 0)).toBe(30_000);
    expect(planWaitMs(refusal(429, 31), 1, DEFAULT_RETRIES, () => 0)).toBeUndefined();
  });

  it('waits between the requested time and that time plus backoff', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.nat(30), fc.integer({ min: 1, max: 3 }), random, (seconds, attempt, drawn) => {
        const wait = planWaitMs(refusal(503, seconds), attempt, DEFAULT_RETRIES, () => drawn);
        expect(wait).toBeGreaterThanOrEqual(seconds * 1000);
        expect(wait).toBeLessThanOrEqual(seconds * 1000 + 250 * 2 ** (attempt - 1));
      }),
    );
  });
});

it('retries calls that are idempotent by method or by key', () => {
  expect(isRepeatable({ method: 'GET' })).toBe(true);
  expect(isRepeatable({ method: 'DELETE' })).toBe(true);
  expect(isRepeatable({ method: 'POST' })).toBe(false);
  expect(isRepeatable({ method: 'POST', idempotencyKey: 'k' })).toBe(true);
});

it('is uncertain after a lost reply and after 503, but not after 429', () => {
  expect([lost, refusal(503), refusal(429), refusal(500)].map(leavesDoubt)).toEqual([true, true, false, false]);
});

// The wait between attempts, with a controlled clock.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('resolves when the time is over, not before', async () => {
  let over = false;
  const waiting = sleep(1000).then(() => {
    over = true;
  });
  await vi.advanceTimersByTimeAsync(999);
  expect(over).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await waiting;
  expect(over).toBe(true);
});

it('rejects with the abort reason and clears its timer', async () => {
  const controller = new AbortController();
  const waiting = sleep(1000, controller.signal);
  controller.abort('enough');
  await expect(waiting).rejects.toBe('enough');
  expect(vi.getTimerCount()).toBe(0);
});

it('does not start if the signal is already aborted', async () => {
  await expect(sleep(1000, AbortSignal.abort('before'))).rejects.toBe('before');
  expect(vi.getTimerCount()).toBe(0);
});

it('removes its abort listener when done', async () => {
  const { signal } = new AbortController();
  const removed = vi.spyOn(signal, 'removeEventListener');
  const waiting = sleep(1, signal);
  await vi.advanceTimersByTimeAsync(1);
  await waiting;
  expect(removed).toHaveBeenCalledWith('abort', expect.any(Function));
});
