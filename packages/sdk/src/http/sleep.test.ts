// The wait between attempts, on a clock that the test moves.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sleep } from './sleep.ts';

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

it('rejects with the reason of an abort and leaves no timer behind', async () => {
  const controller = new AbortController();
  const waiting = sleep(1000, controller.signal);
  controller.abort('enough');
  await expect(waiting).rejects.toBe('enough');
  expect(vi.getTimerCount()).toBe(0);
});

it('does not even begin when the signal is aborted already', async () => {
  await expect(sleep(1000, AbortSignal.abort('before'))).rejects.toBe('before');
  expect(vi.getTimerCount()).toBe(0);
});

it('lets go of the signal when it is done', async () => {
  const { signal } = new AbortController();
  const removed = vi.spyOn(signal, 'removeEventListener');
  const waiting = sleep(1, signal);
  await vi.advanceTimersByTimeAsync(1);
  await waiting;
  expect(removed).toHaveBeenCalledWith('abort', expect.any(Function));
});
