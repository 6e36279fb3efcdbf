// What a gallery is to its callers: numbered unit vectors, and the exact nearest of them.

/** Lengths an index can be made for. */
export const MIN_DIMENSIONS = 128;
export const MAX_DIMENSIONS = 512;

export interface Hit {
  /** The number the vector was inserted under. */
  key: number;
  /** Dot product of the two vectors in double precision; the cosine, for vectors of length one. */
  similarity: number;
}

/** Best first, equal ones by key. */
export function compareHits(a: Hit, b: Hit): number {
  return b.similarity - a.similarity || a.key - b.key;
}

export interface SearchOptions {
  /** Most hits to return. */
  k: number;
  /** Only vectors at least this similar; the higher it is, the less of the gallery has to be read. */
  minSimilarity: number;
}

export interface Gallery {
  readonly dimensions: number;
  readonly size: number;
  /** Bytes of memory that its vectors take, room for growth included. */
  readonly bytes: number;
  /** Adds a vector of length one; copied, and visible to every search that begins afterwards. A known key is an error. */
  insert(key: number, vector: Float32Array): void;
  /**
   * Takes a vector out and wipes its memory; false when there was none. After the last one the memory goes back to the
   * engine.
   */
  remove(key: number): boolean;
  has(key: number): boolean;
  /** The `k` most similar vectors, best first and equal ones by key: the same answer as a scan in double precision. */
  search(query: Float32Array, options: SearchOptions): Promise<Hit[]>;
  /** The similarity to each of these keys that is there, best first; for a handful of candidates. */
  compare(query: Float32Array, keys: readonly number[]): Hit[];
  /** Gives its memory back to the engine, wiped, for other galleries; it cannot be used afterwards. */
  drop(): void;
}

export interface GalleryEngine {
  createGallery(dimensions: number): Gallery;
  /** Ends the threads; searches under way are refused. */
  close(): Promise<void>;
}
