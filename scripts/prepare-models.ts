// Downloads, converts and packs missing models for the tests.

import { MODEL_CACHE } from '../apps/launch/testing/models.ts';
import { keepCompressedCopy } from '../apps/server/src/faces/models/compressed-copy.ts';
import { loadManifest, prepareModels } from '../packages/face-models/src/index.ts';

try {
  const prepared = await prepareModels({ manifest: await loadManifest(), folder: MODEL_CACHE });
  for (const { model } of prepared) await keepCompressedCopy(MODEL_CACHE, model);
} catch (error) {
  console.warn(`The models are not there yet: ${error instanceof Error ? error.message : String(error)}`);
}
