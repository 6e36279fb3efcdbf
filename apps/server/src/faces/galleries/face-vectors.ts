// Embeddings as the gallery compares them: centred, of length one, and the bad ones left out.
import { endianness } from 'node:os';

/** Below this share of the norm, what is left after centring is rounding noise and not a face. */
const LEAST_VARIATION = 1e-6;
/** Among several embeddings of one person, one that is less similar than this to their mean is somebody else or a blur. */
const BAD_EMBEDDING_SIMILARITY = 0.8;

/**
 * The vector minus its own mean, at length one; a vector that hardly varies is left uncentred. Nothing when an entry is
 * not finite or all are zero: such an embedding is bad. Scaled first, so that neither 1e308 nor 5e-324 overflows.
 */
export function toUnitVector(values: readonly number[]): Float32Array | undefined {
  let largest = 0;
  for (const value of values) {
    if (!Number.isFinite(value)) return undefined;
    largest = Math.max(largest, Math.abs(value));
  }
  if (largest === 0) return undefined;
  // Plain loops here and below: `from`, `map` and `reduce` take ten times as long, and every request comes this way.
  const scaled = new Float64Array(values.length);
  let sum = 0;
  for (let i = 0; i < scaled.length; i++) {
    scaled[i] = values[i]! / largest;
    sum += scaled[i]!;
  }
  const mean = sum / scaled.length;
  const centred = new Float64Array(scaled.length);
  for (let i = 0; i < centred.length; i++) centred[i] = scaled[i]! - mean;
  return normalize(norm(centred) < LEAST_VARIATION * norm(scaled) ? scaled : centred);
}

/** The embeddings of one person that agree with each other. */
export function keepGood(vectors: readonly Float32Array[]): Float32Array[] {
  if (vectors.length < 2) return [...vectors];
  const mean = meanDirection(vectors);
  return mean ? vectors.filter((vector) => similarity(vector, mean) >= BAD_EMBEDDING_SIMILARITY) : [];
}

/** The direction in between; nothing when there are none, or they cancel each other out. */
export function meanDirection(vectors: readonly Float32Array[]): Float32Array | undefined {
  const [first] = vectors;
  if (!first || vectors.length === 1) return first;
  const sum = new Float64Array(first.length);
  for (const vector of vectors) {
    for (let i = 0; i < sum.length; i++) sum[i]! += vector[i]!;
  }
  return norm(sum) < LEAST_VARIATION * vectors.length ? undefined : normalize(sum);
}

/** Cosine of two vectors of length one. */
export function similarity(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Floats as bytes, least significant first, whatever the machine. */
export function vectorToBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.from(vector.slice().buffer);
  return endianness() === 'LE' ? bytes : bytes.swap32();
}

export function vectorFromBytes(bytes: Uint8Array): Float32Array {
  const vector = new Float32Array(bytes.length / 4);
  copyVector(bytes, vector);
  return vector;
}

/** The same into a vector that is there. */
export function copyVector(bytes: Uint8Array, target: Float32Array): void {
  const place = Buffer.from(target.buffer, target.byteOffset, target.byteLength);
  place.set(bytes);
  if (endianness() === 'BE') place.swap32();
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
