// The grace period between a stop and the abort of running deliveries.
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { delayAbort } from './deliver.ts';

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

it('passes on a stop and its reason after the grace period, not earlier', () => {
  const stop = new AbortController();
  const { signal } = delayAbort(stop.signal, 2_000);
  vi.advanceTimersByTime(10_000);
  expect(signal.aborted).toBe(false);
  stop.abort('stopping');
  vi.advanceTimersByTime(1_999);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.reason).toBe('stopping');
});

it.each(['before', 'after'])('leaves no timer after the work has ended %s the stop', (when) => {
  const stop = new AbortController();
  const { signal, release } = delayAbort(stop.signal, 2_000);
  if (when === 'before') release();
  stop.abort();
  release();
  expect(vi.getTimerCount()).toBe(0);
  expect(signal.aborted).toBe(false);
});
