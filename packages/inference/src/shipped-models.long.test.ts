import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { loadManifest, prepareModels } from '@limen/face-models';
import { env, InferenceSession, Tensor } from 'onnxruntime-web';
import { expect, test } from 'vitest';
import { KERNEL_FILES, loadModule } from '../testing/load-module.ts';
import { createNoise } from '../testing/make-model.ts';
import { openNetwork } from './index.ts';

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/limen-models/ready', import.meta.url));

/** Values from 0 to 255. Flat pictures are the hardest: small differences of large sums. */
const PICTURES: Record<string, (count: number) => Float32Array<ArrayBuffer>> = {
  noise: (count) => createNoise(count)(count).map((value) => (value + 1) * 127.5),
  dim: (count) => createNoise(count + 1)(count).map((value) => value + 1),
  black: (count) => new Float32Array(count),
  grey: (count) => new Float32Array(count).fill(127),
  white: (count) => new Float32Array(count).fill(255),
};

test('computes every shipped model like onnxruntime-web, with both modules', { timeout: 120_000 }, async () => {
  env.wasm.numThreads = 1;
  for (const { model, path } of await prepareModels({ manifest: await loadManifest(), folder: CACHE })) {
    const { width, height, channels, layout } = model.input;
    expect(layout).toBe('nchw');
    const shape = [1, channels === 'gray' ? 1 : 3, height, width];
    const count = shape.reduce((product, size) => product * size, 1);
    const content = await readFile(path);
    const session = await InferenceSession.create(content);
    const networks = KERNEL_FILES.map((file) => openNetwork(content, loadModule(file)));
    for (const [picture, brightness] of Object.entries(PICTURES)) {
      const light = brightness(count);
      const values = light.map((value) => (value - model.input.mean[0]!) / model.input.scale);
      const expected = await session.run({ [session.inputNames[0]!]: new Tensor('float32', values, shape) });
      for (const network of networks) {
        const outputs = network.run(values, shape);
        expect(Object.keys(outputs)).toEqual(Object.keys(expected));
        for (const [name, { data }] of Object.entries(expected)) {
          const reference = data as Float32Array;
          const largest = reference.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
          const off = reference.reduce((most, value, at) => Math.max(most, Math.abs(value - outputs[name]![at]!)), 0);
          expect(off / largest, `${model.role} ${name}, ${picture}`).toBeLessThan(1e-4);
        }
      }
    }
    await session.release();
  }
});
