import type { LogEntry } from '@limen/sdk/device';
import { describe, expect, test } from 'vitest';
import { isLegal } from '../../../../../packages/sdk/testing/judge-log.ts';
import { THRESHOLDS } from '../../../testing/fakes/fake-camera.ts';
import { CLEAN, SIGNALS, startCheck } from '../../../testing/fakes/fake-check.ts';
import { offline } from '../../../testing/fakes/fake-device-client.ts';
import { DOCUMENT_STEP, findDocument } from '../../../testing/fakes/fake-documents.ts';
import { createPromise, FACE_STEP, settle, untilTrue } from '../../../testing/fakes/fake-flow.ts';
import { GOOD, lookAhead } from '../../../testing/fakes/fake-reports.ts';
import type { ModelThresholds } from '../../models/face-engine.ts';

test('runs from the camera to the answer and leaves nothing behind', async () => {
  const { run, camera, client, names, labels, isClean } = await startCheck();
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

describe('signs from the camera stream', () => {
  const submitOf = async (parts: Awaited<ReturnType<typeof startCheck>>) => {
    await parts.run();
    expect(parts.isClean()).toEqual(CLEAN);
    return parts.client.submitted;
  };

  test('reports camera signs in the answer, also for a spoof', async () => {
    const person = await startCheck();
    person.camera.put(...GOOD.map((look) => ({ ...look, repeats: true as const })));
    expect(await submitOf(person)).toMatchObject([{ face: { spoof: false }, camera: ['repeated_noise'] }]);
    const photo = await startCheck();
    photo.camera.put({ repeats: true }, ...lookAhead(700));
    expect(await submitOf(photo)).toEqual([{ face: { spoof: true }, indicators: SIGNALS, camera: ['repeated_noise'] }]);
  });

  test('sends the camera a request if the plan says so, and detects an answer that no camera gives', async () => {
    const step = { ...FACE_STEP, cameraRequest: { after: 0 } };
    const parts = await startCheck({ steps: [step] });
    const asked: unknown[] = [];
    parts.camera.track({
      getSettings: () => ({ frameRate: 30 }),
      applyConstraints: (async (wanted?: MediaTrackConstraints) => {
        asked.push(wanted);
        throw new TypeError('no');
      }).bind(null),
    });
    parts.camera.put(...GOOD);
    expect(await submitOf(parts)).toMatchObject([{ face: { spoof: false }, camera: ['request_ignored'] }]);
    expect(asked).toEqual([{ frameRate: { ideal: 15, max: 15 } }, {}]);
    const log = parts.client.log();
    expect(isLegal(log, { steps: [step], stepsDue: [0], cutShort: false })).toBe(true);
    const [request, reply] = (['asked', 'answered'] as const).map((event) => log.filter(([name]) => name === event));
    expect(reply).toEqual([['answered', 0, expect.any(Number)]]);
    expect(reply![0]![2]).toBeGreaterThanOrEqual(request![0]![2]);
  });

  test('ignores an answer of the camera to an earlier attempt', async () => {
    const step = { ...FACE_STEP, cameraRequest: { after: 0 } };
    const parts = await startCheck({ steps: [step] });
    const reply = createPromise<void>();
    parts.camera.track({
      getSettings: () => ({ frameRate: 30 }),
      applyConstraints: (() => reply.promise).bind(null),
    });
    const events = () => parts.client.log().map(([event]) => event);
    parts.camera.put(...GOOD.slice(0, 9));
    const running = submitOf(parts);
    await untilTrue(() => events().includes('asked'));
    parts.platform.setVisible(false);
    parts.platform.setVisible(true);
    parts.camera.put(...lookAhead(2));
    await untilTrue(() => events().includes('retried'));
    reply.resolve();
    await settle();
    expect(events()).not.toContain('answered');
    parts.camera.put(...GOOD);
    await running;
    expect(isLegal(parts.client.log(), { steps: [step], stepsDue: [0], cutShort: false })).toBe(true);
  });
});

/** Runs a good check whose answer stays in flight until `sending` resolves. */
async function startSending() {
  const { run, camera, client } = await startCheck();
  const sending = createPromise<void>();
  client.meet('submit', () => sending.promise);
  camera.put(...GOOD);
  const running = run();
  await untilTrue(() => client.calls.includes('submit'));
  return { camera, client, sending, running };
}

test('turns the camera off before it sends the answer', async () => {
  const { camera, sending, running } = await startSending();
  expect([camera.running, camera.playing]).toEqual([0, 0]);
  sending.resolve();
  await running;
});

test('answers a spoof without finishing the step, and skips the other steps', async () => {
  const { run, camera, client, isClean } = await startCheck({ steps: [FACE_STEP, DOCUMENT_STEP] });
  camera.put(...lookAhead(700));
  await run();
  expect(client.submitted).toEqual([{ face: { spoof: true }, indicators: SIGNALS }]);
  expect(isLegal(client.log(), { steps: [FACE_STEP, DOCUMENT_STEP], stepsDue: [0], cutShort: true })).toBe(true);
  expect(isClean()).toEqual(CLEAN);
});

test('continues in the newly shown element after a second look', async () => {
  const { run, engine, camera, client, names, isClean } = await startCheck();
  engine.find({ liveness: 0.1 });
  camera.put(...GOOD, ...GOOD);
  await run();
  expect(client.submitted).toHaveLength(1);
  expect(names()).toEqual(['permission', 'capture', 'working', 'capture', 'working']);
  expect(camera.opened).toBe(1);
  expect(isClean()).toEqual(CLEAN);
});

test('shows that the answer waits for the network', async () => {
  const { run, camera, client, platform, screens } = await startCheck();
  client.meet('submit', offline(), offline());
  camera.put(...GOOD);
  const running = run();
  await untilTrue(() => (screens.at(-1) as { offline?: boolean } | undefined)?.offline === true);
  expect(screens.at(-1)).toEqual({ name: 'working', doing: 'sending', offline: true });
  platform.comeOnline();
  await untilTrue(() => platform.timers === 1);
  platform.comeOnline();
  expect((await running).end).toBeDefined();
});

test('waits for slow models with the camera off and shows a loading screen', async () => {
  const models = createPromise<ModelThresholds>();
  const { run, camera, platform, names, isClean } = await startCheck({ modelsReady: models.promise });
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

test('guides for ten seconds without the person models, then shows loading with the camera off', async () => {
  const rest = createPromise<void>();
  const { run, camera, client, screens, names, isClean } = await startCheck({ restReady: rest.promise });
  camera.put(...lookAhead(150));
  const running = run();
  await untilTrue(() => screens.at(-1)?.name === 'loading');
  await settle();
  expect([camera.left, camera.running, camera.playing]).toEqual([50, 0, 0]);
  camera.clear();
  camera.put(...GOOD);
  rest.resolve();
  expect((await running).end?.flowStatus).toBe('COMPLETED');
  expect(names()).toEqual(['permission', 'capture', 'loading', 'permission', 'capture', 'working']);
  expect(isLegal(client.log(), { steps: [FACE_STEP], stepsDue: [0], cutShort: false })).toBe(true);
  expect(isClean()).toEqual(CLEAN);
});

test('reports the end of the last step only with the answer, so a reload can restart the step', async () => {
  const { client, sending, running } = await startSending();
  expect(client.calls).not.toContain('record finished 0');
  const again = await startCheck({ reported: client.log() });
  again.camera.put(...GOOD);
  expect((await again.run()).end?.flowStatus).toBe('COMPLETED');
  expect(isLegal(again.client.log(), { steps: [FACE_STEP], stepsDue: [0], cutShort: false })).toBe(true);
  sending.resolve();
  await running;
});

test('retries a step that was started before a reload', async () => {
  const { run, camera, client } = await startCheck({ reported: [['started', 0, 5]] });
  camera.put(...GOOD);
  await run();
  expect(client.calls.find((call) => call.startsWith('record'))).toBe('record retried 0');
  expect(isLegal(client.log(), { steps: [FACE_STEP], stepsDue: [0], cutShort: false })).toBe(true);
});

describe('a check that was started before', () => {
  const challenges = FACE_STEP.challenges.flatMap((_, i): LogEntry[] => [
    ['shown', i, 6],
    ['done', i, 7],
  ]);
  const BEGUN: LogEntry[] = [['started', 0, 5], ...challenges, ['finished', 0, 9], ['started', 1, 12]];

  test.each([
    ['in its first step', BEGUN.slice(0, 1)],
    ['between the steps', BEGUN.slice(0, -1)],
    ['in its second step', BEGUN],
  ])('restarts with the first step if the findings were lost %s', async (_where, reported) => {
    const steps = [FACE_STEP, DOCUMENT_STEP];
    const { run, camera, client, choose } = await startCheck({ steps, reported });
    camera.put(...GOOD);
    const running = run();
    await choose('document', { choice: 'kind', kind: 'passport' });
    await choose('document_hold', { choice: 'camera' });
    camera.put(findDocument({ embedding: Float32Array.of(1, 0) }));
    expect((await running).end?.flowStatus).toBe('COMPLETED');
    expect(client.calls.find((call) => call.startsWith('record'))).toBe('record retried 0');
    expect(isLegal(client.log(), { steps, stepsDue: [0, 1], cutShort: false })).toBe(true);
  });
});

describe('a worker that dies', () => {
  test.each(['watch', 'tie'] as const)(
    'replaces a worker that died in %s and restarts with the person present',
    async (call) => {
      const { run, camera, engine, client, brought, names, isClean } = await startCheck();
      const ask = engine[call].bind(engine) as (request: never) => Promise<never>;
      let isDying = false;
      engine[call] = async (request: never) => {
        if (isDying) engine.die();
        isDying = false;
        return ask(request);
      };
      camera.put(...GOOD.slice(0, 8));
      const running = run();
      await untilTrue(() => camera.left === 0);
      await settle();
      isDying = true;
      camera.put(...GOOD.slice(8, 10));
      await untilTrue(() => brought.length === 6 && camera.left === 0);
      camera.put(...[...lookAhead(4), ...GOOD].map((look) => ({ ...look, who: 'somebody else' })));
      expect((await running).end?.flowStatus).toBe('COMPLETED');
      expect(new Set(engine.examined.flat())).toEqual(new Set(['somebody else']));
      expect(brought.slice(3)).toEqual(['guidance', 'person', 'face']);
      expect(names()).toEqual(['permission', 'capture', 'working']);
      expect(isLegal(client.log(), { steps: [FACE_STEP], stepsDue: [0], cutShort: false })).toBe(true);
      expect(isClean()).toEqual(CLEAN);
    },
  );

  test('rejects if the same worker could not read a frame', async () => {
    const { run, camera, engine, isClean } = await startCheck();
    engine.watch = () => Promise.reject(new Error('unreadable'));
    camera.put(...GOOD);
    await expect(run()).rejects.toThrow('unreadable');
    expect(isClean()).toEqual(CLEAN);
  });
});

test('treats another person in the middle of two tries as a spoof', async () => {
  const { run, camera, client, isClean } = await startCheck();
  const takeOver = [...GOOD.slice(0, 10), ...GOOD.slice(10, 14).map((look) => ({ ...look, who: 'somebody else' }))];
  camera.put(...takeOver, ...lookAhead(450, { problems: ['too_dark'] }));
  await expect(run()).rejects.toMatchObject({ problem: 'dark' });
  camera.clear();
  camera.put(...takeOver);
  await run();
  expect(client.submitted).toMatchObject([{ face: { spoof: true } }]);
  expect(isClean()).toEqual(CLEAN);
});
