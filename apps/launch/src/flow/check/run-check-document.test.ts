import type { DocumentPlanStep, LightColor, LightDraw } from '@limen/plan';
import type { LogEntry, PlanStep } from '@limen/sdk/device';
import { describe, expect, test } from 'vitest';
import { isLegal } from '../../../../../packages/sdk/testing/judge-log.ts';
import { THRESHOLDS } from '../../../testing/fakes/fake-camera.ts';
import { CLEAN, SIGNALS, startCheck } from '../../../testing/fakes/fake-check.ts';
import { offline } from '../../../testing/fakes/fake-device-client.ts';
import { DOCUMENT_STEP, findDocument, findProblem, seeSide } from '../../../testing/fakes/fake-documents.ts';
import { createPromise, FACE_STEP, PLAN, settle, untilTrue } from '../../../testing/fakes/fake-flow.ts';
import { GOOD, lookAhead } from '../../../testing/fakes/fake-reports.ts';
import { CameraStalledError } from '../../camera/take-frames.ts';
import type { DocumentFound, DocumentReport } from '../../document/kinds.ts';
import type { ModelThresholds } from '../../models/face-engine.ts';

describe('with a document', () => {
  const face = () => Float32Array.of(0.6, 0.8);
  const read = (changes: Partial<DocumentFound> = {}) => findDocument({ embedding: Float32Array.of(1, 0), ...changes });
  const told = { type: 'passport', country: 'SWE', verifiedAt: '2026-03-01T12:34:56Z', signs: [] };
  const above = { thresholdResult: 'AGE_ABOVE_THRESHOLD' };

  async function show({ choose, camera }: Awaited<ReturnType<typeof startCheck>>, report: DocumentReport) {
    await choose('document', { choice: 'kind', kind: 'passport' });
    await choose('document_hold', { choice: 'camera' });
    camera.put(report);
  }

  test('compares a face with a document after it, each with its own camera and models, and leaves nothing behind', async () => {
    const steps = [FACE_STEP, DOCUMENT_STEP];
    const parts = await startCheck({ steps });
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
    expect(new Set(brought)).toEqual(new Set(['guidance', 'person', 'face', 'identity_document']));
    expect(brought[0]).toBe('guidance');
    expect(engine.wishes).toEqual([{ kind: 'passport', wantsPortrait: true, today: PLAN.today }]);
    expect(isLegal(client.log(), { steps, stepsDue: [0, 1], cutShort: false })).toBe(true);
    expect([...live, ...portrait]).toEqual([0, 0, 0, 0]);
    expect([engine.hasDocument, ...isClean()]).toEqual([false, ...CLEAN]);
  });

  test('accepts a document before the face', async () => {
    const steps = [DOCUMENT_STEP, FACE_STEP];
    const parts = await startCheck({ steps });
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

  test.each([
    ['the same camera, whose screen lights it', () => 'one', ['blue', 'red', 'green', 'yellow', 'cyan', 'magenta']],
    ['a camera that looks away from the screen', (facing: string) => facing, null],
  ])('lights a document after a lit face only before the same camera: %s', async (_, nameOf, colors) => {
    const draw = (first: LightColor): LightDraw => ({
      colours: [first, 'red', 'green', 'yellow', 'cyan', 'magenta'],
      again: [],
      colourMs: 450,
    });
    const light = { attempts: [draw('cyan'), draw('blue')], required: false };
    const parts = await startCheck({ steps: [{ ...FACE_STEP, light }, DOCUMENT_STEP] });
    const { run, camera, client, engine } = parts;
    const settings = () => ({ deviceId: nameOf(camera.facings.at(-1)!) });
    camera.track({ getSettings: settings, getCapabilities: () => ({}), addEventListener: () => undefined });
    engine.shineDocuments();
    camera.put(...GOOD, ...lookAhead(60));
    const running = run();
    await untilTrue(() => parts.names().at(-1) === 'document');
    camera.clear();
    await show(parts, read());
    camera.put(...Array.from({ length: 60 }, () => read()));
    await running;
    expect(engine.documentLights).toEqual(colors ? [colors] : []);
    expect(client.submitted).toMatchObject([{ face: { light: 'lit' }, document: { signs: colors ? ['screen'] : [] } }]);
  });

  test('looks for no portrait if the document is alone', async () => {
    const parts = await startCheck({ steps: [{ ...DOCUMENT_STEP, report: 'age' }] });
    const { run, client, engine, labels, isClean } = parts;
    const running = run();
    await show(parts, findDocument({ age: 44 }));
    await running;
    expect(client.submitted).toEqual([{ document: { age: 44, matchScore: null, ...told }, indicators: SIGNALS }]);
    expect(engine.wishes).toMatchObject([{ wantsPortrait: false }]);
    expect(labels).toEqual(['FaceTime HD Camera']);
    expect(isClean()).toEqual(CLEAN);
  });

  test('needs no camera for a file, and still collects the risk indicators', async () => {
    const { run, client, engine, camera, labels, choose } = await startCheck({
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

  test('reports nothing of the document after a spoof', async () => {
    const parts = await startCheck({ steps: [DOCUMENT_STEP, FACE_STEP] });
    const { run, camera, client } = parts;
    const running = run();
    await show(parts, read());
    await untilTrue(() => parts.names().at(-1) === 'capture');
    camera.put(...lookAhead(700));
    await running;
    expect(client.submitted).toEqual([{ face: { spoof: true }, indicators: SIGNALS }]);
  });

  test('ends the check after the third problem with a document', async () => {
    const parts = await startCheck({ steps: [DOCUMENT_STEP] });
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

  test('waits while out of sight and keeps its findings', async () => {
    const parts = await startCheck({ steps: [DOCUMENT_STEP] });
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

  test('shows the document’s loading screen while its models load', async () => {
    const models = createPromise<ModelThresholds>();
    const parts = await startCheck({ steps: [DOCUMENT_STEP], modelsReady: models.promise });
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

  test('wipes the embeddings before the answer is accepted', async () => {
    const parts = await startCheck({ steps: [FACE_STEP, DOCUMENT_STEP] });
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

  test('resumes a failed step with the findings of the step before', async () => {
    const steps = [FACE_STEP, DOCUMENT_STEP];
    const parts = await startCheck({ steps });
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

  test('restarts a failed face step but not the document before it', async () => {
    const steps = [DOCUMENT_STEP, FACE_STEP];
    const parts = await startCheck({ steps });
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

  test('counts failed tries from before a reload, but not the reload', async () => {
    const reported: LogEntry[] = [
      ['started', 0, 5],
      ['retried', 0, 10],
      ['retried', 0, 20],
    ];
    const parts = await startCheck({ steps: [DOCUMENT_STEP], reported });
    const running = expect(parts.run()).rejects.toMatchObject({ problem: 'document', isFinal: true });
    await parts.choose('document', { choice: 'kind', kind: 'passport' });
    expect(parts.client.calls.filter((call) => call.startsWith('record'))).toEqual([]);
    await parts.choose('document_hold', { choice: 'camera' });
    parts.camera.put(findProblem('unreadable'));
    await running;
  });

  describe('a document on demand', () => {
    const conditional: DocumentPlanStep = { ...DOCUMENT_STEP, when: 'face_below_threshold' };

    test.each(['threshold', 'age'] as const)('asks for a document below the threshold, by %s', async (report) => {
      const steps: PlanStep[] = [{ ...FACE_STEP, report }, conditional];
      const parts = await startCheck({ steps });
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

    test('asks for a started document again after a reload, whatever the face shows', async () => {
      const steps: PlanStep[] = [FACE_STEP, conditional];
      const challenges = FACE_STEP.challenges.flatMap((_, i): LogEntry[] => [
        ['shown', i, 6],
        ['done', i, 7],
      ]);
      const reported: LogEntry[] = [['started', 0, 5], ...challenges, ['finished', 0, 9], ['started', 1, 12]];
      const parts = await startCheck({ steps, reported });
      parts.engine.find({ age: { age: 40, lowerBound: 35 } as never, embedding: face() });
      parts.camera.put(...GOOD);
      const running = parts.run();
      await show(parts, read());
      await running;
      expect(parts.client.submitted[0]).toMatchObject({ face: above, document: above });
      expect(isLegal(parts.client.log(), { steps, stepsDue: [0, 1], cutShort: false })).toBe(true);
    });

    test.each(['threshold', 'age'] as const)(
      'asks for no document at or above the threshold, by %s',
      async (report) => {
        for (const lowerBound of [18, 30]) {
          const { run, camera, engine, brought } = await startCheck({ steps: [{ ...FACE_STEP, report }, conditional] });
          engine.find({ age: { age: 40, lowerBound } as never });
          camera.put(...GOOD);
          expect((await run()).end).toBeDefined();
          expect(new Set(brought)).toEqual(new Set(['guidance', 'person', 'face']));
        }
      },
    );
  });
});
