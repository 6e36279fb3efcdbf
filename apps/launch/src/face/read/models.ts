// How the face work reaches the models: one function that runs them, and how each wants to be fed.
import type { ModelInput, ModelRole } from '@limen/face-models';

export type { ModelInput, ModelRole } from '@limen/face-models';

/** Every model has one input; the outputs come by name. */
export type RunModel = (
  role: ModelRole,
  input: Float32Array,
  shape: readonly number[],
) => Promise<Record<string, Float32Array>>;

/** From the manifest, by name. */
export type Thresholds = Readonly<Record<string, number>>;

export interface FaceModels {
  run: RunModel;
  /** From the manifest. Only the models that the step at hand needs. */
  inputs: ReadonlyMap<ModelRole, ModelInput>;
  thresholds: ReadonlyMap<ModelRole, Thresholds>;
}

/** Every model comes with the thresholds that fit it: one that was put in its place brings its own. */
export function thresholdOf(models: Pick<FaceModels, 'thresholds'>, role: ModelRole, name: string): number {
  const value = models.thresholds.get(role)?.[name];
  if (value === undefined) throw new Error(`The manifest has no threshold ${name} for the model ${role}`);
  return value;
}

export function inputOf(models: FaceModels, role: ModelRole): ModelInput {
  const input = models.inputs.get(role);
  if (!input) throw new Error(`The model ${role} is not loaded`);
  return input;
}

/** Of one picture, as the model is given it. */
export function shapeOf({ width, height, channels, layout }: ModelInput): readonly number[] {
  const depth = channels === 'gray' ? 1 : 3;
  return layout === 'nchw' ? [1, depth, height, width] : [1, height, width, depth];
}

/** What it is given is a picture of a face, mostly: it is overwritten once the model has seen it. */
export async function runModel(models: FaceModels, role: ModelRole, values: Float32Array) {
  try {
    return await models.run(role, values, shapeOf(inputOf(models, role)));
  } finally {
    values.fill(0);
  }
}

/** For models with a single output, whatever it is called, and as many values as the caller relies on. */
export async function runForOne(models: FaceModels, role: ModelRole, values: Float32Array, length: number) {
  return checkOutput(role, Object.values(await runModel(models, role, values))[0], length);
}

/** An operator may have put another model in: better a plain message than wrong numbers. */
export function checkOutput(role: ModelRole, output: Float32Array | undefined, length: number): Float32Array {
  if (output?.length !== length)
    throw new Error(`The model ${role} gave ${output?.length ?? 'no'} values where ${length} were expected`);
  return output;
}
