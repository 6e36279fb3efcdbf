// Access to the models: a function that runs them, and their input formats.
import type { ModelInput, ModelRole } from '@limen/face-models';

export type { ModelInput, ModelRole } from '@limen/face-models';

/** Every model has one input and named outputs. */
export type RunModel = (
  role: ModelRole,
  input: Float32Array,
  shape: readonly number[],
) => Promise<Record<string, Float32Array>>;

/** Thresholds from the manifest, by name. */
export type Thresholds = Readonly<Record<string, number>>;

export interface FaceModels {
  run: RunModel;
  /** Input formats from the manifest, only of the models that the current step needs. */
  inputs: ReadonlyMap<ModelRole, ModelInput>;
  thresholds: ReadonlyMap<ModelRole, Thresholds>;
}

/** Thresholds belong to a model, so a replaced model brings its own. */
export function getThreshold(models: Pick<FaceModels, 'thresholds'>, role: ModelRole, name: string): number {
  const value = models.thresholds.get(role)?.[name];
  if (value === undefined) throw new Error(`The manifest has no threshold ${name} for the model ${role}`);
  return value;
}

export function getInput(models: FaceModels, role: ModelRole): ModelInput {
  const input = models.inputs.get(role);
  if (!input) throw new Error(`The model ${role} is not loaded`);
  return input;
}

/** Returns the shape of one picture in the model's layout. */
export function getInputShape({ width, height, channels, layout }: ModelInput): readonly number[] {
  const depth = channels === 'gray' ? 1 : 3;
  return layout === 'nchw' ? [1, depth, height, width] : [1, height, width, depth];
}

/** Overwrites the input after the run, because it usually shows a face. */
export async function runModel(models: FaceModels, role: ModelRole, values: Float32Array) {
  try {
    return await models.run(role, values, getInputShape(getInput(models, role)));
  } finally {
    values.fill(0);
  }
}

/** Runs a model with a single output of any name and a fixed length. */
export async function runSingleOutput(models: FaceModels, role: ModelRole, values: Float32Array, length: number) {
  return checkOutput(role, Object.values(await runModel(models, role, values))[0], length);
}

/** Rejects an output of the wrong length, because an operator may have replaced the model. */
export function checkOutput(role: ModelRole, output: Float32Array | undefined, length: number): Float32Array {
  if (output?.length !== length)
    throw new Error(`The model ${role} returned ${output?.length ?? 'no'} values instead of ${length}`);
  return output;
}
