// Runs the shipped models in Node, with the page's own runtime.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadManifest, prepareModels } from '@limen/face-models';
import { type Network, openNetwork } from '@limen/inference';
import {
  type FaceModels,
  getInputShape,
  type ModelInput,
  type ModelRole,
  type Thresholds,
} from '../src/face/read/models.ts';

/** Cached between runs. Every file is verified against its hash. */
export const MODEL_CACHE = resolve(import.meta.dirname, '../../../node_modules/.cache/limen-models/ready');

interface OpenModel {
  network: Network;
  input: ModelInput;
  thresholds: Thresholds;
}

const kernel = new WebAssembly.Module(readFileSync(fileURLToPath(import.meta.resolve('@limen/inference/kernel.wasm'))));

/** Shared by test files in the same process. */
const opened = new Map<ModelRole, Promise<OpenModel>>();

export async function openModels(roles: readonly ModelRole[]): Promise<FaceModels> {
  const networks = new Map<ModelRole, Network>();
  const inputs = new Map<ModelRole, ModelInput>();
  const thresholds = new Map<ModelRole, Thresholds>();
  for (const role of roles) {
    const opening = opened.get(role) ?? openModel(role);
    opened.set(role, opening);
    const model = await opening;
    networks.set(role, model.network);
    inputs.set(role, model.input);
    thresholds.set(role, model.thresholds);
  }
  return {
    inputs,
    thresholds,
    async run(role, values, shape) {
      const network = networks.get(role);
      if (!network) throw new Error(`The model ${role} is not open`);
      return network.run(values, shape);
    },
  };
}

async function openModel(role: ModelRole): Promise<OpenModel> {
  const manifest = await loadManifest();
  const [prepared] = await prepareModels({ manifest, folder: MODEL_CACHE, roles: [role] });
  if (!prepared) throw new Error(`There is no model ${role}`);
  const { model, path } = prepared;
  const network = openNetwork(await readFile(path), kernel, getInputShape(model.input));
  return { network, input: model.input, thresholds: Object.fromEntries(model.thresholds) };
}
