// Memory layout of rows: a block holds the codes of its rows in the arena and their originals in a
// separate buffer.

/** Maximum rows of a block. Larger ones would unbalance the threads of a search. */
export const MAX_BLOCK_ROWS = 4096;
/** Rows of the first block, the kernel's minimum, also for a gallery of one. */
const MIN_BLOCK_ROWS = 4;

/**
 * Metadata of 32 bits each: a row is its codes times its scale, with at most its error. Metadata of
 * coarse codes is stored in planes, because scans take four rows at a time. Metadata of fine codes
 * follows the row's codes, because it is often read alone.
 */
const COARSE_PLANES = 3;
const FINE_META_BYTES = 16;
const KEY_BYTES = 8;

export interface Layout {
  readonly dimensions: number;
  /** Bytes of a row's coarse codes: four bits per dimension, in groups of 64 dimensions. */
  readonly coarseStride: number;
  /** Bytes of a row's fine codes: one byte per dimension, in vectors of sixteen. */
  readonly fineStride: number;
  /** Including the metadata after them. */
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
 * Bytes per vector: 12 bits per dimension and 28 bytes of metadata in the arena, and four bytes per
 * dimension and the key outside. 2,852 for 512 dimensions. A gallery's capacity is at most twice
 * its size while it is smaller than a block, and less than a block more afterwards. The key table
 * on the heap is extra.
 */
export function bytesPerVector(dimensions: number): number {
  return arenaBytesPerRow(createLayout(dimensions)) + originalBytesPerRow(dimensions);
}

/** Facts that a thread needs to scan a block. */
export interface BlockPlace {
  readonly capacity: number;
  /** Offset in the arena. */
  readonly at: number;
  /** Original vectors, followed by the keys. Outside the arena, whose 4 GiB would not suffice. */
  readonly originals: SharedArrayBuffer;
}

export interface Block extends BlockPlace {
  readonly vectors: Float32Array;
  readonly keys: Float64Array;
  readonly coarseCodesAt: number;
  /** Planes: scale, error, norm. */
  readonly coarseMetaAt: number;
  /** After each row's codes: scale, error, the query's offset times the sum of the codes, norm. */
  readonly fineAt: number;
  /** Bytes between two planes of metadata. */
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
    // Keys first, because they need stricter alignment.
    keys: new Float64Array(originals, 0, capacity),
    vectors: new Float32Array(originals, capacity * KEY_BYTES, capacity * layout.dimensions),
    coarseCodesAt: at,
    coarseMetaAt,
    fineAt: coarseMetaAt + COARSE_PLANES * metaStride,
    metaStride,
  };
}

/** Capacity of a gallery's next block: equal to its current size, within bounds. */
export function nextCapacity(rows: number): number {
  return Math.min(MAX_BLOCK_ROWS, Math.max(MIN_BLOCK_ROWS, rows));
}

function arenaBytesPerRow({ coarseStride, fineRowBytes }: Layout): number {
  return coarseStride + COARSE_PLANES * 4 + fineRowBytes;
}

function originalBytesPerRow(dimensions: number): number {
  return dimensions * 4 + KEY_BYTES;
}
