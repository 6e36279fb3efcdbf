// Converts a caller's faces to Feature objects. No message quotes a number.
import type { Feature } from '@limen/contract';

/** The contract's limits, repeated because the package contains only its types. */
export const EMBEDDING_MIN_LENGTH = 128;
export const EMBEDDING_MAX_LENGTH = 512;
export const FEATURES_MAX = 64;

/** A face vector: 128 to 512 finite numbers. */
export type Embedding = readonly number[] | Float32Array | Float64Array;

/** One picture of a face, as a vector or as the API's Feature object. */
export type FaceFeature = Embedding | Readonly<Feature>;

/** One picture of a face, or up to 64 of the same person. */
export type FaceFeatures = FaceFeature | readonly FaceFeature[];

export function toFeatures(faces: FaceFeatures): Feature[] {
  const several = isFeatureList(faces) ? faces : [faces];
  if (several.length === 0 || several.length > FEATURES_MAX) {
    throw new TypeError(`features must be one face vector, or 1 to ${FEATURES_MAX} of them`);
  }
  const features = several.map(toFeature);
  const length = features[0]?.embedding_vector.length;
  if (features.some(({ embedding_vector }) => embedding_vector.length !== length)) {
    throw new TypeError('all face vectors of a call must have the same length');
  }
  return features;
}

export function toFeature(face: FaceFeature): Feature {
  const isVector = isEmbedding(face);
  const vector: unknown = isVector ? face : face?.embedding_vector;
  if (!isEmbedding(vector)) {
    throw new TypeError('a face vector must be an array of numbers, or an object with one as embedding_vector');
  }
  if (vector.length < EMBEDDING_MIN_LENGTH || vector.length > EMBEDDING_MAX_LENGTH) {
    throw new TypeError(`a face vector must have ${EMBEDDING_MIN_LENGTH} to ${EMBEDDING_MAX_LENGTH} numbers`);
  }
  // JSON would turn non-finite numbers into null.
  const embedding_vector = Array.from(vector);
  if (!embedding_vector.every(Number.isFinite)) throw new TypeError('a face vector must contain finite numbers only');
  return !isVector && face.type !== undefined ? { type: face.type, embedding_vector } : { embedding_vector };
}

/** A plain array is a list of vectors unless it starts with a number. */
function isFeatureList(faces: FaceFeatures): faces is readonly FaceFeature[] {
  return Array.isArray(faces) && typeof faces[0] !== 'number';
}

function isEmbedding(value: unknown): value is Embedding {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}
