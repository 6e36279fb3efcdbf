// A piece of the shared memory for one thread.

import { RING_DEGREE, ROW_BYTES } from '../shared/index.ts';
import { FACTOR_WORDS } from '../shared/kernel/factor.ts';

/**
 * Rows per chunk: four megabytes, and 7 ms of work. The overhead of a chunk, messages between three
 * threads and the key-holder's preparation, equals ten rows (measured: 42 µs per row of both roles
 * with 64 rows per chunk, 37 with 128, 35 with 256).
 */
export const CHUNK_ROWS = 256;
/** Rows of blocks: half as many megabytes, and a millisecond for each of both roles. */
export const CHUNK_BLOCKS = 512;

const FACTOR_BYTES = 4 * FACTOR_WORDS;
const SCRATCH_BYTES = 4 * RING_DEGREE;
const LIST_BYTES = 4 * Math.max(CHUNK_ROWS, CHUNK_BLOCKS);

/** Offsets within an area, all multiples of 64. */
export const PROBE_AT = 0;
export const SCRATCH_AT = PROBE_AT + 2 * FACTOR_BYTES;
export const DIRECTION_AT = SCRATCH_AT + SCRATCH_BYTES;
export const LIST_AT = DIRECTION_AT + FACTOR_BYTES;
export const ROWS_AT = LIST_AT + LIST_BYTES;
export const WORK_AREA_BYTES = ROWS_AT + CHUNK_ROWS * ROW_BYTES;
