// Whether half of a body is at the even powers of X, as it is of every embedding: what is folded is made of these alone.
import { ROW_BYTES } from '../../shared/blinded-rows.ts';
import { M_SQUARED } from '../../shared/parameters.ts';
import { conjugate } from '../../shared/ring.ts';
import { useScoreMemory } from '../score-memory.ts';
import type { SecretKey } from '../secret-key.ts';

/**
 * Honest balances are 0.00 with a standard deviation of 0.014, most of it the evaluator's cover. A body with all of its length
 * at even powers has 1, and would score √2 times as high once it is folded; at this limit it is 1.06 times.
 */
const MAX_IMBALANCE = 0.12;

/** `row` is the comparison of the body with itself, -X in place of X: the even powers' squared length less the odd ones'. */
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
