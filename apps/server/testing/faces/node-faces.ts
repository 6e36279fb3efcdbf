// Feature vectors of fictional people: the same number gives the same face, and noise gives another
// picture of it.

export interface FaceOptions {
  length?: number;
  /** Distinguishes otherwise equal faces */
  seed?: number;
}

/** Returns normally distributed numbers, as a face network does. */
export function faceOf(person: number, { length = 128, seed = 0 }: FaceOptions = {}): number[] {
  const random = normalNumbers(person * 7919 + seed * 104_729 + 1);
  return Array.from({ length }, random);
}

/**
 * Returns another picture of the face. `noise` is the size of the difference relative to the face.
 */
export function pictureOf(face: readonly number[], noise: number, seed = 1): number[] {
  const random = normalNumbers(seed * 15_485_863 + face.length);
  const mean = face.reduce((sum, value) => sum + value, 0) / face.length;
  const spread = Math.sqrt(face.reduce((sum, value) => sum + (value - mean) ** 2, 0) / face.length);
  return face.map((value) => value + noise * spread * random());
}

/**
 * Returns a face with exactly this similarity to `faceAlike(1)`. The similarity of two faces with
 * different axes is the product of theirs.
 */
export function faceAlike(similarity: number, axis: 1 | 2 | 3 | 4 = 1): number[] {
  const rest = Math.sqrt(1 - similarity ** 2);
  // One bit of the place selects the sign, so that such vectors are orthogonal and have zero mean.
  const sign = (bit: number, place: number) => ((place >> bit) % 2 === 0 ? 1 : -1);
  return Array.from({ length: 128 }, (_, i) => similarity * sign(0, i) + rest * sign(axis, i));
}

/**
 * Number ranges of different face networks: any sign, only positive, far from zero, large or small.
 */
export const WRITINGS: readonly { name: string; write(face: readonly number[]): number[] }[] = [
  { name: 'random', write: (face) => [...face] },
  { name: 'all-positive', write: (face) => face.map((value) => Math.abs(value)) },
  { name: 'peaked', write: (face) => face.map((value) => Math.exp(value / 2)) },
  { name: 'offset', write: (face) => face.map((value) => value + 1_000) },
  { name: 'large', write: (face) => face.map((value) => value * 1e30) },
  { name: 'small', write: (face) => face.map((value) => (value - 5) * 1e-30) },
];

/** Draws with Box–Muller and Mulberry32. */
function normalNumbers(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}
