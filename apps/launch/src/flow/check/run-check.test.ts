import type { DocumentPlanStep } from '@limen/plan';
import type { DevicePlan, LogEntry, PlanStep } from '@limen/sdk/device';
import { describe, expect, test } from 'vitest';
import { isLegal } from '../../../../../packages/sdk/testing/judge-log.ts';
import { createFakeCamera, createFakeEngine, type FakeVideo, THRESHOLDS } from '../../../testing/fakes/fake-camera.ts';
import { createFakeClient, offline, refused } from '../../../testing/fakes/fake-device-client.ts';
import { DOCUMENT_STEP, findDocument, findProblem, seeSide } from '../../../testing/fakes/fake-documents.ts';
import { createPromise, FACE_STEP, PLAN, settle, untilTrue } from '../../../testing/fakes/fake-flow.ts';
import { createFakePasskeys, createFakePeople } from '../../../testing/fakes/fake-people.ts';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import { answerAll, lookAhead } from '../../../testing/fakes/fake-reports.ts';
import { CameraStalledError } from '../../camera/await-picture.ts';
import { CameraError } from '../../camera/open-camera.ts';
import type { Screen } from '../../course/screens.ts';
import type { DocumentFound, DocumentReport } from '../../document/kinds.ts';
import type { ModelThresholds } from '../../models/face-engine.ts';
import type { DocumentChoice } from '../../steps/document/document-step.ts';
import { createAttention } from '../camera/attention.ts';
import { createInbox } from '../waiting/inbox.ts';
import { createLatch } from '../waiting/latch.ts';
import { keepFindings } from './keep-findings.ts';
import { runCheck } from './run-check.ts';
import type { PersonChoice } from './run-person-steps.ts';

const GOOD = answerAll(FACE_STEP);
const SERVER_NOW = Date.parse('2026-03-01T12:34:56.789Z');
const SIGNALS = { headless: ['webdriver'], virtualCamera: [], browserAnomalies: [] };

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
  const labels: (string | null)[] = [];
  const brought: string[] = [];
  const choices = createInbox<DocumentChoice>();
  const kept = keepFindings();
  const video = createLatch<HTMLVideoElement>();
  let element: FakeVideo | undefined;
  await engine.load({ roles: [], manifestHash: '' });
  await client.claim();
  const run = () =>
    runCheck({
      client,
      plan,
      kept,
      engine,
      camera,
      platform,
      attention,
      control,
      video: video.wait,
      explainCamera: async () => undefined,
      people: createFakePeople(),
      passkeys: createFakePasskeys(),
      timeLeftMs: () => 60_000,
      canUsePhone: false,
      choosePerson: createInbox<PersonChoice>().take,
      chooseDocument: choices.take,
      readPicture: async () => ({}) as ImageBitmap,
      serverNow: () => SERVER_NOW,
      loadModels(step) {
        brought.push(step);
        return modelsReady;
      },
      collectSignals: async (label) => {
        labels.push(label);
        return SIGNALS;
      },
      show(screen) {
        screens.push(screen);
        const isCapture = ['capture', 'document_capture'].includes(screen.name);
        if (isCapture === (element?.isShown ?? false)) return;
        if (element) element.isShown = false;
        element = isCapture ? { isShown: true } : undefined;
        video.set((element as unknown as HTMLVideoElement) ?? null);
      },
    });
  const names = () => screens.map(({ name }) => name).filter((name, i, all) => name !== all[i - 1]);
  const isClean = () => [camera.running, camera.playing, engine.kept, platform.listeners, platform.timers];
  /** As soon as the screen is there. */
  const choose = async (name: Screen['name'], choice: DocumentChoice) => {
    await untilTrue(
      () => screens.at(-1)?.name === name,
      () => screens.at(-1),
    );
    await settle();
    choices.put(choice);
  };
  return {
    platform,
    attention,
    client,
    engine,
    camera,
    control,
    screens,
    labels,
    brought,
    run,
    names,
    isClean,
    choose,
    kept,
  };
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

/** A good check whose answer is on its way until `sending` resolves. */
async function startSending() {
  const { run, camera, client } = await start();
  const sending = createPromise<void>();
  client.meet('submit', () => sending.promise);
  camera.put(...GOOD);
  const running = run();
  await untilTrue(() => client.calls.includes('submit'));
  return { camera, client, sending, running };
}

test('the camera is off before the answer is sent', async () => {
  const { camera, sending, running } = await startSending();
  expect([camera.running, camera.playing]).toEqual([0, 0]);
  sending.resolve();
  await running;
});

test('a spoof is answered with no end of the step, and nothing else is looked at', async () => {
  const { run, camera, client, isClean } = await start({ steps: [FACE_STEP, DOCUMENT_STEP] });
  camera.put(...lookAhead(700));
  await run();
  expect(client.submitted).toEqual([{ face: { spoof: true }, indicators: SIGNALS }]);
  expect(isLegal(client.log(), { steps: [FACE_STEP, DOCUMENT_STEP], stepsDue: [0], cutShort: true })).toBe(true);
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
  await untilTrue(() => (screens.at(-1) as { offline?: boolean } | undefined)?.offline === true);
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
  const { client, sending, running } = await startSending();
  expect(client.calls).not.toContain('record finished 0');
  const again = await start({ reported: client.log() });
  again.camera.put(...GOOD);
  expect((await again.run()).end?.flowStatus).toBe('COMPLETED');
  expect(isLegal(again.client.log(), { steps: [FACE_STEP], stepsDue: [0], cutShort: false })).toBe(true);
  sending.resolve();
  await running;
});

test('a step that was begun before a reload is tried again', async () => {
  const { run, camera, client } = await start({ reported: [['started', 0, 5]] });
  camera.put(...GOOD);
  await run();
  expect(client.calls.find((call) => call.startsWith('record'))).toBe('record retried 0');
  expect(isLegal(client.log(), { steps: [FACE_STEP], stepsDue: [0], cutShort: false })).toBe(true);
});

describe('a check that was begun before', () => {
  const challenges = FACE_STEP.challenges.flatMap((_, i): LogEntry[] => [
    ['shown', i, 6],
    ['done', i, 7],
  ]);
  const BEGUN: LogEntry[] = [['started', 0, 5], ...challenges, ['finished', 0, 9], ['started', 1, 12]];

  test.each([
    ['in its first step', BEGUN.slice(0, 1)],
    ['between the steps', BEGUN.slice(0, -1)],
    ['in its second step', BEGUN],
  ])('%s begins again with the first: what it found is gone', async (_where, reported) => {
    const steps = [FACE_STEP, DOCUMENT_STEP];
    const { run, camera, client, choose } = await start({ steps, reported });
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

describe('with a document', () => {
  const face = () => Float32Array.of(0.6, 0.8);
  const read = (changes: Partial<DocumentFound> = {}) => findDocument({ embedding: Float32Array.of(1, 0), ...changes });
  const told = { type: 'passport', country: 'SWE', verifiedAt: '2026-03-01T12:34:56Z', signs: [] };
  const above = { thresholdResult: 'AGE_ABOVE_THRESHOLD' };

  async function show({ choose, camera }: Awaited<ReturnType<typeof start>>, report: DocumentReport) {
    await choose('document', { choice: 'kind', kind: 'passport' });
    await choose('document_hold', { choice: 'camera' });
    camera.put(report);
  }

  test('the face comes first and is compared, each with its own camera and models, and nothing is left', async () => {
    const steps = [FACE_STEP, DOCUMENT_STEP];
    const parts = await start({ steps });
    const { run, camera, client, engine, names, brought, isClean } = parts;
    const [live, portrait] = [face(), Float32Array.of(1, 0)];
    engine.find({ embedding: live });
    camera.put(...GOOD);
    const running = run();
    await untilTrue(() => names().at(-1) === 'document');
    expect(camera.running).toBe(0);
    await show(parts, read({ embedding: portrait }));
    await running;
    expect(client.submitted).toEqual([
      { face: { spoof: false, ...above }, document: { ...above, matchScore: 0.6, ...told }, indicators: SIGNALS },
    ]);
    expect(camera.facings).toEqual(['user', 'environment']);
    expect(new Set(brought)).toEqual(new Set(['face', 'identity_document']));
    expect(brought[0]).toBe('face');
    expect(engine.wishes).toEqual([{ kind: 'passport', wantsPortrait: true, today: PLAN.today }]);
    expect(isLegal(client.log(), { steps, stepsDue: [0, 1], cutShort: false })).toBe(true);
    expect([...live, ...portrait]).toEqual([0, 0, 0, 0]);
    expect([engine.hasDocument, ...isClean()]).toEqual([false, ...CLEAN]);
  });

  test('the document may come first', async () => {
    const steps = [DOCUMENT_STEP, FACE_STEP];
    const parts = await start({ steps });
    const { run, camera, client, engine, isClean } = parts;
    engine.find({ embedding: face() });
    const running = run();
    await show(parts, read());
    camera.put(...GOOD);
    await running;
    expect(client.submitted[0]).toMatchObject({ document: { matchScore: 0.6 }, face: above });
    expect(camera.facings).toEqual(['environment', 'user']);
    expect(isLegal(client.log(), { steps, stepsDue: [0, 1], cutShort: false })).toBe(true);
    expect(isClean()).toEqual(CLEAN);
  });

  test('alone it is compared with nobody, and no portrait is looked for', async () => {
    const parts = await start({ steps: [{ ...DOCUMENT_STEP, report: 'age' }] });
    const { run, client, engine, labels, isClean } = parts;
    const running = run();
    await show(parts, findDocument({ age: 44 }));
    await running;
    expect(client.submitted).toEqual([{ document: { age: 44, matchScore: null, ...told }, indicators: SIGNALS }]);
    expect(engine.wishes).toMatchObject([{ wantsPortrait: false }]);
    expect(labels).toEqual(['FaceTime HD Camera']);
    expect(isClean()).toEqual(CLEAN);
  });

  test('from a file it needs no camera, and the signs of misuse are collected all the same', async () => {
    const { run, client, engine, camera, labels, choose } = await start({
      steps: [{ ...DOCUMENT_STEP, fromFile: true }],
    });
    engine.findInFiles(findDocument());
    const running = run();
    await choose('document', { choice: 'kind', kind: 'passport' });
    await choose('document_hold', { choice: 'file', file: new Blob() });
    await running;
    expect(client.submitted[0]).toMatchObject({ document: { signs: ['file'] }, indicators: SIGNALS });
    expect([camera.opened, labels]).toEqual([0, [null]]);
  });

  test('of a spoof nothing of the document is told', async () => {
    const parts = await start({ steps: [DOCUMENT_STEP, FACE_STEP] });
    const { run, camera, client } = parts;
    const running = run();
    await show(parts, read());
    await untilTrue(() => parts.names().at(-1) === 'capture');
    camera.put(...lookAhead(700));
    await running;
    expect(client.submitted).toEqual([{ face: { spoof: true }, indicators: SIGNALS }]);
  });

  test('the third problem ends it', async () => {
    const parts = await start({ steps: [DOCUMENT_STEP] });
    const running = expect(parts.run()).rejects.toMatchObject({ problem: 'document', isFinal: true });
    await show(parts, findProblem('expired'));
    for (let i = 0; i < 2; i += 1) {
      await parts.choose('document_problem', { choice: 'again' });
      await parts.choose('document_hold', { choice: 'camera' });
      parts.camera.put(findProblem('expired'));
    }
    await running;
    expect(parts.client.calls.filter((call) => call.startsWith('record'))).toEqual([
      'record started 0',
      'record retried 0',
      'record retried 0',
      'record retried 0',
    ]);
    expect([parts.engine.hasDocument, ...parts.isClean()]).toEqual([false, ...CLEAN]);
  });

  test('out of sight it waits, and goes on with what it has', async () => {
    const parts = await start({ steps: [DOCUMENT_STEP] });
    const { run, camera, platform, screens, engine } = parts;
    const running = run();
    await show(parts, seeSide('data', { progress: 0.5 }));
    await untilTrue(() => (screens.at(-1) as { prompt?: string }).prompt === 'scan.holdStill');
    platform.setVisible(false);
    await untilTrue(() => (screens.at(-1) as { paused?: boolean }).paused === true);
    camera.put(findDocument());
    await settle();
    expect([camera.left, engine.hasDocument]).toEqual([1, true]);
    platform.setVisible(true);
    expect((await running).end).toBeDefined();
    expect(engine.wishes).toHaveLength(1);
  });

  test('models that take a moment are waited for with a word about the document', async () => {
    const models = createPromise<ModelThresholds>();
    const parts = await start({ steps: [DOCUMENT_STEP], modelsReady: models.promise });
    const running = parts.run();
    await parts.choose('document', { choice: 'kind', kind: 'passport' });
    await untilTrue(() => parts.platform.timers === 1);
    parts.platform.pass(300);
    expect(parts.screens.at(-1)).toEqual({ name: 'loading', share: null, of: 'identity_document' });
    models.resolve(THRESHOLDS);
    await parts.choose('document_hold', { choice: 'camera' });
    parts.camera.put(findDocument());
    expect((await running).end).toBeDefined();
  });

  test('what was compared is gone before the answer is taken, however long that takes', async () => {
    const parts = await start({ steps: [FACE_STEP, DOCUMENT_STEP] });
    const { run, camera, client, engine, screens, platform } = parts;
    const [live, portrait] = [face(), Float32Array.of(1, 0)];
    engine.find({ embedding: live });
    camera.put(...GOOD);
    client.meet('submit', offline());
    const running = run();
    await show(parts, read({ embedding: portrait }));
    await untilTrue(() => (screens.at(-1) as { offline?: boolean } | undefined)?.offline === true);
    expect([...live, ...portrait]).toEqual([0, 0, 0, 0]);
    platform.comeOnline();
    await running;
    expect(client.submitted[0]?.document?.matchScore).toBe(0.6);
  });

  test('a step that failed goes on where it was, with what the one before has found', async () => {
    const steps = [FACE_STEP, DOCUMENT_STEP];
    const parts = await start({ steps });
    const { run, camera, client, engine, brought } = parts;
    const live = face();
    engine.find({ embedding: live });
    camera.put(...GOOD);
    const failing = expect(run()).rejects.toMatchObject({ problem: 'unplugged' });
    await parts.choose('document', { choice: 'kind', kind: 'passport' });
    await parts.choose('document_hold', { choice: 'camera' });
    await untilTrue(() => parts.names().at(-1) === 'document_capture');
    camera.stall(new CameraStalledError('still'));
    await failing;
    camera.stall(null);
    brought.length = 0;
    expect([...live]).toEqual([...face()]);
    const running = run();
    await show(parts, read());
    await running;
    expect(brought).not.toContain('face');
    expect(client.submitted[0]).toMatchObject({ face: above, document: { matchScore: 0.6 } });
    expect(client.log().map(([event, index]) => `${event} ${index}`)).not.toContain('retried 0');
    expect(isLegal(client.log(), { steps, stepsDue: [0, 1], cutShort: false })).toBe(true);
    expect([...live]).toEqual([0, 0]);
  });

  test('a face step that failed begins again, and the document before it does not', async () => {
    const steps = [DOCUMENT_STEP, FACE_STEP];
    const parts = await start({ steps });
    const { run, camera, client, engine, names } = parts;
    engine.find({ embedding: face() });
    const failing = expect(run()).rejects.toMatchObject({ problem: 'unplugged' });
    await show(parts, read());
    await untilTrue(() => names().at(-1) === 'capture');
    await settle();
    camera.put(...GOOD.slice(0, 6));
    await untilTrue(() => client.calls.includes('record shown 0') && camera.left === 0);
    camera.stall(new CameraStalledError('still'));
    await failing;
    camera.stall(null);
    camera.put(...GOOD);
    await run();
    expect(client.calls.filter((call) => /record (started|retried|finished)/.test(call))).toEqual(
      ['started 0', 'finished 0', 'started 1', 'retried 1'].map((call) => `record ${call}`),
    );
    expect(isLegal(client.log(), { steps, stepsDue: [0, 1], cutShort: false })).toBe(true);
  });

  test('tries that failed before a reload count, and a reload is none', async () => {
    const reported: LogEntry[] = [
      ['started', 0, 5],
      ['retried', 0, 10],
      ['retried', 0, 20],
    ];
    const parts = await start({ steps: [DOCUMENT_STEP], reported });
    const running = expect(parts.run()).rejects.toMatchObject({ problem: 'document', isFinal: true });
    await parts.choose('document', { choice: 'kind', kind: 'passport' });
    expect(parts.client.calls.filter((call) => call.startsWith('record'))).toEqual([]);
    await parts.choose('document_hold', { choice: 'camera' });
    parts.camera.put(findProblem('unreadable'));
    await running;
  });

  describe('if need be', () => {
    const conditional: DocumentPlanStep = { ...DOCUMENT_STEP, when: 'face_below_threshold' };

    test.each(['threshold', 'age'] as const)('it is asked for below the threshold, by %s', async (report) => {
      const steps: PlanStep[] = [{ ...FACE_STEP, report }, conditional];
      const parts = await start({ steps });
      parts.engine.find({ age: { age: 17, lowerBound: 15 } as never, embedding: face() });
      parts.camera.put(...GOOD);
      const running = parts.run();
      await untilTrue(() => parts.names().at(-1) === 'document');
      expect(parts.screens.at(-1)).toMatchObject({ isStepUp: true });
      await show(parts, read());
      await running;
      expect(parts.client.submitted[0]).toMatchObject({ document: above });
      expect(isLegal(parts.client.log(), { steps, stepsDue: [0, 1], cutShort: false })).toBe(true);
    });

    test('it is asked for again once it was, whatever the face is found to be after a reload', async () => {
      const steps: PlanStep[] = [FACE_STEP, conditional];
      const challenges = FACE_STEP.challenges.flatMap((_, i): LogEntry[] => [
        ['shown', i, 6],
        ['done', i, 7],
      ]);
      const reported: LogEntry[] = [['started', 0, 5], ...challenges, ['finished', 0, 9], ['started', 1, 12]];
      const parts = await start({ steps, reported });
      parts.engine.find({ age: { age: 40, lowerBound: 35 } as never, embedding: face() });
      parts.camera.put(...GOOD);
      const running = parts.run();
      await show(parts, read());
      await running;
      expect(parts.client.submitted[0]).toMatchObject({ face: above, document: above });
      expect(isLegal(parts.client.log(), { steps, stepsDue: [0, 1], cutShort: false })).toBe(true);
    });

    test.each(['threshold', 'age'] as const)('it is not at the threshold and above, by %s', async (report) => {
      for (const lowerBound of [18, 30]) {
        const { run, camera, engine, brought } = await start({ steps: [{ ...FACE_STEP, report }, conditional] });
        engine.find({ age: { age: 40, lowerBound } as never });
        camera.put(...GOOD);
        expect((await run()).end).toBeDefined();
        expect(new Set(brought)).toEqual(new Set(['face']));
      }
    });
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
