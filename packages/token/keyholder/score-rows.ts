// Cosines of blinded comparisons. They stay in this role: the caller compares them and wipes them.
import { areWholeRows, type BlindedRows, ROW_BYTES } from '../shared/blinded-rows.ts';
import { M_SQUARED } from '../shared/parameters.ts';
import { TokenError } from '../shared/token-error.ts';
import { CHUNK_ROWS, useScoreMemory } from './score-memory.ts';
import type { SecretKey } from './secret-key.ts';

/**
 * `left` is the key of the tokens, `right` that of the probe. Every row takes the same work, whatever is in it. Throws
 * `TokenError` when the bytes are not `count` rows; `out` has room for as many.
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
