// The vector that says whose face it is, and how alike two of them are.

import type { Points } from '@limen/face-geometry';
import { alignFace, type Frame, readPixels } from '@limen/face-geometry';
import { type FaceModels, inputOf, runModel } from './models.ts';

export interface Embedding {
  /** Of length one. */
  vector: Float32Array;
  /** Its length as it came from the model: how much of a face it saw. */
  strength: number;
}

/** Null where the model sees nothing at all. */
export async function readEmbedding(models: FaceModels, frame: Frame, landmarks: Points): Promise<Embedding | null> {
  const input = inputOf(models, 'embedding');
  const values = readPixels(frame, input, { from: alignFace(landmarks, input.width), beyond: 'black' });
  const raw = Object.values(await runModel(models, 'embedding', values))[0];
  if (!raw) return null;
  const vector = toUnitLength(raw);
  const strength = Math.hypot(...raw);
  raw.fill(0);
  return vector && { vector, strength };
}

/** Of length one. Null where the model sees nothing at all. */
export async function embedFace(models: FaceModels, frame: Frame, landmarks: Points): Promise<Float32Array | null> {
  return (await readEmbedding(models, frame, landmarks))?.vector ?? null;
}

/** One vector for several pictures of a face: the direction of their sum. */
export function combineEmbeddings(vectors: readonly Float32Array[]): Float32Array | null {
  const sum = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) for (const [i, value] of vector.entries()) sum[i]! += value;
  const direction = toUnitLength(sum);
  sum.fill(0);
  return direction;
}

/** Below it a frame is of a blur, of a face half hidden, or of somebody else; as the service judges those that it is given. */
const LEAST_LIKE_THE_REST = 0.8;

/** One vector for the frames of one person: those that are unlike the rest are left out. Null where none is left. */
export function combineFrames(vectors: readonly Float32Array[]): Float32Array | null {
  const common = combineEmbeddings(vectors);
  if (!common) return null;
  const good = vectors.filter((vector) => compareEmbeddings(vector, common) >= LEAST_LIKE_THE_REST);
  common.fill(0);
  return combineEmbeddings(good);
}

/** Cosine; 1 is the same direction. */
export function compareEmbeddings(one: Float32Array, other: Float32Array): number {
  if (one.length !== other.length) throw new Error('Embeddings of different models cannot be compared');
  let [product, oneSquared, otherSquared] = [0, 0, 0];
  for (let i = 0; i < one.length; i += 1) {
    product += one[i]! * other[i]!;
    oneSquared += one[i]! ** 2;
    otherSquared += other[i]! ** 2;
  }
  return product === 0 ? 0 : product / Math.sqrt(oneSquared * otherSquared);
}

function toUnitLength(vector: Float32Array): Float32Array | null {
  const length = Math.hypot(...vector);
  return length > 0 && Number.isFinite(length) ? vector.map((value) => value / length) : null;
}
