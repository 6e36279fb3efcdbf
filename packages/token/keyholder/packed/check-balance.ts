// Checks that half of a body is at the even powers of X, as in every embedding. Folding uses only
// these.
import { ROW_BYTES } from '../../shared/blinded-rows.ts';
import { M_SQUARED } from '../../shared/parameters.ts';
import { conjugate } from '../../shared/ring.ts';
import { useScoreMemory } from '../score-memory.ts';
import type { SecretKey } from '../secret-key.ts';

/**
 * Legitimate balances are 0.00 with a standard deviation of 0.014, mostly from the evaluator's
 * mask. A body entirely at even powers has 1 and would score √2 times as high after folding; at
 * this limit the factor is 1.06.
 */
const MAX_IMBALANCE = 0.12;

/**
 * `row` compares the body with itself, with -X in place of X: the squared length of the even powers
 * minus that of the odd ones.
 */
export function checkBalance(row: Uint8Array, key: SecretKey): boolean {
  return row.length === ROW_BYTES && Math.abs(measureBalance(row, key)) <= MAX_IMBALANCE;
}

export function measureBalance(row: Uint8Array, key: SecretKey): number {
  const memory = useScoreMemory();
  const other: SecretKey = {
    ...key,
    values: conjugate(key.values),
    reversed: key.reversed.map((value, index) => (index % 2 === 0 ? value : -value)),
  };
  memory.setKeys(key, other);
  memory.rows.set(row);
  memory.score(1);
  const balance = memory.scores[0]! / M_SQUARED;
  memory.wipe();
  other.values.fill(0);
  other.reversed.fill(0);
  return balance;
}
