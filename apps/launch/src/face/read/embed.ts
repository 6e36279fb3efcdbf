import type { Points } from '@limen/face-geometry';
import { alignFace, type Frame, readPixels } from '@limen/face-geometry';
import { type FaceModels, getInput, runModel } from './models.ts';

export interface Embedding {
  /** Unit vector. */
  vector: Float32Array;
  /** Length of the model's output: how much of a face it saw. */
  strength: number;
}

/** Returns null if the model sees no face at all. */
export async function readEmbedding(models: FaceModels, frame: Frame, landmarks: Points): Promise<Embedding | null> {
  const input = getInput(models, 'embedding');
  const values = readPixels(frame, input, { from: alignFace(landmarks, input.width), beyond: 'black' });
  const raw = Object.values(await runModel(models, 'embedding', values))[0];
  if (!raw) return null;
  const vector = toUnitLength(raw);
  const strength = Math.hypot(...raw);
  raw.fill(0);
  return vector && { vector, strength };
}

/** Returns the unit vector; null if the model sees no face at all. */
export async function embedFace(models: FaceModels, frame: Frame, landmarks: Points): Promise<Float32Array | null> {
  return (await readEmbedding(models, frame, landmarks))?.vector ?? null;
}

/** Combines embeddings into the direction of their sum. */
export function combineEmbeddings(vectors: readonly Float32Array[]): Float32Array | null {
  const sum = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) for (const [i, value] of vector.entries()) sum[i]! += value;
  const direction = toUnitLength(sum);
  sum.fill(0);
  return direction;
}

/** A frame below it is blurred, occluded, or of another person. Matches the service's threshold. */
const MIN_SIMILARITY_TO_COMMON = 0.8;

/** Combines the frames of one person without outliers. Returns null if none is left. */
export function combineFrames(vectors: readonly Float32Array[]): Float32Array | null {
  const common = combineEmbeddings(vectors);
  if (!common) return null;
  const good = vectors.filter((vector) => compareEmbeddings(vector, common) >= MIN_SIMILARITY_TO_COMMON);
  common.fill(0);
  return combineEmbeddings(good);
}

/** Computes the cosine similarity; 1 is the same direction. */
export function compareEmbeddings(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) throw new Error('Embeddings of different models cannot be compared');
  let [product, squaredA, squaredB] = [0, 0, 0];
  for (let i = 0; i < a.length; i += 1) {
    product += a[i]! * b[i]!;
    squaredA += a[i]! ** 2;
    squaredB += b[i]! ** 2;
  }
  return product === 0 ? 0 : product / Math.sqrt(squaredA * squaredB);
}

function toUnitLength(vector: Float32Array): Float32Array | null {
  const length = Math.hypot(...vector);
  return length > 0 && Number.isFinite(length) ? vector.map((value) => value / length) : null;
}
