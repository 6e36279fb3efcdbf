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
  const onProgress = (one: unknown) => void progress.push(one);
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

test('a face step brings what it needs and no more, by the manifest of the plan', async () => {
  const { engine, load } = start();
  await load();
  expect(engine.loads).toHaveLength(1);
  expect(engine.loads[0]!.manifestHash).toBe('abc');
  expect([...engine.loads[0]!.roles].sort()).toEqual(
    ['age_deep', 'age_small', 'detect', 'embedding', 'eye', 'landmarks', 'liveness'].sort(),
  );
});

test('where no age is asked for nothing is brought that tells one, and for a comparison what measures a face', async () => {
  const face = { ...FACE_STEP, report: 'none' as const };
  const token = { step: 'token', when: 'always', operation: 'SIGN-IN', gallery: '', modelId: '', sendsSelfie: false };
  const { engine, load } = start([face, token as PlanStep]);
  await load();
  expect([...engine.loads[0]!.roles].sort()).toEqual(['detect', 'embedding', 'eye', 'landmarks', 'liveness']);
});

test('guidance begins with what finds a face, then comes what knows it, and only then what tells its age', async () => {
  const rolesOf = async (stage: ModelStage) => {
    const { engine, load } = start([FACE_STEP], undefined, stage);
    await load();
    return [...engine.loads[0]!.roles].sort();
  };
  expect(await rolesOf('guidance')).toEqual(['detect', 'eye', 'landmarks']);
  expect(await rolesOf('person')).toEqual(['detect', 'embedding', 'eye', 'landmarks']);
});

test('a document alone brings what reads it', async () => {
  const { engine, load } = start([DOCUMENT_STEP], undefined, 'identity_document');
  await load();
  expect(engine.loads[0]!.roles).toEqual(['document_text']);
});

test('a document beside a face brings what finds and compares its portrait too', async () => {
  const { engine, load } = start([DOCUMENT_STEP, FACE_STEP], undefined, 'identity_document');
  await load();
  expect([...engine.loads[0]!.roles].sort()).toEqual(['detect', 'document_text', 'embedding', 'landmarks']);
});

test('progress is told as it comes', async () => {
  const { engine, progress, load } = start();
  engine.meetAtLoad(async () => engine.loads[0]!.onProgress?.(0.25));
  await load();
  expect(progress).toEqual([{ share: 0.25 }]);
});

test('a service that has no models yet is asked again every three seconds', async () => {
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

test('a service that has none for two minutes is not asked any more', async () => {
  const { engine, platform, load } = start();
  // It asks for patience each time, so that an ask takes long.
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
  'other failures are told at once: %s',
  async (code) => {
    const { engine, load } = start();
    engine.meetAtLoad(new ModelLoadError(code));
    await expect(load()).rejects.toMatchObject({ code });
    expect(engine.loads).toHaveLength(1);
  },
);

test('nobody is asked any more after the signal', async () => {
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
