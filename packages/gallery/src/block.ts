// How rows lie in memory: a block holds the codes of some rows in the arena and their originals in a buffer of its own.

/** Rows of the largest block. Larger ones would leave the last thread of a search with more to do than the others. */
export const MAX_BLOCK_ROWS = 4096;
/** Rows of the first block, the fewest that the kernel takes: a gallery of one person costs this many. */
const MIN_BLOCK_ROWS = 4;

/**
 * Metadata of 32 bits each: a row is its codes times its scale, off by at most its error. Those of coarse codes lie in
 * planes, for a scan takes four rows at a time; those of fine codes behind the row's codes, for it is often looked at alone.
 */
const COARSE_PLANES = 3;
const FINE_META_BYTES = 16;
const KEY_BYTES = 8;

export interface Layout {
  readonly dimensions: number;
  /** Bytes of a row's coarse codes: four bits a dimension, sixty-four dimensions at a time. */
  readonly coarseStride: number;
  /** Bytes of a row's fine codes: a byte a dimension, in whole vectors of sixteen. */
  readonly fineStride: number;
  /** The same with the metadata behind them. */
  readonly fineRowBytes: number;
}

export function createLayout(dimensions: number): Layout {
  const fineStride = Math.ceil(dimensions / 16) * 16;
  return {
    dimensions,
    coarseStride: Math.ceil(dimensions / 64) * 32,
    fineStride,
    fineRowBytes: fineStride + FINE_META_BYTES,
  };
}

/**
 * Bytes that a vector takes: four bits and eight bits a dimension and 28 bytes of metadata in the arena, four bytes a
 * dimension and the key beside it. 2,852 for 512 dimensions. A gallery has room for at most twice its vectors while it
 * is smaller than a block, and for less than a block more when it is larger; the key table on the heap is extra.
 */
export function bytesPerVector(dimensions: number): number {
  return arenaBytesPerRow(createLayout(dimensions)) + originalBytesPerRow(dimensions);
}

/** What a thread has to know of a block to scan it. */
export interface BlockPlace {
  readonly capacity: number;
  /** Offset in the arena. */
  readonly at: number;
  /** The vectors as they came, then the keys: outside the arena, which could not hold them beyond 4 GiB. */
  readonly originals: SharedArrayBuffer;
}

export interface Block extends BlockPlace {
  readonly vectors: Float32Array;
  readonly keys: Float64Array;
  readonly coarseCodesAt: number;
  /** Planes: scale, error, norm. */
  readonly coarseMetaAt: number;
  /** Behind each row's codes: scale, error, the query's offset times the sum of the codes, norm. */
  readonly fineAt: number;
  /** Bytes from one plane of metadata to the next. */
  readonly metaStride: number;
}

export function arenaBytes(layout: Layout, capacity: number): number {
  return arenaBytesPerRow(layout) * capacity;
}

export function createOriginals(layout: Layout, capacity: number): SharedArrayBuffer {
  return new SharedArrayBuffer(originalBytesPerRow(layout.dimensions) * capacity);
}

export function openBlock(layout: Layout, { capacity, at, originals }: BlockPlace): Block {
  const metaStride = capacity * 4;
  const coarseMetaAt = at + layout.coarseStride * capacity;
  return {
    capacity,
    at,
    originals,
    // Keys first: they need the stricter alignment.
    keys: new Float64Array(originals, 0, capacity),
    vectors: new Float32Array(originals, capacity * KEY_BYTES, capacity * layout.dimensions),
    coarseCodesAt: at,
    coarseMetaAt,
    fineAt: coarseMetaAt + COARSE_PLANES * metaStride,
    metaStride,
  };
}

/** Rows that the next block of a gallery holds: as many as there are already, within the bounds. */
export function nextCapacity(rows: number): number {
  return Math.min(MAX_BLOCK_ROWS, Math.max(MIN_BLOCK_ROWS, rows));
}

function arenaBytesPerRow({ coarseStride, fineRowBytes }: Layout): number {
  return coarseStride + COARSE_PLANES * 4 + fineRowBytes;
}

function originalBytesPerRow(dimensions: number): number {
  return dimensions * 4 + KEY_BYTES;
}
