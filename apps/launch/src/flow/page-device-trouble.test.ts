// Failures on the device and hasty input: the person sees the problem and can continue or give up.
import { describe, expect, test } from 'vitest';
import { ASKS, offline } from '../../testing/fakes/fake-device-client.ts';
import { createPromise, PLAN, settle, untilTrue } from '../../testing/fakes/fake-flow.ts';
import { createFakePage, type FakePage } from '../../testing/fakes/fake-page.ts';
import { GOOD, lookAhead } from '../../testing/fakes/fake-reports.ts';
import { startAndRead, startCapture } from '../../testing/fakes/page-steps.ts';
import { CameraError } from '../camera/open-camera.ts';
import { CameraStalledError } from '../camera/take-frames.ts';
import { type LoadErrorCode, ModelLoadError } from '../models/face-engine.ts';

/** Completes the check after the obstacle is gone. */
async function retryToTheEnd(page: FakePage) {
  page.camera.put(...GOOD);
  page.actions.retry();
  await page.see('end', { how: 'done' });
  expect([page.camera.running, page.camera.playing, page.engine.kept]).toEqual([0, 0, 0]);
}

/** Guidance, person and face: all requested at once. */
const STAGES = 3;
const atEachStage = (times: number, code: LoadErrorCode) =>
  Array.from({ length: times * STAGES }, () => new ModelLoadError(code));

describe('the camera', () => {
  test.each(['refused', 'missing', 'busy', 'insecure'] as const)(
    'can be requested again after it was %s',
    async (state) => {
      const page = createFakePage();
      await startAndRead(page);
      page.camera.meet(new CameraError(state));
      page.actions.askForCamera();
      await page.see('permission', { state });
      page.camera.put(...GOOD);
      page.actions.askForCamera();
      await page.see('end', { how: 'done' });
      expect(page.client.calls.filter((call) => call === 'claim')).toHaveLength(1);
    },
  );

  test('requests the camera once, however often the button is pressed', async () => {
    const page = createFakePage();
    await startAndRead(page);
    const answer = createPromise<void>();
    page.camera.meet(() => answer.promise);
    page.actions.askForCamera();
    page.actions.askForCamera();
    answer.resolve();
    await page.see('capture');
    expect(page.camera.opened).toBe(1);
  });

  test('turns off a camera that is allowed only after giving up', async () => {
    const page = createFakePage();
    await startAndRead(page);
    const answer = createPromise<void>();
    page.camera.meet(() => answer.promise);
    page.actions.askForCamera();
    page.cancel();
    await page.see('end', { how: 'cancelled' });
    answer.resolve();
    await settle();
    expect(page.screen()).toMatchObject({ name: 'end' });
    expect(page.camera.running).toBe(0);
  });

  test.each([
    ['is unplugged', (page: FakePage) => page.camera.unplug()],
    ['stands still', (page: FakePage) => page.camera.stall(new CameraStalledError('still'))],
  ])('reports a camera that %s, turns it off and allows a retry', async (_, trouble) => {
    const page = createFakePage();
    await startCapture(page);
    trouble(page);
    await page.see('problem', { problem: 'unplugged', canRetry: true });
    await settle();
    expect([page.camera.running, page.camera.playing, page.engine.kept]).toEqual([0, 0, 0]);
  });

  test('uses a camera again after it was unplugged', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.camera.unplug();
    await page.see('problem');
    await retryToTheEnd(page);
    expect(page.client.calls).toContain('record retried 0');
  });
});

describe('the models', () => {
  test('loads models when needed if they failed to load during the explanation', async () => {
    const page = createFakePage();
    page.engine.meetAtLoad(new ModelLoadError('offline'));
    await startAndRead(page);
    page.camera.put(...GOOD);
    page.actions.askForCamera();
    await page.see('end', { how: 'done' });
    // The failed request, then guidance, person and face.
    expect(page.engine.loads).toHaveLength(4);
  });

  test('reports models that fail to load, and retries', async () => {
    const page = createFakePage();
    page.engine.meetAtLoad(...atEachStage(2, 'offline'));
    await startAndRead(page);
    page.actions.askForCamera();
    await page.see('problem', { problem: 'models', canRetry: true });
    expect(page.camera.opened).toBe(0);
    await retryToTheEnd(page);
  });

  test.each(['failed', 'mismatch'] as const)('reports models that loaded but do not run: %s', async (code) => {
    const page = createFakePage();
    page.engine.meetAtLoad(...atEachStage(2, code));
    await startAndRead(page);
    page.actions.askForCamera();
    await page.see('problem', { problem: 'broken', canRetry: true });
    page.cancel();
    await page.see('end');
    expect(page.client.calls.at(-1)).toBe('cancel -20');
  });

  test('reloads the page after the worker failed to start, once the service answers', async () => {
    const page = createFakePage();
    page.engine.meetAtLoad(...atEachStage(2, 'unstarted'));
    await startAndRead(page);
    page.actions.askForCamera();
    await page.see('problem', { problem: 'models', canRetry: true });
    page.client.meet('view', offline());
    page.actions.retry();
    await page.see('loading');
    await page.see('problem', { problem: 'models', canRetry: true });
    expect(page.platform.reloads).toBe(0);
    page.actions.retry();
    await untilTrue(() => page.platform.reloads === 1);
    expect(page.engine.loads).toHaveLength(2 * STAGES);
  });

  test('requests no models but reloads the page if the check’s code fails to load', async () => {
    const page = createFakePage({ checkIsMissing: true });
    await page.open();
    page.actions.start();
    await page.see('problem', { problem: 'models', canRetry: true });
    expect(page.engine.loads).toHaveLength(0);
    page.actions.retry();
    await untilTrue(() => page.platform.reloads === 1);
  });

  test('needs no page reload if the second attempt loads the models', async () => {
    const page = createFakePage();
    page.engine.meetAtLoad(new ModelLoadError('unstarted'));
    await startCapture(page);
    page.camera.unplug();
    await page.see('problem');
    await retryToTheEnd(page);
    expect(page.platform.reloads).toBe(0);
  });

  test('reports the progress of the models', async () => {
    const page = createFakePage();
    const loaded = createPromise<void>();
    page.engine.meetAtLoad(() => loaded.promise);
    await startAndRead(page);
    page.engine.loads[0]!.onProgress?.(0.2);
    expect(page.screen()).toMatchObject({ name: 'permission' });
    page.actions.askForCamera();
    await settle();
    expect(page.screen()).toMatchObject({ name: 'permission', state: 'asking' });
    page.platform.pass(300);
    await page.see('loading', { share: null });
    page.engine.loads[0]!.onProgress?.(0.6);
    // Later models report no progress.
    page.engine.loads[1]!.onProgress?.(0.1);
    expect(page.screen()).toEqual({ name: 'loading', share: expect.closeTo(0.21) });
    loaded.resolve();
    await page.see('capture');
    expect(page.engine.loads.filter(({ onProgress }) => onProgress)).toHaveLength(3);
  });

  test('keeps the camera off on a slow network until the first movement is possible, with one bar', async () => {
    const page = createFakePage();
    const [guidance, person] = [createPromise<void>(), createPromise<void>()];
    page.engine.meetAtLoad(
      () => guidance.promise,
      () => person.promise,
    );
    await startAndRead(page);
    page.camera.put(...GOOD);
    page.actions.askForCamera();
    await settle();
    page.platform.pass(4_001);
    page.engine.loads[0]!.onProgress?.(1);
    await page.see('loading', { share: 0.35 });
    guidance.resolve();
    await settle();
    page.engine.loads[1]!.onProgress?.(0.5);
    expect(page.screen()).toEqual({ name: 'loading', share: expect.closeTo(0.675) });
    expect(page.camera.opened).toBe(0);
    person.resolve();
    await page.see('end', { how: 'done' });
  });

  test('loads the remaining models during the movements, and retries if they fail', async () => {
    const page = createFakePage();
    page.engine.meetAtLoad(
      async () => undefined,
      async () => undefined,
      async () => Promise.reject(new ModelLoadError('offline')),
    );
    await startAndRead(page);
    page.camera.put(...GOOD);
    page.actions.askForCamera();
    await page.see('end', { how: 'done' });
    const [first, second, ...later] = page.engine.loads.map(({ roles }) => roles.includes('age_deep'));
    expect([first, second, later]).toEqual([false, false, [true, true]]);
  });

  test('loads the person models during guidance and reports their failure', async () => {
    const page = createFakePage();
    const personModels = Promise.withResolvers<void>();
    page.engine.meetAtLoad(
      async () => undefined,
      () => personModels.promise,
    );
    await startAndRead(page);
    page.camera.put(...GOOD);
    page.actions.askForCamera();
    await page.see('capture', { prompt: 'guide.holdStill' });
    expect(page.client.calls).not.toContain('record shown 0');
    personModels.reject(new ModelLoadError('offline'));
    await page.see('problem', { problem: 'models', canRetry: true });
    expect(page.camera.running).toBe(0);
    await retryToTheEnd(page);
  });

  test('loads the guidance models once, while the person reads the first screen', async () => {
    const page = createFakePage();
    const loaded = Promise.withResolvers<void>();
    page.engine.meetAtLoad(() => loaded.promise);
    await page.open();
    page.platform.pass(999);
    expect(page.engine.loads).toHaveLength(0);
    page.platform.pass(1);
    expect(page.engine.loads).toMatchObject([{ roles: ['detect', 'landmarks', 'eye'], manifestHash: null }]);
    expect(page.client.calls).not.toContain('claim');
    page.actions.start();
    await page.see('permission', { state: 'explain' });
    page.actions.askForCamera();
    await settle();
    page.platform.pass(300);
    await page.see('loading', { share: null });
    // Reported by the load that the first screen started; no other has started yet.
    page.engine.loads[0]!.onProgress?.(0.6);
    expect(page.screen()).toEqual({ name: 'loading', share: expect.closeTo(0.21) });
    expect(page.engine.loads).toHaveLength(1);
    loaded.resolve();
    await page.see('capture');
    expect(page.engine.loads[1]).toMatchObject({
      roles: ['detect', 'landmarks', 'eye'],
      manifestHash: PLAN.modelManifest,
    });
  });

  test('silently retries models that failed to load during the first screen', async () => {
    const page = createFakePage();
    page.engine.meetAtLoad(new ModelLoadError('offline'));
    await page.open();
    page.platform.pass(1_000);
    expect(page.engine.loads).toHaveLength(1);
    await settle();
    expect(page.screen()).toMatchObject({ name: 'welcome' });
    page.actions.start();
    await page.see('permission', { state: 'explain' });
    page.camera.put(...GOOD);
    page.actions.askForCamera();
    await page.see('end', { how: 'done' });
  });

  test.each([
    ['a document comes first', { view: { asks: { ...ASKS, steps: ['identity_document' as const, 'face' as const] } } }],
    ['there is a quicker way', { view: { asks: { ...ASKS, proofs: ['age_key' as const] } } }],
    ['the camera will not do', { isComputer: true, view: { enableDesktop: false } }],
    ['the person saves data', { savesData: true }],
  ])('does not load models early if %s', async (_, options) => {
    const page = createFakePage(options);
    await page.open();
    page.platform.pass(60_000);
    expect(page.engine.loads).toEqual([]);
  });

  test('does not load models early on a hidden page', async () => {
    const page = createFakePage();
    page.platform.setVisible(false);
    await page.open();
    page.platform.pass(60_000);
    expect(page.engine.loads).toEqual([]);
  });

  test('reports models that are missing for the examination', async () => {
    const page = createFakePage();
    page.engine.meetAtLoad(
      async () => undefined,
      async () => undefined,
      // Requested during the explanation, when the camera opens, and when needed.
      ...[1, 2, 3].map(() => new ModelLoadError('offline')),
    );
    await startAndRead(page);
    page.camera.put(...GOOD);
    page.actions.askForCamera();
    await page.see('problem', { problem: 'models', canRetry: true });
    expect(page.camera.running).toBe(0);
  });

  test('waits for models that the service does not have yet, until the session ends', async () => {
    const page = createFakePage();
    page.engine.meetAtLoad(...atEachStage(2, 'unready'));
    await startAndRead(page);
    page.actions.askForCamera();
    await settle();
    page.platform.pass(3_000);
    await page.see('loading', { unready: true });
    expect(page.camera.opened).toBe(0);
    page.cancel();
    await page.see('end');
    page.platform.pass(60_000);
    await settle();
    expect(page.engine.loads).toHaveLength(2 * STAGES);
    expect(page.platform.timers).toBe(0);
  });

  test('reports models that the service has not had for two minutes', async () => {
    const page = createFakePage();
    page.engine.meetAtLoad(...atEachStage(41, 'unready'));
    await startAndRead(page);
    page.actions.askForCamera();
    for (let asked = 1; asked < 41; asked += 1) {
      await untilTrue(() => page.engine.loads.length === asked * STAGES);
      await settle();
      page.platform.pass(3_000);
    }
    await page.see('problem', { problem: 'models', canRetry: true });
    expect(page.camera.opened).toBe(0);
    await retryToTheEnd(page);
  });

  test('offers the phone if the models cannot run here', async () => {
    const page = createFakePage({ isComputer: true });
    page.engine.meetAtLoad(...atEachStage(2, 'unsupported'));
    await startAndRead(page);
    page.actions.askForCamera();
    await page.see('problem', { problem: 'unsupported', canRetry: false, canUsePhone: true });
    page.actions.usePhone();
    await page.see('handoff', { state: 'code' });
  });

  test('loads models again after their worker died', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.engine.die();
    page.camera.put({});
    // The first crash is recovered silently.
    await page.see('capture', { prompt: 'challenge.again' });
    page.engine.die();
    page.camera.put({});
    await page.see('problem', { problem: 'unexpected', canRetry: true });
    await retryToTheEnd(page);
  });
});

describe('a failed step', () => {
  test.each([
    ['dark', { problems: ['too_dark' as const] }, -10],
    ['faces', { people: 2 }, -11],
    ['scan', { people: 0 }, -22],
  ] as const)('is shown as %s, can be retried, and can be given up with its code', async (problem, look, code) => {
    const page = createFakePage();
    await startAndRead(page);
    page.camera.put(...lookAhead(400, look as object));
    page.actions.askForCamera();
    await page.see('problem', { problem });
    page.actions.retry();
    await page.see('capture');
    page.camera.put(...lookAhead(400, look as object));
    await page.see('problem', { problem });
    page.cancel();
    await page.see('end', { how: 'cancelled' });
    expect(page.client.calls.at(-1)).toBe(`cancel ${code}`);
  });

  test('retries once, however often the button is pressed', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.camera.unplug();
    await page.see('problem');
    page.actions.retry();
    await retryToTheEnd(page);
  });

  test('offers no retry after the log is full, only giving up or another device', async () => {
    const page = createFakePage({ isComputer: true });
    await startCapture(page);
    page.client.meet('record', new RangeError('full'));
    page.camera.put(...GOOD.slice(5, 9));
    await page.see('problem', { problem: 'scan', canRetry: false, canUsePhone: true });
  });
});

describe('a dialog over the check', () => {
  test.each(['askToCancel', 'showPrivacy'] as const)(
    'never counts as a spoof, however long it is open: %s',
    async (ask) => {
      const page = createFakePage();
      await startCapture(page);
      page.actions[ask]();
      page.camera.put(...lookAhead(700));
      await settle();
      page.platform.pass(60_000);
      await settle();
      expect(page.client.submitted).toEqual([]);
      page.camera.clear();
      page.actions.closeDialog();
      page.camera.put(...GOOD);
      await page.see('end', { how: 'done' });
    },
  );

  test('ends the check when the cancel dialog is confirmed', async () => {
    const page = createFakePage();
    await startCapture(page);
    page.actions.askToCancel();
    await settle();
    page.actions.confirmCancel();
    await page.see('end', { how: 'cancelled' });
    expect([page.camera.running, page.camera.playing, page.engine.kept]).toEqual([0, 0, 0]);
  });
});

describe('hasty input', () => {
  test('claims once when start is pressed twice', async () => {
    const page = createFakePage();
    await page.open();
    page.actions.start();
    page.actions.start();
    await page.see('permission', { state: 'explain' });
    expect(page.client.calls).toEqual(['view', 'claim']);
  });

  test('does not continue to the camera after giving up during the browser’s prompt', async () => {
    const page = createFakePage();
    const asked = createPromise<boolean>();
    let isAsked = false;
    page.camera.isAllowed = () => {
      isAsked = true;
      return asked.promise;
    };
    await page.open();
    page.actions.start();
    await untilTrue(() => isAsked);
    page.cancel();
    asked.resolve(true);
    await page.see('end', { how: 'cancelled' });
    await settle();
    expect(page.names()).toEqual(['welcome', 'working', 'end']);
    expect(page.camera.opened).toBe(0);
  });

  test('shows the service’s end when the person gives up while the answer is in flight', async () => {
    const page = createFakePage();
    await startCapture(page);
    const sending = createPromise<void>();
    page.client.meet('submit', () => sending.promise);
    page.camera.put(...GOOD.slice(5));
    await untilTrue(() => page.client.calls.includes('submit'));
    page.platform.pressBack();
    page.actions.confirmCancel();
    sending.resolve();
    await page.see('end');
    const shown = page.states.length;
    await settle();
    expect(page.states).toHaveLength(shown);
  });
});
