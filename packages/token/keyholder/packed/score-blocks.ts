// Computes cosines of a folded probe with the people of blocks. They stay in this role: the caller
// compares and wipes them.
import { loadKernel, type TokenKernel } from '../../shared/kernel/load-kernel.ts';
import {
  areWholeBlocks,
  BLOCK_PLACES_AT,
  BLOCK_ROW_BYTES,
  type BlindedBlocks,
  countPlaces,
} from '../../shared/packed/blinded-blocks.ts';
import { BLOCK_PEOPLE, FOLDED_LENGTH } from '../../shared/packed/fold.ts';
import { M_SQUARED, Q, RING_DEGREE, ROUNDED_RANGE } from '../../shared/parameters.ts';
import { center } from '../../shared/ring.ts';
import { TokenError } from '../../shared/token-error.ts';
import type { SecretKey } from '../secret-key.ts';
import type { ProbeSecret } from './reencrypt-folded.ts';
import { openStreams, STREAM_BYTES } from './short-secret.ts';

/** A quarter of a megabyte of rows at a time, which fits the CPU caches. */
const CHUNK_BLOCKS = 64;

const TABLES_AT = 16;
const TABLES_BYTES = 2 * BLOCK_PEOPLE * 2 * RING_DEGREE;
const STREAMS_AT = TABLES_AT + TABLES_BYTES;
const SCORES_AT = STREAMS_AT + CHUNK_BLOCKS * STREAM_BYTES;
const ROWS_AT = SCORES_AT + 8 * BLOCK_PEOPLE * CHUNK_BLOCKS;
const PAGE_BYTES = 65_536;
const PAGES = Math.ceil((ROWS_AT + CHUNK_BLOCKS * BLOCK_ROW_BYTES) / PAGE_BYTES);

interface BlockMemory {
  kernel: TokenKernel;
  tables: Int16Array;
  streams: Uint8Array;
  scores: Float64Array;
  rows: Uint8Array;
}

let opened: BlockMemory | undefined;

/**
 * Returns the scores of all counting places in order. `out` must have room for them. Takes constant
 * time per block for any content. Throws `TokenError` unless the bytes are `count` blocks.
 */
export function scoreBlocks(blocks: BlindedBlocks, key: SecretKey, secret: ProbeSecret, out: Float64Array): void {
  if (!areWholeBlocks(blocks) || out.length < countPlaces(blocks)) {
    throw new TokenError('length');
  }
  opened ??= open();
  const { kernel, tables, streams, scores, rows } = opened;
  const { count, bytes } = blocks;
  setTables(tables, blocks.common, secret);
  const keys = openStreams(key.blockKey, Math.min(CHUNK_BLOCKS, count));
  let scored = 0;
  for (let from = 0; from < count; from += CHUNK_BLOCKS) {
    const part = Math.min(CHUNK_BLOCKS, count - from);
    rows.set(bytes.subarray(from * BLOCK_ROW_BYTES, (from + part) * BLOCK_ROW_BYTES));
    const drawn = keys.make(rows, BLOCK_ROW_BYTES, part);
    streams.set(drawn);
    drawn.fill(0);
    kernel.scoreBlocks(ROWS_AT, part, STREAMS_AT, TABLES_AT, SCORES_AT);
    for (let block = 0; block < part; block++) {
      const bits = rows[block * BLOCK_ROW_BYTES + BLOCK_PLACES_AT]!;
      for (let place = 0; place < BLOCK_PEOPLE; place++)
        if ((bits >> place) & 1) out[scored++] = scores[block * BLOCK_PEOPLE + place]! / M_SQUARED;
    }
  }
  for (const part of [tables, streams, scores]) part.fill(0);
}

function open(): BlockMemory {
  // The kernel imports shared memory, because the evaluator's threads need it.
  const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES, shared: true });
  const { buffer } = memory;
  return {
    kernel: loadKernel(memory),
    tables: new Int16Array(buffer, TABLES_AT, TABLES_BYTES / 2),
    streams: new Uint8Array(buffer, STREAMS_AT, CHUNK_BLOCKS * STREAM_BYTES),
    scores: new Float64Array(buffer, SCORES_AT, BLOCK_PEOPLE * CHUNK_BLOCKS),
    rows: new Uint8Array(buffer, ROWS_AT, CHUNK_BLOCKS * BLOCK_ROW_BYTES),
  };
}

/**
 * With P = c + a·s the block and G = d + b·t the probe, P·G is c·d + (a·d + a·b·t)·s + (c·b)·t. The
 * middle is the block's key times a value that is equal for all blocks, known to 16 bits. The last
 * is the row's content times the probe's key.
 */
function setTables(tables: Int16Array, common: Uint8Array, { coefficients, ofBoth }: ProbeSecret): void {
  const rounded = new Int16Array(common.slice().buffer);
  const met = new Int16Array(RING_DEGREE);
  for (let index = 0; index < RING_DEGREE; index++)
    met[index] = rounded[index]! + Math.round((center(ofBoth[index]!) * ROUNDED_RANGE) / Q);
  setPlaces(tables, met);
  setPlaces(tables.subarray(BLOCK_PEOPLE * RING_DEGREE), Int16Array.from(coefficients));
}

/**
 * For each place, the values that meet coefficient i of another polynomial in the product's
 * coefficient there: values[512·place - i], with the opposite sign if the index is negative. All
 * are slices of one list. Wipes the values.
 */
function setPlaces(tables: Int16Array, values: Int16Array): void {
  const turned = new Int16Array(2 * RING_DEGREE);
  for (let index = 0; index < RING_DEGREE; index++) {
    turned[RING_DEGREE - 1 - index] = values[index]!;
    turned[2 * RING_DEGREE - 1 - index] = -values[index]!;
  }
  for (let place = 0; place < BLOCK_PEOPLE; place++) {
    const from = RING_DEGREE - 1 - place * FOLDED_LENGTH;
    tables.set(turned.subarray(from, from + RING_DEGREE), place * RING_DEGREE);
  }
  turned.fill(0);
  values.fill(0);
}
