// Checks, through the blinded shape, that a body is a vector as the encoder makes it: even, of
// length 1, and balanced.
import {
  type BlindedShape,
  PROJECTION_BYTES,
  PROJECTION_ROUNDED_AT,
  ROW_BYTES,
  ROW_LEFT_AT,
  SHAPE_BALANCE_AT,
  SHAPE_BYTES,
  SHAPE_PROJECTIONS_AT,
} from '../shared/blinded-rows.ts';
import { M_SQUARED } from '../shared/parameters.ts';
import { EVEN_PROJECTIONS, ODD_PROJECTIONS, PROJECTION_VARIANCE, PROJECTIONS } from '../shared/projection.ts';
import { checkBalance } from './packed/check-balance.ts';
import { CHUNK_ROWS, type ScoreMemory, useScoreMemory } from './score-memory.ts';
import type { SecretKey } from './secret-key.ts';

/**
 * Legitimate norms are 1.00 with a standard deviation of 0.020 (1,000 bodies), mostly from the
 * evaluator's mask. Above 1.1 they wrap around to -1.1, so no upper bound is needed.
 */
const MIN_NORM = 0.88;
/**
 * Legitimate even energies are 1.005 times a chi-square value with 128 degrees of freedom over 128:
 * two in a million are outside. The next norm that appears within the window is 3.08, which passes
 * nine times in a million.
 */
const MIN_EVEN = 0.5;
const MAX_EVEN = 1.7;
/**
 * Legitimate odd energies are noise, 0.0039 times chi-square with 32 degrees of freedom over 32:
 * less than one in a million is above.
 */
const MAX_ODD = 0.0105;

export interface Shape {
  /** The vector's product with itself, known modulo 2.2. */
  norm: number;
  /** Estimates of the squared lengths of the even and the odd part. */
  even: number;
  odd: number;
}

export function checkShape(shape: BlindedShape, key: SecretKey): boolean {
  if (shape.bytes.length !== SHAPE_BYTES) {
    return false;
  }
  const { norm, even, odd } = measureShape(shape, key);
  const isUnit = norm >= MIN_NORM && even >= MIN_EVEN && even <= MAX_EVEN && odd <= MAX_ODD;
  return isUnit && checkBalance(shape.bytes.subarray(SHAPE_BALANCE_AT, SHAPE_PROJECTIONS_AT), key);
}

export function measureShape({ bytes }: BlindedShape, key: SecretKey): Shape {
  const memory = useScoreMemory();
  memory.setKeys(key, key);
  memory.rows.set(bytes.subarray(0, ROW_BYTES));
  memory.score(1);
  const norm = memory.scores[0]! / M_SQUARED;
  let even = 0;
  let odd = 0;
  // A projection is scored as a row with only a left part.
  memory.rows.fill(0);
  for (let from = 0; from < PROJECTIONS; from += CHUNK_ROWS) {
    const count = Math.min(CHUNK_ROWS, PROJECTIONS - from);
    for (let row = 0; row < count; row++) {
      placeProjection(bytes, from + row, memory, row);
    }
    memory.score(count);
    for (let row = 0; row < count; row++) {
      const energy = memory.scores[row]! ** 2 / (2 * PROJECTION_VARIANCE * M_SQUARED);
      even += from + row < EVEN_PROJECTIONS ? energy / EVEN_PROJECTIONS : 0;
      odd += from + row < EVEN_PROJECTIONS ? 0 : energy / ODD_PROJECTIONS;
    }
  }
  memory.wipe();
  return { norm, even, odd };
}

function placeProjection(bytes: Uint8Array, number: number, { rows }: ScoreMemory, row: number) {
  const at = SHAPE_PROJECTIONS_AT + number * PROJECTION_BYTES;
  rows.set(bytes.subarray(at, at + 4), row * ROW_BYTES);
  rows.set(bytes.subarray(at + PROJECTION_ROUNDED_AT, at + PROJECTION_BYTES), row * ROW_BYTES + ROW_LEFT_AT);
}
