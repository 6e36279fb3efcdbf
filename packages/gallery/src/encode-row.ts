// Writes a vector's coarse and fine codes with proven error bounds.
import type { ArenaViews } from './arena.ts';
import type { Block, Layout } from './block.ts';
import { MAX_DIMENSIONS } from './gallery.ts';
import { COARSE_CENTRE, QUERY_OFFSET } from './prepare-query.ts';
import { roundUp } from './round-outwards.ts';

/**
 * Step between the sixteen levels of a coarse code, in units of the root mean square. Optimal for
 * normally distributed coordinates (Max 1960). Another value would widen the bound but not break
 * it.
 */
const COARSE_STEP = 0.3352;

/**
 * Norms between which the kernel's single precision neither overflows nor underflows, with a wide
 * margin. Other rows get an infinite bound and are always checked in double precision.
 */
const MIN_NORM = 1e-15;
const MAX_NORM = 1e15;

/**
 * Error of the kernel's arithmetic relative to the product of both norms: at most eight roundings
 * of 2^-24 each, on terms whose sum is below three times that product, thus below 2^-19. Also
 * covers the double-precision sum that ranks hits.
 */
const ROUNDING = 2 ** -18;

/** Coarse codes of the current row, one per byte. All zeros between two rows. */
const codes = new Uint8Array(MAX_DIMENSIONS);

/** Bound of a missing row: below any limit. */
const MISSING_ROW_BOUND = -Infinity;

/**
 * Row `x` is stored as `x̂ = scale × code`. For a query `q` stored as `q̂`, `|x·q − x̂·q̂| ≤ ‖x −
 * x̂‖·‖q‖ + ‖x̂‖·‖q − q̂‖` (Cauchy-Schwarz, twice), so `x̂·q̂` plus that is an upper bound of
 * `x·q`. `‖x − x̂‖` is summed in double precision from the stored codes and rounded up.
 */
export function writeRow(layout: Layout, views: ArenaViews, block: Block, row: number, vector: Float32Array): void {
  const { dimensions } = layout;
  let squares = 0;
  let greatest = 0;
  for (let at = 0; at < dimensions; at += 1) {
    const value = vector[at]!;
    squares += value * value;
    const size = Math.abs(value);
    if (size > greatest) greatest = size;
  }
  const norm = Math.sqrt(squares);
  if (!(norm >= MIN_NORM && norm <= MAX_NORM)) {
    writeMeta(layout, views, block, row, Infinity);
    return;
  }
  writeCoarse(layout, views, block, row, vector, norm);
  writeFine(layout, views, block, row, vector, greatest);
}

/** Hides a row from all later searches and wipes it. */
export function wipeRow(layout: Layout, views: ArenaViews, block: Block, row: number): void {
  const { dimensions, coarseStride, fineStride, fineRowBytes } = layout;
  writeMeta(layout, views, block, row, MISSING_ROW_BOUND);
  const coarseAt = block.coarseCodesAt + row * coarseStride;
  const fineAt = block.fineAt + row * fineRowBytes;
  views.bytes.fill(0, coarseAt, coarseAt + coarseStride);
  views.bytes.fill(0, fineAt, fineAt + fineStride);
  block.vectors.fill(0, row * dimensions, (row + 1) * dimensions);
  block.keys[row] = 0;
}

/** Codes with sixteen levels, eight on either side of zero, from 0.5 to 7.5 steps away. */
function writeCoarse(
  { dimensions, coarseStride }: Layout,
  { bytes, floats }: ArenaViews,
  block: Block,
  row: number,
  vector: Float32Array,
  norm: number,
): void {
  const perStep = Math.sqrt(dimensions) / (COARSE_STEP * norm);
  let product = 0;
  let squares = 0;
  for (let index = 0; index < dimensions; index += 1) {
    const value = vector[index]!;
    const place = value * perStep + 8;
    const code = place <= 0 ? 0 : place >= 15 ? 15 : place | 0;
    codes[index] = code;
    product += value * (code - COARSE_CENTRE);
    squares += (code - COARSE_CENTRE) * (code - COARSE_CENTRE);
  }
  // 32 dimensions in sixteen bytes, neighbors in adjacent bytes. See kernel-text.ts.
  const at = block.coarseCodesAt + row * coarseStride;
  for (let index = 0; index < coarseStride; index += 1) {
    const first = index * 2 - (index & 15);
    bytes[at + index] = codes[first]! | (codes[first + 16]! << 4);
  }
  // Scale with the smallest error for these codes.
  const scale = Math.fround(product / squares);
  let lost = 0;
  for (let index = 0; index < dimensions; index += 1) {
    const off = vector[index]! - scale * (codes[index]! - COARSE_CENTRE);
    lost += off * off;
  }
  codes.fill(0, 0, dimensions);
  const metaAt = block.coarseMetaAt / 4 + row;
  floats[metaAt] = scale;
  floats[metaAt + block.capacity] = roundUp(Math.sqrt(lost) + ROUNDING * norm);
  floats[metaAt + 2 * block.capacity] = roundUp(scale * Math.sqrt(squares) + ROUNDING * norm);
}

function writeFine(
  { dimensions, fineStride, fineRowBytes }: Layout,
  { bytes, floats, ints }: ArenaViews,
  block: Block,
  row: number,
  vector: Float32Array,
  greatest: number,
): void {
  const scale = roundUp(greatest / 127);
  const perUnit = 1 / scale;
  const at = block.fineAt + row * fineRowBytes;
  let sum = 0;
  let lost = 0;
  let squares = 0;
  for (let index = 0; index < dimensions; index += 1) {
    const value = vector[index]!;
    // Rounds by truncation, because the sum is never negative.
    const code = ((value * perUnit + 128.5) | 0) - 128;
    bytes[at + index] = code;
    const kept = scale * code;
    lost += (value - kept) * (value - kept);
    squares += kept * kept;
    sum += code;
  }
  bytes.fill(0, at + dimensions, at + fineStride);
  const norm = Math.sqrt(squares);
  const metaAt = (at + fineStride) / 4;
  floats[metaAt] = scale;
  floats[metaAt + 1] = roundUp(Math.sqrt(lost) + ROUNDING * norm);
  ints[metaAt + 2] = QUERY_OFFSET * sum;
  floats[metaAt + 3] = roundUp(norm);
}

/** Metadata of a row without codes, which is checked always or never. */
function writeMeta(layout: Layout, { floats }: ArenaViews, block: Block, row: number, error: number): void {
  const coarseAt = block.coarseMetaAt / 4 + row;
  floats[coarseAt] = 0;
  floats[coarseAt + block.capacity] = error;
  floats[coarseAt + 2 * block.capacity] = 0;
  const fineAt = (block.fineAt + row * layout.fineRowBytes + layout.fineStride) / 4;
  floats[fineAt] = 0;
  floats[fineAt + 1] = error;
  floats[fineAt + 2] = 0;
  floats[fineAt + 3] = 0;
}

/** Marks all rows of a block as missing. */
export function clearBlock(layout: Layout, views: ArenaViews, block: Block): void {
  for (let row = 0; row < block.capacity; row += 1) writeMeta(layout, views, block, row, MISSING_ROW_BOUND);
}
