// Every way a check can end before its answer. None may leave data behind.
import { describe, expect, test } from 'vitest';
import { CLEAN, SIGNALS, startCheck, startInTheMiddle } from '../../../testing/fakes/fake-check.ts';
import { refused } from '../../../testing/fakes/fake-device-client.ts';
import { DOCUMENT_STEP } from '../../../testing/fakes/fake-documents.ts';
import { createPromise, FACE_STEP, settle, untilTrue } from '../../../testing/fakes/fake-flow.ts';
import { GOOD } from '../../../testing/fakes/fake-reports.ts';
import { CameraError } from '../../camera/open-camera.ts';
import { CameraStalledError } from '../../camera/take-frames.ts';
import type { ModelThresholds } from '../../models/face-engine.ts';

describe('a check that ends early turns the camera off and leaves no frame', () => {
  async function startAndKeepOutcome() {
    const { running, ...parts } = await startInTheMiddle();
    const outcome = running.then(
      () => 'answered',
      (error: unknown) => error,
    );
    expect([parts.camera.running, parts.camera.playing]).toEqual([1, 1]);
    expect(parts.engine.kept).toBeGreaterThan(0);
    return { ...parts, outcome };
  }

  test('cleans up after the person gives up', async () => {
    const { control, outcome, isClean } = await startAndKeepOutcome();
    control.abort('enough');
    expect(await outcome).toBe('enough');
    expect(isClean()).toEqual(CLEAN);
  });

  test('cleans up after the camera was unplugged', async () => {
    const { camera, control, outcome, isClean } = await startAndKeepOutcome();
    camera.unplug();
    await outcome;
    expect(control.signal.reason).toMatchObject({ problem: 'unplugged' });
    expect(isClean()).toEqual(CLEAN);
  });

  test('cleans up after the camera stalled', async () => {
    const { camera, outcome, isClean } = await startAndKeepOutcome();
    camera.stall(new CameraStalledError('still'));
    expect(await outcome).toMatchObject({ problem: 'unplugged' });
    expect(isClean()).toEqual(CLEAN);
  });

  test('cleans up if frames cannot be taken', async () => {
    const { camera, outcome, isClean } = await startAndKeepOutcome();
    camera.stall(new Error('no picture') as CameraStalledError);
    expect(await outcome).toMatchObject({ message: 'no picture' });
    expect(isClean()).toEqual(CLEAN);
  });

  test.each([
    [409, 'log_conflict'],
    [422, 'answer_refused'],
    [403, 'device_mismatch'],
  ])('cleans up after a report is refused with %i %s', async (status, code) => {
    const { camera, client, control, outcome, isClean } = await startAndKeepOutcome();
    client.meet('record', refused(status, code));
    camera.put(...GOOD.slice(5, 9));
    await outcome;
    expect(control.signal.reason).toMatchObject({ code });
    expect(isClean()).toEqual(CLEAN);
  });

  test('cleans up if the log is full', async () => {
    const { camera, client, control, outcome, isClean } = await startAndKeepOutcome();
    client.meet('record', new RangeError('full'));
    camera.put(...GOOD.slice(5, 9));
    await outcome;
    expect(control.signal.reason).toMatchObject({ problem: 'scan', isFinal: true });
    expect(isClean()).toEqual(CLEAN);
  });

  test('cleans up after a worker and its replacement died', async () => {
    const { camera, engine, client, outcome, isClean } = await startAndKeepOutcome();
    engine.die();
    camera.put({});
    await untilTrue(() => client.calls.includes('record retried 0'));
    engine.die();
    camera.put({});
    expect(await outcome).toMatchObject({ message: 'The face models are not loaded' });
    expect(isClean()).toEqual(CLEAN);
  });

  test('wipes an examination that finishes after the person gave up', async () => {
    const { run, camera, engine, control, isClean } = await startCheck();
    const [begun, late] = [createPromise<void>(), createPromise<void>()];
    const embedding = Float32Array.of(1, 0);
    engine.examine = async () => {
      begun.resolve();
      await late.promise;
      return { liveness: 0.9, age: null, embedding };
    };
    camera.put(...GOOD);
    const outcome = run().catch((error: unknown) => error);
    await begun.promise;
    control.abort('enough');
    expect(await outcome).toBe('enough');
    late.resolve();
    await settle();
    expect([...embedding]).toEqual([0, 0]);
    expect(isClean()).toEqual([0, 0, engine.kept, 0, 0]);
  });

  test('cleans up if the person gives up while the risk indicators are collected', async () => {
    const signals = createPromise<typeof SIGNALS>();
    const { run, camera, engine, control, kept } = await startCheck({
      ...{ steps: [FACE_STEP, DOCUMENT_STEP], signals: signals.promise },
    });
    const embedding = Float32Array.of(1, 0);
    engine.find({ embedding });
    camera.put(...GOOD);
    const outcome = run().catch((error: unknown) => error);
    await untilTrue(() => engine.examined.length === 1);
    await settle();
    kept.wipe();
    control.abort('enough');
    signals.resolve(SIGNALS);
    expect(await outcome).toBe('enough');
    expect([...embedding]).toEqual([0, 0]);
  });

  test('cleans up if the models do not load', async () => {
    const models = createPromise<ModelThresholds>();
    const { run, isClean, platform } = await startCheck({ modelsReady: models.promise });
    const running = expect(run()).rejects.toThrow('no models');
    await untilTrue(() => platform.timers === 1);
    models.reject(new Error('no models'));
    await running;
    expect(isClean()).toEqual(CLEAN);
  });

  test.each(['open', 'start'] as const)('turns off a camera that is given up while slow to %s', async (what) => {
    const { run, camera, control, isClean, names } = await startCheck();
    const late = createPromise<void>();
    if (what === 'open') camera.meet(() => late.promise);
    else camera.meetAtStart(() => late.promise);
    const outcome = run().catch((error: unknown) => error);
    await untilTrue(() => names().at(-1) === (what === 'open' ? 'permission' : 'capture'));
    control.abort('enough');
    if (what === 'start') {
      expect(await outcome).toBe('enough');
      expect(camera.running).toBe(0);
    }
    late.resolve();
    expect(await outcome).toBe('enough');
    await settle();
    expect(isClean()).toEqual(CLEAN);
  });

  test('cleans up if the picture never starts', async () => {
    const { run, camera, isClean } = await startCheck();
    camera.meetAtStart(new CameraStalledError('nothing'));
    await expect(run()).rejects.toMatchObject({ problem: 'unplugged' });
    expect(isClean()).toEqual(CLEAN);
  });

  test('cleans up after the camera was refused', async () => {
    const { run, camera, isClean, client } = await startCheck();
    camera.meet(new CameraError('refused'));
    await expect(run()).rejects.toMatchObject({ obstacle: 'refused' });
    expect(isClean()).toEqual(CLEAN);
    expect(client.calls).toEqual(['claim']);
  });

  test('cleans up after the answer was refused', async () => {
    const { run, camera, client, isClean } = await startCheck();
    client.meet('submit', refused(422, 'answer_refused'));
    camera.put(...GOOD);
    await expect(run()).rejects.toMatchObject({ code: 'answer_refused' });
    expect(isClean()).toEqual(CLEAN);
  });
});
