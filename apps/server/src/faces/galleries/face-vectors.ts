// Prepares embeddings for comparison: centers them, scales them to length one, and drops bad ones.
import { endianness } from 'node:os';

/** Share of the norm below which a centered vector is rounding noise instead of a face */
const LEAST_VARIATION = 1e-6;
/** Similarity to the mean of one person's embeddings below which an embedding is another face or a blur */
const BAD_EMBEDDING_SIMILARITY = 0.8;

/**
 * Subtracts the vector's mean and scales the result to length one. Leaves a vector that hardly varies uncentered. Returns
 * undefined if a number is not finite or all are zero. Scaling by the largest number avoids overflows.
 */
export function toUnitVector(values: readonly number[]): Float32Array | undefined {
  let largest = 0;
  for (const value of values) {
    if (!Number.isFinite(value)) return undefined;
    largest = Math.max(largest, Math.abs(value));
  }
  if (largest === 0) return undefined;
  // Plain loops, because `from`, `map` and `reduce` take ten times as long and every request needs this.
  const scaled = new Float64Array(values.length);
  let sum = 0;
  for (let i = 0; i < scaled.length; i++) {
    scaled[i] = values[i]! / largest;
    sum += scaled[i]!;
  }
  const mean = sum / scaled.length;
  const centered = new Float64Array(scaled.length);
  for (let i = 0; i < centered.length; i++) centered[i] = scaled[i]! - mean;
  return normalize(norm(centered) < LEAST_VARIATION * norm(scaled) ? scaled : centered);
}

/** Keeps the embeddings of one person that agree with each other. */
export function keepGood(vectors: readonly Float32Array[]): Float32Array[] {
  if (vectors.length < 2) return [...vectors];
  const mean = meanDirection(vectors);
  return mean ? vectors.filter((vector) => similarity(vector, mean) >= BAD_EMBEDDING_SIMILARITY) : [];
}

/** Returns undefined if there are no vectors or they cancel each other out. */
export function meanDirection(vectors: readonly Float32Array[]): Float32Array | undefined {
  const [first] = vectors;
  if (!first || vectors.length === 1) return first;
  const sum = new Float64Array(first.length);
  for (const vector of vectors) for (let i = 0; i < sum.length; i++) sum[i]! += vector[i]!;
  return norm(sum) < LEAST_VARIATION * vectors.length ? undefined : normalize(sum);
}

/** Returns the cosine of two vectors of length one. */
export function similarity(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Writes the floats in little-endian order on every machine. */
export function vectorToBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.from(vector.slice().buffer);
  return endianness() === 'LE' ? bytes : bytes.swap32();
}

export function vectorFromBytes(bytes: Uint8Array): Float32Array {
  const vector = new Float32Array(bytes.length / 4);
  const copy = Buffer.from(vector.buffer);
  copy.set(bytes);
  if (endianness() === 'BE') copy.swap32();
  return vector;
}

function norm(vector: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * vector[i]!;
  return Math.sqrt(sum);
}

function normalize(vector: Float64Array): Float32Array {
  const length = norm(vector);
  const unit = new Float32Array(vector.length);
  for (let i = 0; i < unit.length; i++) unit[i] = vector[i]! / length;
  return unit;
}
