// Runs the models in Node for tests: the shipped ones, with the runtime of the page, on one WebAssembly thread.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { loadManifest, prepareModels } from '@limen/face-models';
import { env, InferenceSession, Tensor } from 'onnxruntime-web';
import type { FaceModels, ModelInput, ModelRole, Thresholds } from '../src/face/models.ts';

/** Kept between test runs; every file is checked against its hash before it is used again. */
export const MODEL_CACHE = resolve(import.meta.dirname, '../../../node_modules/.cache/limen-models/ready');

export async function openModels(roles: readonly ModelRole[]): Promise<FaceModels> {
  env.wasm.numThreads = 1;
  const prepared = await prepareModels({ manifest: await loadManifest(), folder: MODEL_CACHE, roles });
  const sessions = new Map<ModelRole, InferenceSession>();
  const inputs = new Map<ModelRole, ModelInput>();
  const thresholds = new Map<ModelRole, Thresholds>();
  for (const { model, path } of prepared) {
    sessions.set(model.role, await InferenceSession.create(await readFile(path)));
    inputs.set(model.role, model.input);
    thresholds.set(model.role, Object.fromEntries(model.thresholds));
  }
  return {
    inputs,
    thresholds,
    async run(role, values, shape) {
      const session = sessions.get(role);
      if (!session) throw new Error(`The model ${role} is not open`);
      const outputs = await session.run({ [session.inputNames[0]!]: new Tensor('float32', values, shape) });
      return Object.fromEntries(Object.entries(outputs).map(([name, tensor]) => [name, tensor.data as Float32Array]));
    },
  };
}
