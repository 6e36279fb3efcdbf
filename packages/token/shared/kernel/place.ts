// A place of the evaluator's memory: two unpacked polynomials of a token, or a block and what comes with it.
import { RING_DEGREE } from '../parameters.ts';

/** Two polynomials of 2048 integers of 32 bits. */
export const PLACE_BYTES = 16_384;

/** Behind a block's polynomial: its product with the second polynomial of probes, rounded to 16 bits; then its nonce. */
export const BLOCK_PRODUCT_AT: number = 4 * RING_DEGREE;
export const BLOCK_NONCE_AT: number = BLOCK_PRODUCT_AT + 2 * RING_DEGREE;
