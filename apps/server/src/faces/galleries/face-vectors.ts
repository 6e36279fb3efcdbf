// Prepares embeddings for comparison: centers them, scales them to length one, and drops bad ones.
import { endianness } from 'node:os';

/** Share of the norm below which a centered vector is rounding noise instead of a face */
const LEAST_VARIATION = 1e-6;
/** Similarity to the person's mean below which an embedding is another face or a blur */
const BAD_EMBEDDING_SIMILARITY = 0.8;

/** Centers a vector and scales it to length one. Returns undefined if it is zero or not finite. */
export function toUnitVector(values: readonly number[]): Float32Array | undefined {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0 || !Number.isFinite(largest)) return undefined;
  const scaled = new Float64Array(values).map((value) => value / largest);
  const mean = scaled.reduce((sum, value) => sum + value, 0) / scaled.length;
  const centered = scaled.map((value) => value - mean);
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
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}

function normalize(vector: Float64Array): Float32Array {
  const length = norm(vector);
  return new Float32Array(vector.map((value) => value / length));
}
