import { expect, test, vi } from 'vitest';
import { settle } from '../../../testing/fakes/fake-flow.ts';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import { createAttention, waitUntilPresent } from './attention.ts';

test('reports presence on a visible page without a dialog', () => {
  const platform = createFakePlatform();
  const attention = createAttention(platform);
  expect(attention.isPresent()).toBe(true);
  attention.cover(true);
  expect(attention.isPresent()).toBe(false);
  platform.setVisible(false);
  attention.cover(false);
  expect(attention.isPresent()).toBe(false);
  platform.setVisible(true);
  expect(attention.isPresent()).toBe(true);
});

test('reports each change once until the listener is removed', () => {
  const platform = createFakePlatform();
  const attention = createAttention(platform);
  const callback = vi.fn();
  const stop = attention.onChange(callback);
  attention.cover(false);
  expect(callback).not.toHaveBeenCalled();
  attention.cover(true);
  platform.setVisible(false);
  expect(callback).toHaveBeenCalledTimes(2);
  stop();
  attention.cover(false);
  platform.setVisible(true);
  expect(callback).toHaveBeenCalledTimes(2);
  expect(platform.listeners).toBe(0);
});

test('waits until the person is present or the signal aborts', async () => {
  const platform = createFakePlatform();
  const attention = createAttention(platform);
  const control = new AbortController();
  await waitUntilPresent(attention, control.signal);
  attention.cover(true);
  const back = vi.fn();
  void waitUntilPresent(attention, control.signal).then(back);
  await settle();
  expect(back).not.toHaveBeenCalled();
  attention.cover(false);
  await settle();
  expect(back).toHaveBeenCalledOnce();
  attention.cover(true);
  const waiting = waitUntilPresent(attention, control.signal);
  control.abort();
  await waiting;
  expect(platform.listeners).toBe(0);
});
