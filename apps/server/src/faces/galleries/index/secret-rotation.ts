// The secret rotation of a gallery's vectors in a database that must be able to search them.
//
// The rotation is a random orthogonal matrix, the same for every vector of a gallery. It keeps lengths and angles, so the
// vectors stay searchable, and hides the meaning of each direction, so a stored vector fits no face model. It is not
// encryption: a reader of the table sees how similar its vectors are, and an attacker who knows as many plain vectors as
// there are dimensions, with their rows, can compute the rotation.
import { createCipheriv } from 'node:crypto';
import type { Sealer } from '../../../platform/sealing/sealer.ts';

const SECRET_BYTES = 32;
const BYTES_PER_PAIR = 16;

/** Draws a Haar-distributed orthogonal matrix as Householder reflections and signs (Stewart, 1980). */
export function createSecretRotation(dimensions: number, secret: Buffer) {
  if (secret.length !== SECRET_BYTES) throw new Error(`the secret of a rotation has ${SECRET_BYTES} bytes`);
  const numbers = gaussians(secret, (dimensions * (dimensions + 1)) / 2);
  const reflections: Float64Array[] = [];
  for (let length = dimensions, at = 0; length > 0; at += length, length -= 1) {
    reflections.push(numbers.subarray(at, at + length));
  }
  const signs = reflections.map(makeReflection);
  return {
    /** Rounds to float32 only once, at the end. */
    rotate(vector: Float32Array): Float32Array {
      if (vector.length !== dimensions) throw new Error(`a vector of ${vector.length} where ${dimensions} belong`);
      const rotated = new Float64Array(vector);
      for (const reflection of reflections) {
        const factor = dotOfShorter(rotated, reflection);
        for (let index = 0; index < reflection.length; index += 1) rotated[index]! -= factor * reflection[index]!;
      }
      return new Float32Array(rotated.map((value, index) => value * signs[dimensions - 1 - index]!));
    },
  };
}

/** Turns a Gaussian vector into a reflection `x - v (v·x)`. Returns the sign that keeps it uniform. */
function makeReflection(vector: Float64Array): number {
  const last = vector.length - 1;
  const sign = vector[last]! < 0 ? -1 : 1;
  vector[last]! += sign * Math.sqrt(dotOfShorter(vector, vector));
  const scale = Math.sqrt(2 / dotOfShorter(vector, vector));
  for (let index = 0; index < vector.length; index += 1) vector[index]! *= scale;
  return -sign;
}

function dotOfShorter(left: Float64Array, right: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < right.length; index += 1) sum += left[index]! * right[index]!;
  return sum;
}

/** Box and Muller's method rejects no number, so that all machines draw the same ones. */
function gaussians(secret: Buffer, count: number): Float64Array {
  const pairs = Math.ceil(count / 2);
  const cipher = createCipheriv('aes-256-ctr', secret, Buffer.alloc(16));
  const stream = cipher.update(Buffer.alloc(pairs * BYTES_PER_PAIR));
  const numbers = new Float64Array(pairs * 2);
  for (let pair = 0; pair < pairs; pair += 1) {
    const radius = Math.sqrt(-2 * Math.log(1 - fraction(stream, pair * BYTES_PER_PAIR)));
    const angle = 2 * Math.PI * fraction(stream, pair * BYTES_PER_PAIR + 8);
    numbers[pair * 2] = radius * Math.cos(angle);
    numbers[pair * 2 + 1] = radius * Math.sin(angle);
  }
  return numbers.subarray(0, count);
}

/** Reads 53 bits as a number from 0 to below 1. */
function fraction(bytes: Buffer, at: number): number {
  return ((bytes.readUInt32LE(at) >>> 5) * 2 ** 26 + (bytes.readUInt32LE(at + 4) >>> 6)) / 2 ** 53;
}

/** Rotations in memory, of 1 MB each at 512 dimensions */
const MAX_KEPT = 16;

/** Derives secrets from a data key, so that a change of the master key keeps all rotations and vectors. */
export function createSecretRotationCache(sealer: Sealer) {
  const kept = new Map<string, ReturnType<typeof createSecretRotation>>();
  return {
    of({ id, dimensions }: { id: string; dimensions: number }) {
      const rotation = kept.get(id) ?? createSecretRotation(dimensions, sealer.digest('galleries/rotation', id));
      kept.delete(id);
      kept.set(id, rotation);
      const oldest = kept.keys().next().value;
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      return rotation;
    },
  };
}
