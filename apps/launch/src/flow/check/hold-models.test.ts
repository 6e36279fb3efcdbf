import { expect, test } from 'vitest';
import { createFakeEngine } from '../../../testing/fakes/fake-camera.ts';
import { createPromise, PLAN } from '../../../testing/fakes/fake-flow.ts';
import { createFakePlatform } from '../../../testing/fakes/fake-platform.ts';
import { holdModels } from './hold-models.ts';

test('loads no models after the end aborted the warm-up', async () => {
  const engine = createFakeEngine();
  const end = new AbortController();
  const models = holdModels({
    ...{ engine, platform: createFakePlatform(), signal: end.signal, onProgress: () => undefined },
    loadCheck: () => Promise.reject(new Error('not asked for')),
  });
  const warming = createPromise<void>();
  engine.meetAtLoad(() => warming.promise);
  models.warmUp();
  const bringing = models.load(PLAN, 'guidance');
  end.abort('over');
  warming.resolve();
  await expect(bringing).rejects.toBe('over');
  expect(engine.loads).toHaveLength(1);
});
