// The kernel's memory for scoring. Secrets are wiped after each use.
import { areWholeRows, type BlindedRows, ROW_BYTES } from '../shared/blinded-rows.ts';
import { loadKernel, type TokenKernel } from '../shared/kernel/load-kernel.ts';
import { M_SQUARED, RING_DEGREE } from '../shared/parameters.ts';
import { center, reduce } from '../shared/ring.ts';
import { TokenError } from '../shared/token-error.ts';
import type { SecretKey } from './secret-key.ts';

/**
 * Scores rows with `left`, the tokens' key, and `right`, the probe's key. Takes constant time per
 * row for any content. Throws `TokenError` unless the bytes are `count` rows. `out` must have
 * room for the scores.
 */
export function scoreRows(rows: BlindedRows, left: SecretKey, right: SecretKey, out: Float64Array): void {
  if (!areWholeRows(rows) || out.length < rows.count) {
    throw new TokenError('length');
  }
  const memory = useScoreMemory();
  memory.setKeys(left, right);
  for (let from = 0; from < rows.count; from += CHUNK_ROWS) {
    const count = Math.min(CHUNK_ROWS, rows.count - from);
    memory.rows.set(rows.bytes.subarray(from * ROW_BYTES, (from + count) * ROW_BYTES));
    memory.score(count);
    for (let row = 0; row < count; row++) {
      out[from + row] = memory.scores[row]! / M_SQUARED;
    }
  }
  memory.wipe();
}

/** A megabyte of rows at a time, which fits the CPU caches. */
export const CHUNK_ROWS = 64;

const KEYS_AT = 16;
const KEYS_BYTES = 2 * 2 * RING_DEGREE + 4 * RING_DEGREE;
const SCORES_AT = KEYS_AT + KEYS_BYTES;
const ROWS_AT = SCORES_AT + 8 * CHUNK_ROWS;
const PAGE_BYTES = 65_536;
const PAGES = Math.ceil((ROWS_AT + CHUNK_ROWS * ROW_BYTES) / PAGE_BYTES);

export interface ScoreMemory {
  /** The next rows to score, written by the caller. */
  readonly rows: Uint8Array;
  /** Scores times M². */
  readonly scores: Float64Array;
  setKeys(left: SecretKey, right: SecretKey): void;
  score(count: number): void;
  wipe(): void;
}

let opened: ScoreMemory | undefined;

/** One per thread, because callers do not await anything between `setKeys` and `wipe`. */
export function useScoreMemory(): ScoreMemory {
  opened ??= open();
  return opened;
}

function open(): ScoreMemory {
  // The kernel imports shared memory, because the evaluator's threads need it.
  const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES, shared: true });
  const kernel: TokenKernel = loadKernel(memory);
  const keys = new Uint8Array(memory.buffer, KEYS_AT, KEYS_BYTES);
  const leftKey = new Int16Array(memory.buffer, KEYS_AT, RING_DEGREE);
  const rightKey = new Int16Array(memory.buffer, KEYS_AT + 2 * RING_DEGREE, RING_DEGREE);
  const bothKeys = new Int32Array(memory.buffer, KEYS_AT + 4 * RING_DEGREE, RING_DEGREE);
  const scores = new Float64Array(memory.buffer, SCORES_AT, CHUNK_ROWS);
  return {
    rows: new Uint8Array(memory.buffer, ROWS_AT, CHUNK_ROWS * ROW_BYTES),
    scores,
    setKeys(left, right) {
      leftKey.set(left.reversed);
      rightKey.set(right.reversed);
      for (let index = 0; index < RING_DEGREE; index++) {
        bothKeys[index] = center(reduce(left.values[index]! * right.values[index]!));
      }
    },
    score(count) {
      kernel.score(ROWS_AT, count, KEYS_AT, SCORES_AT);
    },
    wipe() {
      keys.fill(0);
      scores.fill(0);
    },
  };
}
