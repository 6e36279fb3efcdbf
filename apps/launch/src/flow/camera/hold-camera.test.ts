import { expect, test, vi } from 'vitest';
import { createFakeCamera } from '../../../testing/fakes/fake-camera.ts';
import { createPromise, settle } from '../../../testing/fakes/fake-flow.ts';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import { createAttention } from './attention.ts';
import { holdCamera } from './hold-camera.ts';

function start() {
  const platform = createFakePlatform();
  const attention = createAttention(platform);
  const camera = createFakeCamera(platform);
  const [onOff, onLost] = [vi.fn(), vi.fn()];
  const { signal } = new AbortController();
  const held = holdCamera({
    open: (opening) => camera.open('user', opening),
    attention,
    platform,
    signal,
    onOff,
    onLost,
  });
  return { platform, attention, camera, held, onOff, onLost };
}

test('it is turned on once for all who want it', async () => {
  const { camera, held } = start();
  const opening = createPromise<void>();
  camera.meet(() => opening.promise);
  const wanted = [held.get(), held.get()];
  opening.resolve();
  const [first, second] = await Promise.all(wanted);
  expect(first).toBe(second);
  expect(await held.get()).toBe(first);
  expect(camera.opened).toBe(1);
});

test('nobody there counts from when it is on, and who comes back begins to count anew', async () => {
  const { camera, held, platform, onOff } = start();
  const opening = createPromise<void>();
  camera.meet(() => opening.promise);
  const wanted = held.get();
  await settle();
  platform.setVisible(false);
  opening.resolve();
  await wanted;
  platform.pass(4_999);
  platform.setVisible(true);
  platform.setVisible(false);
  platform.pass(4_999);
  expect([camera.running, onOff.mock.calls.length]).toEqual([1, 0]);
  platform.pass(1);
  expect([camera.running, onOff.mock.calls.length]).toEqual([0, 1]);
});

test('a dialog on a hidden page does not begin the count again', async () => {
  const { camera, held, platform, attention } = start();
  await held.get();
  platform.setVisible(false);
  platform.pass(4_000);
  attention.cover(true);
  platform.pass(1_000);
  expect(camera.running).toBe(0);
});

test('it rests until it is wanted again, and is not lost by that', async () => {
  const { camera, held, onOff, onLost } = start();
  await held.get();
  held.rest();
  expect([camera.running, onOff.mock.calls.length]).toEqual([0, 1]);
  await held.get();
  expect([camera.running, camera.opened, onLost.mock.calls.length]).toEqual([1, 2, 0]);
});

test('taken away from somebody who is there it is lost, and told once', async () => {
  const { camera, held, onLost } = start();
  await held.get();
  camera.unplug();
  expect(onLost).toHaveBeenCalledOnce();
  held.stop();
  camera.unplug();
  expect(onLost).toHaveBeenCalledOnce();
});

test('opened too late it is off at once, and nothing waits any more', async () => {
  const { camera, held, platform } = start();
  const opening = createPromise<void>();
  camera.meet(() => opening.promise);
  const refused = expect(held.get()).rejects.toThrow('not wanted');
  await settle();
  held.stop();
  opening.resolve();
  await refused;
  expect([camera.running, platform.listeners, platform.timers]).toEqual([0, 0, 0]);
});
