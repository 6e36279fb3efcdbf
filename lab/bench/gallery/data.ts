// Reproducible face-like vectors: identities, second pictures of some, and strangers.
import { createRandom, type Random } from '../shared/random.ts';

export const DIMENSIONS = 512;

/**
 * Decay of the spread over the hidden axes. With 100, unrelated faces have cosines of 0 ± 0.07, as
 * with published face models. Evenly spread vectors would have 0 ± 0.044 and be easier to
 * distinguish.
 */
const SPREAD = 100;
/** Length of the noise per picture: two pictures of one face then have a cosine of about 0.77. */
const NOISE = 0.55;

const PROBE_SEED = 1_000_003;

export interface Faces {
  /** Vector of identity `index`, as enrolled. */
  enrolled(index: number): Float32Array;
  /** Probes: alternately another picture of an enrolled identity and a stranger. */
  probes(count: number): Float32Array[];
}

export function createFaces(size: number): Faces {
  const random = createRandom(42);
  const signs = Array.from({ length: DIMENSIONS }, () => (random.next() < 0.5 ? -1 : 1));
  const spreads = Array.from({ length: DIMENSIONS }, (_, axis) => Math.exp(-axis / (2 * SPREAD)));
  const draw = (seed: number) => drawUnit(createRandom(seed), spreads);

  function takePicture(identity: number, picture: number): Float32Array {
    const face = draw(identity * 7 + 1);
    const noise = draw(identity * 7 + 2 + picture);
    for (let axis = 0; axis < DIMENSIONS; axis += 1) face[axis]! += NOISE * noise[axis]!;
    return Float32Array.from(toLengthOne(mix(face, signs)));
  }

  return {
    enrolled: (index) => takePicture(index, 0),
    probes(count) {
      const chosen = createRandom(PROBE_SEED);
      return Array.from({ length: count }, (_, at) =>
        isOfStranger(at) ? takePicture(2 ** 28 + at, 0) : takePicture(chosen.below(size), 1),
      );
    },
  };
}

/** Returns whether the probe shows a person who was never enrolled. */
export function isOfStranger(probe: number): boolean {
  return probe % 2 === 1;
}

function drawUnit(random: Random, spreads: readonly number[]): Float64Array {
  const vector = new Float64Array(DIMENSIONS);
  for (let axis = 0; axis < DIMENSIONS; axis += 2) {
    const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
    const angle = 2 * Math.PI * random.next();
    vector[axis] = radius * Math.cos(angle) * spreads[axis]!;
    vector[axis + 1] = radius * Math.sin(angle) * spreads[axis + 1]!;
  }
  return toLengthOne(vector);
}

/** Spreads the hidden axes over all coordinates: signs, then a Walsh-Hadamard transform. */
function mix(vector: Float64Array, signs: readonly number[]): Float64Array {
  for (let at = 0; at < DIMENSIONS; at += 1) vector[at]! *= signs[at]!;
  for (let half = 1; half < DIMENSIONS; half *= 2)
    for (let start = 0; start < DIMENSIONS; start += half * 2)
      for (let at = start; at < start + half; at += 1) {
        const [left, right] = [vector[at]!, vector[at + half]!];
        vector[at] = left + right;
        vector[at + half] = left - right;
      }
  return vector;
}

function toLengthOne(vector: Float64Array): Float64Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const factor = 1 / Math.sqrt(squares);
  for (let at = 0; at < vector.length; at += 1) vector[at]! *= factor;
  return vector;
}
