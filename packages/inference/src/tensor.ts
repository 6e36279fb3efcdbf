// Values with a shape, as a model's file holds them and as small results are computed.

/** Floats, whole numbers such as sizes in 64 bits, and weights as small integers. */
export type Values = Float32Array | Float64Array | Uint8Array | Int8Array | Int16Array;

export interface Tensor {
  dims: readonly number[];
  values: Values;
}

/** The model asks for something that this runtime does not do, or is not a model at all. */
export class UnsupportedModelError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(`This runtime cannot run the model: ${message}`, options);
    this.name = 'UnsupportedModelError';
  }
}

export function refuse(message: string): never {
  throw new UnsupportedModelError(message);
}

/** Of one tensor: far more than any model of a face has. */
export const MAX_VALUES = 2 ** 26;

export function countOf(dims: readonly number[]): number {
  return dims.reduce((product, size) => product * size, 1);
}

/** As many zeros, of the same kind; floats where the others are small integers. */
export function makeLike(values: Values, count: number): Float32Array | Float64Array {
  return values instanceof Float64Array ? new Float64Array(count) : new Float32Array(count);
}

export function isSameShape(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((size, axis) => size === other[axis]);
}

/** Counted from the end where it is negative. */
export function resolveAxis(axis: number, rank: number): number {
  const resolved = axis < 0 ? axis + rank : axis;
  if (!(Number.isInteger(resolved) && resolved >= 0 && resolved < rank)) refuse(`there is no axis ${axis}`);
  return resolved;
}
