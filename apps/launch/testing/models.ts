// Runs the models in Node for tests: the shipped ones, with the runtime of the page, on one WebAssembly thread.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { loadManifest, prepareModels } from '@limen/face-models';
import { env, InferenceSession, Tensor } from 'onnxruntime-web';
import type { FaceModels, ModelInput, ModelRole, Thresholds } from '../src/face/read/models.ts';

/** Kept between test runs; every file is checked against its hash before it is used again. */
export const MODEL_CACHE = resolve(import.meta.dirname, '../../../node_modules/.cache/limen-models/ready');

interface OpenModel {
  session: InferenceSession;
  input: ModelInput;
  thresholds: Thresholds;
}

/** Files that share a process share them: to open one takes up to a second. */
const opened = new Map<ModelRole, Promise<OpenModel>>();

export async function openModels(roles: readonly ModelRole[]): Promise<FaceModels> {
  env.wasm.numThreads = 1;
  const sessions = new Map<ModelRole, InferenceSession>();
  const inputs = new Map<ModelRole, ModelInput>();
  const thresholds = new Map<ModelRole, Thresholds>();
  for (const role of roles) {
    const opening = opened.get(role) ?? openModel(role);
    opened.set(role, opening);
    const model = await opening;
    sessions.set(role, model.session);
    inputs.set(role, model.input);
    thresholds.set(role, model.thresholds);
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

async function openModel(role: ModelRole): Promise<OpenModel> {
  const manifest = await loadManifest();
  const [prepared] = await prepareModels({ manifest, folder: MODEL_CACHE, roles: [role] });
  if (!prepared) throw new Error(`There is no model ${role}`);
  const { model, path } = prepared;
  const session = await InferenceSession.create(await readFile(path));
  return { session, input: model.input, thresholds: Object.fromEntries(model.thresholds) };
}
