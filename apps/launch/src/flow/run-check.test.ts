import type { DevicePlan, LogEntry, PlanStep } from '@limen/sdk/device';
import { describe, expect, test } from 'vitest';
import { isLegal } from '../../../../packages/sdk/testing/judge-log.ts';
import { createFakeCamera, createFakeEngine, type FakeVideo, THRESHOLDS } from '../../testing/fake-camera.ts';
import { createFakeClient, offline, refused } from '../../testing/fake-device-client.ts';
import { createPromise, FACE_STEP, PLAN, settle, untilTrue } from '../../testing/fake-flow.ts';
import { createFakePlatform } from '../../testing/fake-platform.ts';
import { answerAll, lookAhead } from '../../testing/fake-reports.ts';
import { CameraError } from '../camera/open-camera.ts';
import { CameraStalledError } from '../camera/take-frames.ts';
import type { ModelThresholds } from '../models/face-engine.ts';
import { createAttention } from './attention.ts';
import { createLatch } from './latch.ts';
import { runCheck } from './run-check.ts';
import type { Screen } from './screens.ts';

const GOOD = answerAll(FACE_STEP);
const SIGNALS = { headless: ['webdriver'], virtualCamera: [], browserAnomalies: [] };
const DOCUMENT: PlanStep = { step: 'identity_document', when: 'always', report: 'threshold', ageThreshold: 18 };

interface Options {
  steps?: PlanStep[];
  reported?: LogEntry[];
  modelsReady?: Promise<ModelThresholds>;
}

async function start({ steps = [FACE_STEP], reported = [], modelsReady = Promise.resolve(THRESHOLDS) }: Options = {}) {
  const plan: DevicePlan = { ...PLAN, steps };
  const platform = createFakePlatform();
  const client = createFakeClient({ platform, plan, reported });
  const engine = createFakeEngine();
  const camera = createFakeCamera(platform);
  const attention = createAttention(platform);
  const control = new AbortController();
  const screens: Screen[] = [];
  const labels: string[] = [];
  const video = createLatch<HTMLVideoElement>();
  let element: FakeVideo | undefined;
  await engine.load({ roles: [], manifestHash: '' });
  await client.claim();
  const run = () =>
    runCheck({
      ...{ client, plan, engine, modelsReady, camera, platform, attention, control, video: video.wait },
      collectSignals: async (label) => {
        labels.push(label);
        return SIGNALS;
      },
      show(screen) {
        screens.push(screen);
        const isCapture = screen.name === 'capture';
        if (isCapture === (element?.isShown ?? false)) return;
        if (element) element.isShown = false;
        element = isCapture ? { isShown: true } : undefined;
        video.set((element as unknown as HTMLVideoElement) ?? null);
      },
    });
  const names = () => screens.map(({ name }) => name).filter((name, i, all) => name !== all[i - 1]);
  const isClean = () => [camera.running, camera.playing, engine.kept, platform.listeners, platform.timers];
  return { ...{ platform, attention, client, engine, camera, control, screens, labels, run, names, isClean } };
}

const CLEAN = [0, 0, 0, 0, 0];

test('it goes from the camera to the answer, and leaves nothing behind', async () => {
  const { run, camera, client, names, labels, isClean } = await start();
  camera.put(...GOOD);
  const view = await run();
  expect(view.end?.flowStatus).toBe('COMPLETED');
  expect(names()).toEqual(['permission', 'capture', 'working']);
  expect(labels).toEqual(['FaceTime HD Camera']);
  expect(client.submitted).toEqual([
    { face: { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' }, indicators: SIGNALS },
  ]);
  expect(isLegal(client.log(), { steps: [FACE_STEP], stepsDue: [0], cutShort: false })).toBe(true);
  expect(isClean()).toEqual(CLEAN);
});

test('the camera is off before the answer is sent', async () => {
  const { run, camera, client } = await start();
  const sending = createPromise<void>();
  client.meet('submit', () => sending.promise);
  camera.put(...GOOD);
  const running = run();
  await untilTrue(() => client.calls.includes('submit'));
  expect([camera.running, camera.playing]).toEqual([0, 0]);
  sending.resolve();
  await running;
});

test('a spoof is answered with no end of the step, and nothing else is looked at', async () => {
  const { run, camera, client, isClean } = await start({ steps: [FACE_STEP, DOCUMENT] });
  camera.put(...lookAhead(700));
  await run();
  expect(client.submitted).toEqual([{ face: { spoof: true }, indicators: SIGNALS }]);
  expect(isLegal(client.log(), { steps: [FACE_STEP, DOCUMENT], stepsDue: [0], cutShort: true })).toBe(true);
  expect(isClean()).toEqual(CLEAN);
});

test('after a second look it goes on in the picture that is shown then', async () => {
  const { run, engine, camera, client, names, isClean } = await start();
  engine.find({ liveness: 0.1 });
  camera.put(...GOOD, ...GOOD);
  await run();
  expect(client.submitted).toHaveLength(1);
  expect(names()).toEqual(['permission', 'capture', 'working', 'capture', 'working']);
  expect(camera.opened).toBe(1);
  expect(isClean()).toEqual(CLEAN);
});

test('without a network the answer waits, and says so', async () => {
  const { run, camera, client, platform, screens } = await start();
  client.meet('submit', offline(), offline());
  camera.put(...GOOD);
  const running = run();
  await untilTrue(() => (screens.at(-1) as { offline?: boolean }).offline === true);
  expect(screens.at(-1)).toEqual({ name: 'working', doing: 'sending', offline: true });
  platform.comeOnline();
  await untilTrue(() => platform.timers === 1);
  platform.comeOnline();
  expect((await running).end).toBeDefined();
});

test('the models are waited for with the camera off, and it says so when they take a moment', async () => {
  const models = createPromise<ModelThresholds>();
  const { run, camera, platform, names, isClean } = await start({ modelsReady: models.promise });
  camera.put(...GOOD);
  const running = run();
  await settle();
  expect(names()).toEqual(['permission']);
  platform.pass(300);
  expect(names()).toEqual(['permission', 'loading']);
  await settle();
  expect(camera.opened).toBe(0);
  models.resolve(THRESHOLDS);
  await running;
  expect(names()).toEqual(['permission', 'loading', 'permission', 'capture', 'working']);
  expect(isClean()).toEqual(CLEAN);
});

test('the end of the last step is nowhere but in the answer: a reload before it can begin the step again', async () => {
  const { run, camera, client } = await start();
  const sending = createPromise<void>();
  client.meet('submit', () => sending.promise);
  camera.put(...GOOD);
  const running = run();
  await untilTrue(() => client.calls.includes('submit'));
  expect(client.calls).not.toContain('record finished 0');
  const again = await start({ reported: client.log() });
  again.camera.put(...GOOD);
  expect((await again.run()).end?.flowStatus).toBe('COMPLETED');
  expect(isLegal(again.client.log(), { steps: [FACE_STEP], stepsDue: [0], cutShort: false })).toBe(true);
  sending.resolve();
  await running;
});

test('a step is done again where only the next one cannot be', async () => {
  const { run, camera, client } = await start({ steps: [FACE_STEP, DOCUMENT] });
  camera.put(...GOOD);
  await expect(run()).rejects.toMatchObject({ problem: 'document' });
  expect(client.calls).not.toContain('record finished 0');
});

test('a step that was begun before a reload is tried again', async () => {
  const { run, camera, client } = await start({ reported: [['started', 0, 5]] });
  camera.put(...GOOD);
  await run();
  expect(client.calls.find((call) => call.startsWith('record'))).toBe('record retried 0');
  expect(isLegal(client.log(), { steps: [FACE_STEP], stepsDue: [0], cutShort: false })).toBe(true);
});

test('a step that was finished before a reload is not begun again, which would end the session', async () => {
  const { run, client, camera } = await start({
    reported: [
      ['started', 0, 5],
      ['finished', 0, 9],
    ],
  });
  await expect(run()).rejects.toMatchObject({ problem: 'scan', isFinal: true });
  expect(client.calls).toEqual(['claim']);
  expect(camera.opened).toBe(0);
});

describe('the document step', () => {
  const conditional: PlanStep = { ...DOCUMENT, when: 'face_below_threshold' };
  const below = { age: { age: 17, lowerBound: 15 } as never };

  test('is due when it always is', async () => {
    const { run, camera, isClean } = await start({ steps: [FACE_STEP, DOCUMENT] });
    camera.put(...GOOD);
    await expect(run()).rejects.toMatchObject({ problem: 'document' });
    expect(isClean()).toEqual(CLEAN);
  });

  test.each(['threshold', 'age'] as const)('is due below the threshold, by %s', async (report) => {
    const { run, camera, engine } = await start({ steps: [{ ...FACE_STEP, report }, conditional] });
    engine.find(below);
    camera.put(...GOOD);
    await expect(run()).rejects.toMatchObject({ problem: 'document' });
  });

  test.each(['threshold', 'age'] as const)('is not due at the threshold and above, by %s', async (report) => {
    for (const lowerBound of [18, 30]) {
      const { run, camera, engine } = await start({ steps: [{ ...FACE_STEP, report }, conditional] });
      engine.find({ age: { age: 40, lowerBound } as never });
      camera.put(...GOOD);
      expect((await run()).end).toBeDefined();
    }
  });

  test('alone needs no camera', async () => {
    const { run, camera } = await start({ steps: [DOCUMENT] });
    await expect(run()).rejects.toMatchObject({ problem: 'document' });
    expect(camera.opened).toBe(0);
  });
});

describe('out of sight', () => {
  test('it pauses, and what was begun does not count afterwards', async () => {
    const { run, camera, client, platform, screens, isClean } = await start();
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

  test('from the beginning it waits to be seen, with the camera off', async () => {
    const { run, camera, platform } = await start();
    platform.setVisible(false);
    camera.put(...GOOD);
    const running = run();
    await settle();
    expect(camera.opened).toBe(0);
    platform.setVisible(true);
    expect((await running).end).toBeDefined();
  });

  test.each(['the beginning', 'the middle'])('it can be given up in %s', async (when) => {
    const { run, camera, control, platform, client, isClean } = await start();
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

  /** In the middle of the first challenge, with frames kept. */
  async function startAndLook() {
    const parts = await start();
    parts.camera.put(...GOOD.slice(0, 6));
    const running = parts.run();
    await untilTrue(() => parts.camera.left === 0 && parts.client.calls.includes('record shown 0'));
    await settle();
    expect(parts.engine.kept).toBeGreaterThan(0);
    return { ...parts, running };
  }

  test('the frames are gone at once, and the camera is off after five seconds', async () => {
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

  test('for a moment the camera stays on', async () => {
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

  test('a camera that is taken away is asked for again afterwards', async () => {
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

  test('a camera that is not given back says why', async () => {
    const { camera, platform, running, isClean } = await startAndLook();
    platform.setVisible(false);
    platform.pass(5_000);
    camera.meet(new CameraError('busy'));
    platform.setVisible(true);
    await expect(running).rejects.toMatchObject({ obstacle: 'busy' });
    expect(isClean()).toEqual(CLEAN);
  });

  test('a picture that does not begin is no camera that has stopped', async () => {
    const { run, camera, platform, names, isClean } = await start();
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

  test('a dialog over the page is the same, without a word about the background', async () => {
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

describe('whatever ends it, the camera is off and no frame is left', () => {
  /** In the middle of the first challenge, with frames kept. */
  async function startInTheMiddle() {
    const parts = await start();
    parts.camera.put(...GOOD.slice(0, 6));
    const running = parts.run();
    const outcome = running.then(
      () => 'answered',
      (error: unknown) => error,
    );
    await untilTrue(() => parts.camera.left === 0 && parts.client.calls.includes('record shown 0'));
    await settle();
    expect([parts.camera.running, parts.camera.playing]).toEqual([1, 1]);
    expect(parts.engine.kept).toBeGreaterThan(0);
    return { ...parts, outcome };
  }

  test('the person gives up', async () => {
    const { control, outcome, isClean } = await startInTheMiddle();
    control.abort('enough');
    expect(await outcome).toBe('enough');
    expect(isClean()).toEqual(CLEAN);
  });

  test('the camera is unplugged', async () => {
    const { camera, control, outcome, isClean } = await startInTheMiddle();
    camera.unplug();
    await outcome;
    expect(control.signal.reason).toMatchObject({ problem: 'unplugged' });
    expect(isClean()).toEqual(CLEAN);
  });

  test('the camera stands still', async () => {
    const { camera, outcome, isClean } = await startInTheMiddle();
    camera.stall(new CameraStalledError('still'));
    expect(await outcome).toMatchObject({ problem: 'unplugged' });
    expect(isClean()).toEqual(CLEAN);
  });

  test('the frames cannot be taken', async () => {
    const { camera, outcome, isClean } = await startInTheMiddle();
    camera.stall(new Error('no picture') as CameraStalledError);
    expect(await outcome).toMatchObject({ message: 'no picture' });
    expect(isClean()).toEqual(CLEAN);
  });

  test.each([
    [409, 'log_conflict'],
    [422, 'answer_refused'],
    [403, 'device_mismatch'],
  ])('a report is refused with %i %s', async (status, code) => {
    const { camera, client, control, outcome, isClean } = await startInTheMiddle();
    client.meet('record', refused(status, code));
    camera.put(...GOOD.slice(5, 9));
    await outcome;
    expect(control.signal.reason).toMatchObject({ code });
    expect(isClean()).toEqual(CLEAN);
  });

  test('the log is full', async () => {
    const { camera, client, control, outcome, isClean } = await startInTheMiddle();
    client.meet('record', new RangeError('full'));
    camera.put(...GOOD.slice(5, 9));
    await outcome;
    expect(control.signal.reason).toMatchObject({ problem: 'scan', isFinal: true });
    expect(isClean()).toEqual(CLEAN);
  });

  test('the worker dies', async () => {
    const { camera, engine, outcome, isClean } = await startInTheMiddle();
    engine.die();
    camera.put({});
    expect(await outcome).toMatchObject({ message: 'The face models are not loaded' });
    expect(isClean()).toEqual(CLEAN);
  });

  test('the models do not load', async () => {
    const models = createPromise<ModelThresholds>();
    const { run, isClean, platform } = await start({ modelsReady: models.promise });
    const running = expect(run()).rejects.toThrow('no models');
    await untilTrue(() => platform.timers === 1);
    models.reject(new Error('no models'));
    await running;
    expect(isClean()).toEqual(CLEAN);
  });

  test.each(['open', 'start'] as const)('it is given up while the camera takes its time to %s', async (what) => {
    const { run, camera, control, isClean, names } = await start();
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

  test('the picture never begins', async () => {
    const { run, camera, isClean } = await start();
    camera.meetAtStart(new CameraStalledError('nothing'));
    await expect(run()).rejects.toMatchObject({ problem: 'unplugged' });
    expect(isClean()).toEqual(CLEAN);
  });

  test('the camera is refused', async () => {
    const { run, camera, isClean, client } = await start();
    camera.meet(new CameraError('refused'));
    await expect(run()).rejects.toMatchObject({ obstacle: 'refused' });
    expect(isClean()).toEqual(CLEAN);
    expect(client.calls).toEqual(['claim']);
  });

  test('the answer is refused', async () => {
    const { run, camera, client, isClean } = await start();
    client.meet('submit', refused(422, 'answer_refused'));
    camera.put(...GOOD);
    await expect(run()).rejects.toMatchObject({ code: 'answer_refused' });
    expect(isClean()).toEqual(CLEAN);
  });
});
