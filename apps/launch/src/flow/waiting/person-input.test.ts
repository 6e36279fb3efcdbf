import { expect, test } from 'vitest';
import { createLatch } from './person-input.ts';

test('who waits gets the value as soon as there is one, and who comes later at once', async () => {
  const latch = createLatch<string>();
  const early = [latch.wait(), latch.wait()];
  latch.set('one');
  expect(await Promise.all(early)).toEqual(['one', 'one']);
  expect(await latch.wait()).toBe('one');
});

test('a value that went is waited for again', async () => {
  const latch = createLatch<string>();
  latch.set('one');
  latch.set(null);
  const waiting = latch.wait();
  latch.set('two');
  expect(await waiting).toBe('two');
});
