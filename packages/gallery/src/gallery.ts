// The interface of a gallery: unit vectors with keys, and exact nearest-neighbor search.

/** Supported numbers of dimensions. */
export const MIN_DIMENSIONS = 128;
export const MAX_DIMENSIONS = 512;

export interface Hit {
  /** Key with which the vector was inserted. */
  key: number;
  /** Dot product of the two vectors in double precision. Equals the cosine for unit vectors. */
  similarity: number;
}

/** Best first, equal ones by key. */
export function compareHits(a: Hit, b: Hit): number {
  return b.similarity - a.similarity || a.key - b.key;
}

export interface SearchOptions {
  /** Maximum number of hits. */
  k: number;
  /** Minimum similarity. Higher values read less of the gallery. */
  minSimilarity: number;
}

export interface Gallery {
  readonly dimensions: number;
  readonly size: number;
  /** Memory of its vectors in bytes, including spare capacity. */
  readonly bytes: number;
  /** Adds a copy of a unit vector, visible to all later searches. Throws if the key exists. */
  insert(key: number, vector: Float32Array): void;
  /**
   * Removes a vector and wipes its memory. Returns false if it does not exist. The last removal
   * frees the gallery's memory.
   */
  remove(key: number): boolean;
  has(key: number): boolean;
  /** Returns the `k` most similar vectors, best first and equal ones by key. */
  search(query: Float32Array, options: SearchOptions): Promise<Hit[]>;
  /** Returns the similarities to the existing ones of these keys, best first. */
  compare(query: Float32Array, keys: readonly number[]): Hit[];
  /** Wipes and frees its memory. The gallery cannot be used afterwards. */
  drop(): void;
}

export interface GalleryEngine {
  createGallery(dimensions: number): Gallery;
  /** Ends the threads and rejects running searches. */
  close(): Promise<void>;
}
