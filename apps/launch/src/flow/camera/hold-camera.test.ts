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

test('opens the camera once for concurrent requests', async () => {
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

test('counts absence from when the camera is on, and restarts the count on return', async () => {
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

test('does not restart the count when a dialog opens on a hidden page', async () => {
  const { camera, held, platform, attention } = start();
  await held.get();
  platform.setVisible(false);
  platform.pass(4_000);
  attention.cover(true);
  platform.pass(1_000);
  expect(camera.running).toBe(0);
});

test('reopens a resting camera and does not report it as lost', async () => {
  const { camera, held, onOff, onLost } = start();
  await held.get();
  held.rest();
  expect([camera.running, onOff.mock.calls.length]).toEqual([0, 1]);
  await held.get();
  expect([camera.running, camera.opened, onLost.mock.calls.length]).toEqual([1, 2, 0]);
});

test('reports once that the camera was lost while the person was present', async () => {
  const { camera, held, onLost } = start();
  await held.get();
  camera.unplug();
  expect(onLost).toHaveBeenCalledOnce();
  held.stop();
  camera.unplug();
  expect(onLost).toHaveBeenCalledOnce();
});

test('stops a camera that opens after the hold has ended', async () => {
  const { camera, held, platform } = start();
  const opening = createPromise<void>();
  camera.meet(() => opening.promise);
  const refused = expect(held.get()).rejects.toThrow('no longer wanted');
  await settle();
  held.stop();
  opening.resolve();
  await refused;
  expect([camera.running, platform.listeners, platform.timers]).toEqual([0, 0, 0]);
});
