// Layout of blinded comparisons with blocks, written by the evaluator and scored by the key-holder.
import { RING_DEGREE } from '../parameters.ts';
import { NONCE_BYTES } from './block.ts';
import { BLOCK_PEOPLE } from './fold.ts';

/**
 * Comparison of a block (c, a) with a folded probe (d, b), as sent to the key-holder; little-endian:
 *
 * | at | content |
 * |----|---------|
 * | 0  | the block's nonce |
 * | 12 | u32: bit mask of the four places that count |
 * | 16 | i32 × 4: the coefficients at 0, 512, 1024 and 1536 of c·d, with the evaluator's noise, centered around 0 |
 * | 32 | i16 × 2048: the coefficients of c·b times 65,536/q, rounded, modulo 65,536 |
 */
export const BLOCK_ROW_BYTES: number = 32 + 2 * RING_DEGREE;
export const BLOCK_PLACES_AT: number = NONCE_BYTES;
export const BLOCK_WORDS_AT = 16;
export const BLOCK_ROUNDED_AT = 32;

/** Coefficients of a·d, rounded as above. Equal for all blocks of a search. */
export const COMMON_BYTES: number = 2 * RING_DEGREE;

/** All four places. */
export const ALL_PLACES: number = 2 ** BLOCK_PEOPLE - 1;

export interface BlindedBlocks {
  count: number;
  /** `count` times BLOCK_ROW_BYTES. In shared memory if they came from a thread. */
  bytes: Uint8Array;
  common: Uint8Array;
}

/** Returns whether the numbers of bytes fit. Checked before external data is scored. */
export function areWholeBlocks({ count, bytes, common }: BlindedBlocks): boolean {
  const isWhole = Number.isInteger(count) && count >= 0 && bytes.length === count * BLOCK_ROW_BYTES;
  return isWhole && common.length === COMMON_BYTES;
}

/** Number of people who count. */
export function countPlaces({ count, bytes }: BlindedBlocks): number {
  let places = 0;
  for (let block = 0; block < count; block++) {
    const bits = bytes[block * BLOCK_ROW_BYTES + BLOCK_PLACES_AT]!;
    for (let place = 0; place < BLOCK_PEOPLE; place++) places += (bits >> place) & 1;
  }
  return places;
}
