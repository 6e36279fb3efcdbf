// The secret rotation under which a gallery's vectors lie where a database must be able to search them.
//
// What it is: an orthogonal matrix drawn at random, the same for every vector of a gallery. It keeps lengths and angles,
// which is what makes the vectors searchable, and hides which direction means what, so that a stored vector by itself
// fits no face model. What it is not: encryption. Whoever reads the table sees how similar its vectors are to each
// other, and whoever knows as many plain vectors as there are dimensions, with their rows, can work the rotation out.
import { createCipheriv } from 'node:crypto';
import type { Sealer } from '../../../platform/sealing/sealer.ts';

export type SecretRotation = ReturnType<typeof createSecretRotation>;

const SECRET_BYTES = 32;
const BYTES_PER_PAIR = 16;

/**
 * A uniformly (Haar) distributed orthogonal matrix as a product of Householder reflections, each one number shorter than
 * the one before, and of signs (Stewart, 1980). Kept as the reflections: applying them costs as many multiplications as
 * the matrix would (d²), and making them costs d² instead of d³.
 */
export function createSecretRotation(dimensions: number, secret: Buffer) {
  if (secret.length !== SECRET_BYTES) throw new Error(`the secret of a rotation has ${SECRET_BYTES} bytes`);
  const numbers = gaussians(secret, (dimensions * (dimensions + 1)) / 2);
  const reflections: Float64Array[] = [];
  for (let length = dimensions, at = 0; length > 0; at += length, length -= 1) {
    reflections.push(numbers.subarray(at, at + length));
  }
  const signs = reflections.map(makeReflection);
  return {
    /** Same length and angles, other direction; rounded to float32 once, at the end. */
    rotate(vector: Float32Array): Float32Array {
      if (vector.length !== dimensions) throw new Error(`a vector of ${vector.length} where ${dimensions} belong`);
      const turned = new Float64Array(vector);
      let factor = dotOfShorter(turned, reflections[0]!);
      for (let index = 0; index < dimensions; index += 1) {
        factor = reflectAndDot(turned, reflections[index]!, factor, reflections[index + 1]);
      }
      return new Float32Array(turned.map((value, index) => value * signs[dimensions - 1 - index]!));
    },
  };
}

/**
 * Turns a Gaussian vector into the one whose reflection sends it along the last axis, scaled so that a reflection is
 * `x - v (v·x)`. Returns the sign that makes the whole uniform.
 */
function makeReflection(vector: Float64Array): number {
  const last = vector.length - 1;
  const sign = vector[last]! < 0 ? -1 : 1;
  vector[last]! += sign * Math.sqrt(dotOfShorter(vector, vector));
  const scale = Math.sqrt(2 / dotOfShorter(vector, vector));
  for (let index = 0; index < vector.length; index += 1) vector[index]! *= scale;
  return -sign;
}

/**
 * Reflects `vector` along `along` (`factor` is their dot product) and returns the dot product with the next reflection,
 * one number shorter: one pass over the numbers instead of two took a quarter off the time (320 µs at 512).
 */
function reflectAndDot(vector: Float64Array, along: Float64Array, factor: number, next?: Float64Array): number {
  const rest = along.length - 1;
  vector[rest]! -= factor * along[rest]!;
  if (!next) return 0;
  const even = rest - (rest % 2);
  let [sum0, sum1] = [0, 0];
  for (let index = 0; index < even; index += 2) {
    const value0 = vector[index]! - factor * along[index]!;
    const value1 = vector[index + 1]! - factor * along[index + 1]!;
    vector[index] = value0;
    vector[index + 1] = value1;
    sum0 += value0 * next[index]!;
    sum1 += value1 * next[index + 1]!;
  }
  if (even < rest) {
    vector[even]! -= factor * along[even]!;
    sum0 += vector[even]! * next[even]!;
  }
  return sum0 + sum1;
}

function dotOfShorter(left: Float64Array, right: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < right.length; index += 1) sum += left[index]! * right[index]!;
  return sum;
}

/**
 * Independent Gaussian numbers from AES-256-CTR under the secret, by Box and Muller: no number is thrown away, so that a
 * last bit of `log` or `cos` that differs between machines moves one number by that bit and no other number at all.
 */
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

/** 53 bits as a number from 0 up to, and without, 1. */
function fraction(bytes: Buffer, at: number): number {
  return ((bytes.readUInt32LE(at) >>> 5) * 2 ** 26 + (bytes.readUInt32LE(at + 4) >>> 6)) / 2 ** 53;
}

/** One takes 1 MB at 512 dimensions. */
const MAX_KEPT = 16;

/**
 * The secret of a gallery comes from a data key that the master key wraps: changing the master key leaves it as it is, so
 * no vector has to move. Making it takes the master key or the memory of a process.
 */
export function createSecretRotationCache(sealer: Sealer) {
  const kept = new Map<string, SecretRotation>();
  return {
    of({ id, dimensions }: { id: string; dimensions: number }): SecretRotation {
      const rotation = kept.get(id) ?? createSecretRotation(dimensions, sealer.digest('galleries/rotation', id));
      kept.delete(id);
      kept.set(id, rotation);
      const oldest = kept.keys().next().value;
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      return rotation;
    },
  };
}
