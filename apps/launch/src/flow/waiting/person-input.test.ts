import { expect, test } from 'vitest';
import { createLatch } from './person-input.ts';

test('gives a value to those waiting, and to later callers at once', async () => {
  const latch = createLatch<string>();
  const early = [latch.wait(), latch.wait()];
  latch.set('one');
  expect(await Promise.all(early)).toEqual(['one', 'one']);
  expect(await latch.wait()).toBe('one');
});

test('waits again after the value was removed', async () => {
  const latch = createLatch<string>();
  latch.set('one');
  latch.set(null);
  const waiting = latch.wait();
  latch.set('two');
  expect(await waiting).toBe('two');
});
