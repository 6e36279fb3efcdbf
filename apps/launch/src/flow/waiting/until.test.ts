import { expect, test } from 'vitest';
import { createPromise } from '../../../testing/fakes/fake-flow.ts';
import { wipe } from '../../models/wipe.ts';
import { until } from './until.ts';

test('resolves with an unchanged result that arrives in time', async () => {
  const found = { embedding: Float32Array.of(1) };
  expect(await until(Promise.resolve(found), new AbortController().signal, wipe)).toBe(found);
  expect([...found.embedding]).toEqual([1]);
});

test.each(['before', 'while waiting'])('wipes a result that arrives after the signal: aborted %s', async (when) => {
  const control = new AbortController();
  const held = createPromise<{ face: { embedding: Float32Array } }>();
  if (when === 'before') control.abort('enough');
  const waiting = until(held.promise, control.signal, wipe);
  if (when === 'while waiting') control.abort('enough');
  await expect(waiting).rejects.toBe('enough');
  const embedding = Float32Array.of(1);
  held.resolve({ face: { embedding } });
  await held.promise;
  expect([...embedding]).toEqual([0]);
});
