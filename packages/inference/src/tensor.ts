// Values with a shape, from a model's file or a computation.

/** Floats, 64-bit integers such as sizes, and quantized weights. */
export type Values = Float32Array | Float64Array | Uint8Array | Int8Array | Int16Array;

export interface Tensor {
  dims: readonly number[];
  values: Values;
}

/** The model needs an unsupported feature, or is no model at all. */
export class UnsupportedModelError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(`This runtime cannot run the model: ${message}`, options);
    this.name = 'UnsupportedModelError';
  }
}

export function refuse(message: string): never {
  throw new UnsupportedModelError(message);
}

/** Maximum per tensor: far more than any face model has. */
export const MAX_VALUES = 2 ** 26;

export function countValues(dims: readonly number[]): number {
  return dims.reduce((product, size) => product * size, 1);
}

/** Zeros of the same kind; floats for small integers. */
export function makeLike(values: Values, count: number): Float32Array | Float64Array {
  return values instanceof Float64Array ? new Float64Array(count) : new Float32Array(count);
}

export function isSameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((size, axis) => size === b[axis]);
}

/** Negative axes count from the end. */
export function resolveAxis(axis: number, rank: number): number {
  const resolved = axis < 0 ? axis + rank : axis;
  if (!(Number.isInteger(resolved) && resolved >= 0 && resolved < rank)) refuse(`there is no axis ${axis}`);
  return resolved;
}
