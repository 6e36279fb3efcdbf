// The grace between a stop and the end of what is under way.
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { delayAbort } from './deliver.ts';

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

it('hands on a stop and its reason when the grace is over, and not before', () => {
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

it.each(['before', 'after'])('leaves no timer behind when the work has ended %s the stop', (when) => {
  const stop = new AbortController();
  const { signal, release } = delayAbort(stop.signal, 2_000);
  if (when === 'before') release();
  stop.abort();
  release();
  expect(vi.getTimerCount()).toBe(0);
  expect(signal.aborted).toBe(false);
});
