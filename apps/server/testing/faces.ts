// Synthetic faces: the same number gives the same face, and different numbers give dissimilar
// faces.
import { similarity, toUnitVector } from '../src/faces/galleries/face-vectors.ts';

export const FACE_DIMENSIONS = 128;

/** Returns a unit vector. */
export function makeFace(number: number, dimensions = FACE_DIMENSIONS): Float32Array {
  return toUnitVector(drawNormals(number, dimensions))!;
}

/**
 * Returns another picture of the face: similarity about 0.96 to the face, and 0.92 to other
 * pictures.
 */
export function makePicture(number: number, picture: number): Float32Array {
  const noise = drawNormals(1_000_003 * (picture + 1) + number, FACE_DIMENSIONS);
  const blur = 0.3 / Math.sqrt(FACE_DIMENSIONS);
  return toUnitVector([...makeFace(number)].map((value, i) => value + blur * noise[i]!))!;
}

/** Returns a picture of face `other` with exactly this similarity to face `common`. */
export function blendFaces(common: number, other: number, likeness: number, picture: number): Float32Array {
  const [a, b] = [makeFace(common), makePicture(other, picture)];
  const shared = similarity(a, b);
  const rest = toUnitVector([...b].map((value, i) => value - shared * a[i]!))!;
  return rest.map((value, i) => likeness * a[i]! + Math.sqrt(1 - likeness ** 2) * value);
}

/** Draws with Mulberry32 and Box–Muller. */
function drawNormals(seed: number, count: number): number[] {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
  return Array.from({ length: count }, () => Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next()));
}
