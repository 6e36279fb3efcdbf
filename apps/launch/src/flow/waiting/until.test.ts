// Waits for a promise no longer than it is wanted.
import { expect, test } from 'vitest';
import { createPromise } from '../../../testing/fakes/fake-flow.ts';
import { wipe } from '../../models/wipe.ts';
import { until } from './until.ts';

test('what comes in time is given, and left as it is', async () => {
  const found = { embedding: Float32Array.of(1) };
  expect(await until(Promise.resolve(found), new AbortController().signal, wipe)).toBe(found);
  expect([...found.embedding]).toEqual([1]);
});

test.each(['before', 'meanwhile'])(
  'what nobody wants any more is overwritten once it comes: given up %s',
  async (when) => {
    const control = new AbortController();
    const held = createPromise<{ face: { embedding: Float32Array } }>();
    if (when === 'before') control.abort('enough');
    const waiting = until(held.promise, control.signal, wipe);
    if (when === 'meanwhile') control.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    const embedding = Float32Array.of(1);
    held.resolve({ face: { embedding } });
    await held.promise;
    expect([...embedding]).toEqual([0]);
  },
);
