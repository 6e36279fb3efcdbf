import type { PlanStep } from '@limen/sdk/device';
import { expect, test } from 'vitest';
import { createFakeEngine } from '../../../testing/fakes/fake-camera.ts';
import { DOCUMENT_STEP } from '../../../testing/fakes/fake-documents.ts';
import { FACE_STEP, untilTrue } from '../../../testing/fakes/fake-flow.ts';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import { ModelLoadError } from '../../models/face-engine.ts';
import { type ModelStage, untilModelsReady } from './load-models.ts';

function start(steps: PlanStep[] = [FACE_STEP], signal?: AbortSignal, stage: ModelStage = 'face') {
  const engine = createFakeEngine();
  const platform = createFakePlatform();
  const progress: unknown[] = [];
  const onProgress = (update: unknown) => void progress.push(update);
  const load = () =>
    untilModelsReady({
      engine,
      platform,
      stage,
      steps,
      manifestHash: 'abc',
      onProgress,
      ...(signal && { signal }),
    });
  return { engine, platform, progress, load };
}

test('loads only the models of a face step, by the plan’s manifest', async () => {
  const { engine, load } = start();
  await load();
  expect(engine.loads).toHaveLength(1);
  expect(engine.loads[0]!.manifestHash).toBe('abc');
  expect([...engine.loads[0]!.roles].sort()).toEqual(
    ['age_deep', 'age_small', 'detect', 'embedding', 'eye', 'landmarks', 'liveness'].sort(),
  );
});

test('loads no age models without an age report, and the embedding model for a comparison', async () => {
  const face = { ...FACE_STEP, report: 'none' as const };
  const token = { step: 'token', when: 'always', operation: 'SIGN-IN', gallery: '', modelId: '', sendsSelfie: false };
  const { engine, load } = start([face, token as PlanStep]);
  await load();
  expect([...engine.loads[0]!.roles].sort()).toEqual(['detect', 'embedding', 'eye', 'landmarks', 'liveness']);
});

test('loads detection for guidance, then the embedding, then the age models', async () => {
  const listLoaded = async (stage: ModelStage) => {
    const { engine, load } = start([FACE_STEP], undefined, stage);
    await load();
    return [...engine.loads[0]!.roles].sort();
  };
  expect(await listLoaded('guidance')).toEqual(['detect', 'eye', 'landmarks']);
  expect(await listLoaded('person')).toEqual(['detect', 'embedding', 'eye', 'landmarks']);
});

test('loads only the reading model for a document alone', async () => {
  const { engine, load } = start([DOCUMENT_STEP], undefined, 'identity_document');
  await load();
  expect(engine.loads[0]!.roles).toEqual(['document_text']);
});

test('loads the portrait models for a document with a face', async () => {
  const { engine, load } = start([DOCUMENT_STEP, FACE_STEP], undefined, 'identity_document');
  await load();
  expect([...engine.loads[0]!.roles].sort()).toEqual(['detect', 'document_text', 'embedding', 'landmarks']);
});

test('reports progress as it arrives', async () => {
  const { engine, progress, load } = start();
  engine.meetAtLoad(async () => engine.loads[0]!.onProgress?.(0.25));
  await load();
  expect(progress).toEqual([{ share: 0.25 }]);
});

test('retries every three seconds while the service has no models yet', async () => {
  const { engine, platform, progress, load } = start();
  engine.meetAtLoad(new ModelLoadError('unready'), new ModelLoadError('unready'));
  const loading = load();
  await untilTrue(() => platform.timers === 1);
  expect(progress).toEqual([{ share: null, unready: true }]);
  platform.pass(2_999);
  expect(engine.loads).toHaveLength(1);
  platform.pass(1);
  await untilTrue(() => engine.loads.length === 2 && platform.timers === 1);
  platform.pass(3_000);
  await loading;
  expect(engine.loads).toHaveLength(3);
});

test('gives up after two minutes without models', async () => {
  const { engine, platform, load } = start();
  // Each request takes long, because the service asks for patience.
  const refuseSlowly = async () => {
    platform.sleep(21_000);
    throw new ModelLoadError('unready');
  };
  engine.meetAtLoad(...Array.from({ length: 100 }, () => refuseSlowly));
  const refused = expect(load()).rejects.toMatchObject({ code: 'unready' });
  for (let asked = 1; asked < 6; asked += 1) {
    await untilTrue(() => engine.loads.length === asked && platform.timers === 1);
    platform.pass(3_000);
  }
  await refused;
  expect([engine.loads.length, platform.timers]).toEqual([6, 0]);
});

test.each(['offline', 'mismatch', 'unsupported', 'failed'] as const)(
  'rejects at once on another failure: %s',
  async (code) => {
    const { engine, load } = start();
    engine.meetAtLoad(new ModelLoadError(code));
    await expect(load()).rejects.toMatchObject({ code });
    expect(engine.loads).toHaveLength(1);
  },
);

test('stops retrying after the signal aborts', async () => {
  const control = new AbortController();
  const { engine, platform, load } = start([FACE_STEP], control.signal);
  engine.meetAtLoad(new ModelLoadError('unready'));
  const refused = expect(load()).rejects.toBe('over');
  await untilTrue(() => platform.timers === 1);
  control.abort('over');
  platform.pass(3_000);
  await refused;
  expect(engine.loads).toHaveLength(1);
});
