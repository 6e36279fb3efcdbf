// One thread's interface to the kernel: compares tokens in shared memory with a probe, and a token
// with secret directions.
import {
  center,
  conjugate,
  drawProjection,
  fillBounded,
  fillGaussian,
  INVERSE_OF_N,
  M_SQUARED,
  PROJECTION_BOUND,
  PROJECTION_BYTES,
  PROJECTIONS,
  RING_DEGREE,
  ROW_BYTES,
  ROW_PRODUCT_AT,
  reduce,
  SCORE_NOISE,
  SELF_PRODUCT_BOUND,
  unpackBody,
} from '../shared/index.ts';
import { FACTOR_WORDS, PLACE_BYTES, writeFactor } from '../shared/kernel/factor.ts';
import { loadKernel } from '../shared/kernel/load-kernel.ts';
import type { SharedParts } from './token-memory.ts';
import { CHUNK_ROWS, DIRECTION_AT, LIST_AT, PROBE_AT, ROWS_AT, SCRATCH_AT } from './work-area.ts';

/** Noise in units of a row's word. */
const WORD_NOISE = SCORE_NOISE * M_SQUARED;

/** Coefficients of a direction over n, indexed by the coefficient plus their bound. */
const DIRECTION_OVER_N = Int32Array.from({ length: 2 * PROJECTION_BOUND + 1 }, (_, index) =>
  center(reduce((index - PROJECTION_BOUND) * INVERSE_OF_N)),
);

export type Comparer = ReturnType<typeof createComparer>;

export function createComparer({ memory, inverseTableAt, forwardTableAt }: SharedParts, areaAt: number) {
  const kernel = loadKernel(memory);
  // Not renewed when the memory grows, because work areas existed before the threads.
  const { buffer } = memory;
  const [probeAt, scratchAt, directionAt] = [areaAt + PROBE_AT, areaAt + SCRATCH_AT, areaAt + DIRECTION_AT];
  const [listAt, rowsAt] = [areaAt + LIST_AT, areaAt + ROWS_AT];
  const first = new Int32Array(buffer, probeAt, FACTOR_WORDS);
  const second = new Int32Array(buffer, probeAt + 4 * FACTOR_WORDS, FACTOR_WORDS);
  const list = new Uint32Array(buffer, listAt, CHUNK_ROWS);
  const rows = new Uint8Array(buffer, rowsAt, CHUNK_ROWS * ROW_BYTES);
  const words = new Int32Array(buffer, rowsAt, (CHUNK_ROWS * ROW_BYTES) / 4);
  const direction = new Int32Array(buffer, directionAt, FACTOR_WORDS);
  const noise = new Int32Array(CHUNK_ROWS);
  const drawn = new Int32Array(RING_DEGREE);

  function addNoise(count: number): void {
    fillGaussian(noise.subarray(0, count), WORD_NOISE);
    for (let row = 0; row < count; row++) {
      const at = (row * ROW_BYTES) / 4;
      words[at] = center(reduce(words[at]! + noise[row]!));
    }
  }

  function makeRows(places: ArrayLike<number>): void {
    list.set(places);
    kernel.compare(listAt, places.length, probeAt, inverseTableAt, scratchAt, rowsAt);
    addNoise(places.length);
  }

  /** Modifies the drawn values, because single writes to shared memory are slower. */
  function setDirection(): void {
    for (let index = 0; index < RING_DEGREE; index++)
      drawn[index] = DIRECTION_OVER_N[drawn[index]! + PROJECTION_BOUND]!;
    direction.set(drawn);
  }

  function wipeDirection(): void {
    drawn.fill(0);
    direction.fill(0);
  }

  /** Wipes the arrays. */
  function setFactors(c0: Int32Array, c1: Int32Array): void {
    writeFactor(c0, INVERSE_OF_N, first);
    writeFactor(c1, INVERSE_OF_N, second);
    c0.fill(0);
    c1.fill(0);
  }

  return {
    /** Sets the probe for the following comparisons. Throws `TokenError`. */
    setProbe(body: Uint8Array): void {
      const { c0, c1 } = unpackBody(body);
      setFactors(c0, c1);
    },
    /** Sets the probe with -X in place of X. */
    setConjugate(body: Uint8Array): void {
      const { c0, c1 } = unpackBody(body);
      setFactors(conjugate(c0), conjugate(c1));
      c0.fill(0);
      c1.fill(0);
    },
    /** Writes a row per place, at most CHUNK_ROWS. */
    compare(places: Uint32Array, out: Uint8Array): void {
      makeRows(places);
      out.set(rows.subarray(0, places.length * ROW_BYTES));
    },
    /**
     * Compares a place with the probe, which is the same token or its conjugate. The last term is
     * masked, because it would reveal c1.
     */
    compareWithItself(place: number, out: Uint8Array): void {
      makeRows([place]);
      fillBounded(drawn, SELF_PRODUCT_BOUND);
      setDirection();
      kernel.makeFactor(directionAt, forwardTableAt);
      for (let index = 0; index < RING_DEGREE; index++) {
        const at = ROW_PRODUCT_AT / 4 + index;
        words[at] = center(reduce(words[at]! + direction[index]!));
      }
      out.set(rows.subarray(0, ROW_BYTES));
      wipeDirection();
    },
    /** Writes the projections of a place's token on newly drawn directions. */
    project(place: number, out: Uint8Array): void {
      const projection = rows.subarray(0, PROJECTION_BYTES);
      for (let number = 0; number < PROJECTIONS; number++) {
        drawProjection(number, drawn);
        setDirection();
        kernel.project(place * PLACE_BYTES, directionAt, forwardTableAt, inverseTableAt, scratchAt, rowsAt);
        words[0] = center(reduce(words[0]!));
        out.set(projection, number * PROJECTION_BYTES);
      }
      wipeDirection();
    },
    /** Wipes the probe. */
    wipe(): void {
      first.fill(0);
      second.fill(0);
    },
  };
}
