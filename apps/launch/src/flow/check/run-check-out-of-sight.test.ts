import { describe, expect, test } from 'vitest';
import { isLegal } from '../../../../../packages/sdk/testing/judge-log.ts';
import { CLEAN, startCheck, startInTheMiddle } from '../../../testing/fakes/fake-check.ts';
import { createPromise, FACE_STEP, settle, untilTrue } from '../../../testing/fakes/fake-flow.ts';
import { GOOD, lookAhead } from '../../../testing/fakes/fake-reports.ts';
import { CameraError } from '../../camera/open-camera.ts';
import { CameraStalledError } from '../../camera/take-frames.ts';

describe('out of sight', () => {
  test('pauses and discards the movement in progress', async () => {
    const { run, camera, client, platform, screens, isClean } = await startCheck();
    camera.put(...GOOD.slice(0, 7));
    const running = run();
    await untilTrue(() => camera.left === 0 && client.calls.includes('record shown 0'));
    await settle();
    platform.setVisible(false);
    await untilTrue(() => (screens.at(-1) as { paused?: boolean }).paused === true);
    camera.put(...GOOD);
    await settle();
    expect(camera.left).toBe(GOOD.length);
    platform.setVisible(true);
    await running;
    expect(client.log().map(([event]) => event)).toEqual(
      'started shown retried shown done shown done shown done finished'.split(' '),
    );
    expect(isClean()).toEqual(CLEAN);
  });

  test('waits with the camera off if the page is hidden from the start', async () => {
    const { run, camera, platform } = await startCheck();
    platform.setVisible(false);
    camera.put(...GOOD);
    const running = run();
    await settle();
    expect(camera.opened).toBe(0);
    platform.setVisible(true);
    expect((await running).end).toBeDefined();
  });

  test.each(['the beginning', 'the middle'])('can be given up while hidden in %s', async (when) => {
    const { run, camera, control, platform, client, isClean } = await startCheck();
    if (when === 'the beginning') platform.setVisible(false);
    camera.put(...GOOD.slice(0, 6));
    const running = expect(run()).rejects.toBe('enough');
    if (when === 'the middle') await untilTrue(() => client.calls.includes('record shown 0') && camera.left === 0);
    await settle();
    platform.setVisible(false);
    await settle();
    control.abort('enough');
    await running;
    expect(isClean()).toEqual(CLEAN);
  });

  async function startAndLook() {
    const parts = await startInTheMiddle();
    expect(parts.engine.kept).toBeGreaterThan(0);
    return parts;
  }

  test('drops frames at once and turns the camera off after five seconds', async () => {
    const { camera, engine, platform, running, client, isClean } = await startAndLook();
    platform.setVisible(false);
    await settle();
    expect(engine.kept).toBe(0);
    platform.pass(4_999);
    expect([camera.running, camera.playing]).toEqual([1, 1]);
    platform.pass(1);
    expect([camera.running, camera.playing]).toEqual([0, 0]);
    camera.put(...GOOD);
    await settle();
    platform.setVisible(true);
    expect((await running).end?.flowStatus).toBe('COMPLETED');
    expect(camera.opened).toBe(2);
    expect(isLegal(client.log(), { steps: [FACE_STEP], stepsDue: [0], cutShort: false })).toBe(true);
    expect(isClean()).toEqual(CLEAN);
  });

  test('keeps the camera on during a short absence', async () => {
    const { camera, platform, running, isClean } = await startAndLook();
    platform.setVisible(false);
    platform.pass(4_000);
    platform.setVisible(true);
    platform.pass(4_000);
    camera.put(...GOOD);
    await running;
    expect(camera.opened).toBe(1);
    expect(isClean()).toEqual(CLEAN);
  });

  test('reopens a camera that was taken away', async () => {
    const { camera, platform, running, isClean } = await startAndLook();
    platform.setVisible(false);
    camera.unplug();
    expect(camera.running).toBe(0);
    await settle();
    camera.put(...GOOD);
    platform.setVisible(true);
    expect((await running).end).toBeDefined();
    expect(camera.opened).toBe(2);
    expect(isClean()).toEqual(CLEAN);
  });

  test('reports why a camera cannot be reopened', async () => {
    const { camera, platform, running, isClean } = await startAndLook();
    platform.setVisible(false);
    platform.pass(5_000);
    camera.meet(new CameraError('busy'));
    platform.setVisible(true);
    await expect(running).rejects.toMatchObject({ obstacle: 'busy' });
    expect(isClean()).toEqual(CLEAN);
  });

  test('does not treat a picture that never started as a stalled camera', async () => {
    const { run, camera, platform, names, isClean } = await startCheck();
    const late = createPromise<void>();
    camera.meetAtStart(() => late.promise);
    camera.put(...GOOD);
    const running = run();
    await untilTrue(() => names().at(-1) === 'capture');
    await settle();
    platform.setVisible(false);
    late.reject(new CameraStalledError('nothing'));
    await settle();
    platform.setVisible(true);
    expect((await running).end).toBeDefined();
    expect(isClean()).toEqual(CLEAN);
  });

  test('pauses for a dialog without mentioning the background', async () => {
    const { attention, camera, engine, platform, screens, running, client, isClean } = await startAndLook();
    attention.cover(true);
    camera.put(...lookAhead(700));
    await settle();
    expect(screens.at(-1)).toMatchObject({ name: 'capture', prompt: 'guide.oval', paused: false });
    expect([engine.kept, camera.left]).toEqual([0, 700]);
    platform.pass(60_000);
    expect(camera.running).toBe(0);
    camera.clear();
    camera.put(...GOOD);
    attention.cover(false);
    expect((await running).end?.errors).toEqual([]);
    expect(client.log().filter(([event]) => event === 'retried')).toHaveLength(1);
    expect(isClean()).toEqual(CLEAN);
  });
});
