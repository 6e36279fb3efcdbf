import { expect, test, vi } from 'vitest';
import { settle } from '../../../testing/fakes/fake-flow.ts';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import { createAttention, untilThere } from './attention.ts';

test('somebody is there on a page that is seen and not covered', () => {
  const platform = createFakePlatform();
  const attention = createAttention(platform);
  expect(attention.isThere()).toBe(true);
  attention.cover(true);
  expect(attention.isThere()).toBe(false);
  platform.setVisible(false);
  attention.cover(false);
  expect(attention.isThere()).toBe(false);
  platform.setVisible(true);
  expect(attention.isThere()).toBe(true);
});

test('a change is told until it is stopped, and the same again is none', () => {
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

test('it is waited for until they are there, or nobody wants it any more', async () => {
  const platform = createFakePlatform();
  const attention = createAttention(platform);
  const control = new AbortController();
  await untilThere(attention, control.signal);
  attention.cover(true);
  const back = vi.fn();
  void untilThere(attention, control.signal).then(back);
  await settle();
  expect(back).not.toHaveBeenCalled();
  attention.cover(false);
  await settle();
  expect(back).toHaveBeenCalledOnce();
  attention.cover(true);
  const waiting = untilThere(attention, control.signal);
  control.abort();
  await waiting;
  expect(platform.listeners).toBe(0);
});
