// One thread's interface to the kernel for blocks: prepares them in their places and compares them
// with a folded probe.
import {
  ALL_PLACES,
  BLOCK_BYTES,
  BLOCK_PEOPLE,
  BLOCK_PLACES_AT,
  BLOCK_ROW_BYTES,
  BLOCK_WORDS_AT,
  center,
  fillGaussian,
  INVERSE_OF_N,
  M_SQUARED,
  NONCE_BYTES,
  POLYNOMIAL_BYTES,
  RING_DEGREE,
  reduce,
  SCORE_NOISE,
  TokenError,
  unpackPolynomial,
} from '../../shared/index.ts';
import {
  BLOCK_NONCE_AT,
  BLOCK_PRODUCT_AT,
  FACTOR_WORDS,
  PLACE_BYTES,
  writeFactor,
} from '../../shared/kernel/factor.ts';
import { loadKernel } from '../../shared/kernel/load-kernel.ts';
import type { SharedParts } from '../token-memory.ts';
import { CHUNK_BLOCKS, LIST_AT, PROBE_AT, ROWS_AT, SCRATCH_AT } from '../work-area.ts';

/** Noise in units of a row's words. */
const WORD_NOISE = SCORE_NOISE * M_SQUARED;
const ROW_WORDS = BLOCK_ROW_BYTES / 4;

export type BlockComparer = ReturnType<typeof createBlockComparer>;

export function createBlockComparer({ memory, inverseTableAt }: SharedParts, areaAt: number) {
  const kernel = loadKernel(memory);
  // Not renewed when the memory grows, because work areas existed before the threads.
  const { buffer } = memory;
  const [probeAt, scratchAt] = [areaAt + PROBE_AT, areaAt + SCRATCH_AT];
  const [listAt, rowsAt] = [areaAt + LIST_AT, areaAt + ROWS_AT];
  const factor = new Int32Array(buffer, probeAt, FACTOR_WORDS);
  const list = new Uint32Array(buffer, listAt, CHUNK_BLOCKS);
  const rows = new Uint8Array(buffer, rowsAt, CHUNK_BLOCKS * BLOCK_ROW_BYTES);
  const words = new Int32Array(buffer, rowsAt, CHUNK_BLOCKS * ROW_WORDS);
  const noise = new Int32Array(CHUNK_BLOCKS * BLOCK_PEOPLE);
  const unpacked = new Int32Array(RING_DEGREE);
  /** Last second polynomial used. All blocks of an epoch share it. */
  let known: { polynomial: Int32Array; factor: Int32Array } | undefined;

  function prepareFactor(polynomial: Int32Array): Int32Array {
    if (known?.polynomial !== polynomial) {
      known = { polynomial, factor: new Int32Array(FACTOR_WORDS) };
      writeFactor(polynomial, INVERSE_OF_N, known.factor);
    }
    return known.factor;
  }

  function multiplyRounded(place: number): void {
    const at = place * PLACE_BYTES;
    kernel.multiplyRounded(at, probeAt, inverseTableAt, scratchAt, at + BLOCK_PRODUCT_AT);
  }

  return {
    /** Unpacks a block and its product with the probes' polynomial. Throws `TokenError`. */
    place(block: Uint8Array, ofProbes: Int32Array, place: number): void {
      if (block.length !== BLOCK_BYTES) throw new TokenError('length');
      if (!unpackPolynomial(block, 0, unpacked)) throw new TokenError('range');
      for (let index = 0; index < RING_DEGREE; index++) unpacked[index] = center(unpacked[index]!);
      // The memory may have grown, and the new places are not in the views above.
      new Int32Array(memory.buffer, place * PLACE_BYTES, RING_DEGREE).set(unpacked);
      const nonce = new Uint8Array(memory.buffer, place * PLACE_BYTES + BLOCK_NONCE_AT, NONCE_BYTES);
      nonce.set(block.subarray(POLYNOMIAL_BYTES));
      factor.set(prepareFactor(ofProbes));
      multiplyRounded(place);
    },
    /** Sets the probe: 0..q-1, in NTT form. */
    setProbe(folded: Int32Array): void {
      writeFactor(folded, INVERSE_OF_N, factor);
    },
    /** Returns the product of this place's polynomial with the probe, as sent to the key-holder. */
    multiplyCommon(place: number, out: Uint8Array): void {
      multiplyRounded(place);
      out.set(new Uint8Array(memory.buffer, place * PLACE_BYTES + BLOCK_PRODUCT_AT, out.length));
    },
    /** Writes a row per place, at most CHUNK_BLOCKS. `counting` has the bits of people. */
    compare(places: Uint32Array, counting: Uint8Array, out: Uint8Array): void {
      list.set(places);
      kernel.compareBlocks(listAt, places.length, probeAt, rowsAt);
      fillGaussian(noise.subarray(0, places.length * BLOCK_PEOPLE), WORD_NOISE);
      for (let row = 0; row < places.length; row++) {
        words[row * ROW_WORDS + BLOCK_PLACES_AT / 4] = counting[row]! & ALL_PLACES;
        for (let person = 0; person < BLOCK_PEOPLE; person++) {
          const at = row * ROW_WORDS + BLOCK_WORDS_AT / 4 + person;
          words[at] = center(reduce(words[at]! + noise[row * BLOCK_PEOPLE + person]!));
        }
      }
      out.set(rows.subarray(0, places.length * BLOCK_ROW_BYTES));
    },
  };
}
