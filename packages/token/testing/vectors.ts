// Random embeddings for tests, and pairs with a given cosine.
import { fillGaussian, MAX_DIMENSIONS } from '../shared/index.ts';

const FINE = 2 ** 20;

export function randomVector(length = MAX_DIMENSIONS): Float32Array {
  const values = new Int32Array(length);
  fillGaussian(values, FINE);
  return scaleTo(Float32Array.from(values), 1);
}

/** A unit vector whose cosine with the unit vector `to` is `cosine`. */
export function vectorNear(to: Float32Array, cosine: number): Float32Array {
  const other = randomVector(to.length);
  const along = dotProduct(to, other);
  const across = scaleTo(
    other.map((value, index) => value - along * to[index]!),
    1,
  );
  return across.map((value, index) => cosine * to[index]! + Math.sqrt(1 - cosine * cosine) * value);
}

export function dotProduct(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, index) => sum + value * right[index]!, 0);
}

export function scaleTo(vector: Float32Array, length: number): Float32Array {
  const factor = length / Math.sqrt(dotProduct(vector, vector));
  return vector.map((value) => value * factor);
}

export function rootMeanSquare(values: readonly number[]): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
}
