// Single-core part of the token benchmark: products with and without blinding, SEAL's product,
// scoring, checks.

import { Evaluator } from '@limen/token/evaluator';
import { checkShape, type SecretKey, scoreRows } from '@limen/token/keyholder';
import { unpackBody } from '@limen/token/shared';
import { createComparer } from '../../../packages/token/evaluator/comparer.ts';
import { unpackToken } from '../../../packages/token/evaluator/token-arena.ts';
import { createTokenMemory } from '../../../packages/token/evaluator/token-memory.ts';
import { PROBE_AT, SCRATCH_AT } from '../../../packages/token/evaluator/work-area.ts';
import { INVERSE_OF_N, RING_DEGREE, ROW_BYTES } from '../../../packages/token/shared/index.ts';
import { PLACE_BYTES, writeFactor } from '../../../packages/token/shared/kernel/factor.ts';
import { loadKernel } from '../../../packages/token/shared/kernel/load-kernel.ts';
import { median, readCpuMs } from '../shared/figures.ts';
import { openSealProduct } from './seal.ts';

export interface CoreFigures {
  blindedMicros: number;
  unblindedMicros: number;
  sealMicros: number;
  scoreMicros: number;
  shapeMs: number;
  compareOneMs: number;
  decisionMs: number;
}

/** Rows at a time: a millisecond of work, so that many runs are undisturbed. */
const ROWS = 32;
/** Fewer of SEAL's products, which take longer. */
const SEAL_PRODUCTS = 4;
const REPEATS = 400;

export async function measureCore(
  tokens: readonly Uint8Array[],
  probe: Uint8Array,
  keys: { enrol: SecretKey; challenge: SecretKey },
): Promise<CoreFigures> {
  const memory = createTokenMemory(1, ROWS * PLACE_BYTES);
  const places = Uint32Array.from({ length: ROWS }, () => memory.take());
  for (const [index, place] of places.entries()) unpackToken(tokens[index % tokens.length]!, memory.wordsOf(place));
  const areaAt = memory.areas[0]!;
  const comparer = createComparer(memory.parts, areaAt);
  comparer.setProbe(probe);
  const rows = { count: ROWS, bytes: new Uint8Array(ROWS * ROW_BYTES) };
  const scores = new Float64Array(ROWS);
  const blindedMicros = time(() => comparer.compare(places, rows.bytes)) / ROWS;
  const scoreMicros = time(() => scoreRows(rows, keys.enrol, keys.challenge, scores)) / ROWS;

  const kernel = loadKernel(memory.parts.memory);
  const { c0, c1 } = unpackBody(probe);
  const factors = new Int32Array(memory.parts.memory.buffer, areaAt + PROBE_AT, 8 * RING_DEGREE);
  writeFactor(c0, INVERSE_OF_N, factors.subarray(0, 4096));
  writeFactor(c1, INVERSE_OF_N, factors.subarray(4096));
  const unblindedMicros =
    time(() => {
      for (const place of places)
        for (const value of [0, 4 * RING_DEGREE])
          for (const factor of [0, 8 * RING_DEGREE])
            kernel.multiply(place * PLACE_BYTES + value, areaAt + PROBE_AT + factor, areaAt + SCRATCH_AT);
    }) / ROWS;

  const seal = await openSealProduct(tokens[0]!, tokens[1]!);
  const sealMicros = time(() => seal.multiply(SEAL_PRODUCTS)) / SEAL_PRODUCTS;
  seal.close();

  const evaluator = new Evaluator({ threads: 1 });
  const shape = await evaluator.shape(probe);
  const row = evaluator.compareOne(tokens[0]!, probe);
  const figures = {
    shapeMs: await timeByProcessor(() => evaluator.shape(probe), 40),
    compareOneMs: time(() => evaluator.compareOne(tokens[0]!, probe)) / 1000,
    decisionMs:
      time(() => {
        if (!checkShape(shape, keys.challenge)) throw new Error('An honest probe was refused');
        scoreRows(row, keys.enrol, keys.challenge, scores);
      }) / 1000,
  };
  await evaluator.close();
  return { blindedMicros, unblindedMicros, sealMicros, scoreMicros, ...figures };
}

/** Microseconds: the median of the fastest quarter, as on an idle machine. */
export function time(work: () => void): number {
  const times = Array.from({ length: REPEATS }, () => {
    const start = performance.now();
    work();
    return (performance.now() - start) * 1000;
  });
  return median(times.toSorted((a, b) => a - b).slice(0, REPEATS / 4));
}

/** Milliseconds of CPU time, for work too long to run undisturbed. */
async function timeByProcessor(work: () => Promise<unknown>, repeats: number): Promise<number> {
  await work();
  const before = readCpuMs();
  for (let repeat = 0; repeat < repeats; repeat++) await work();
  return (readCpuMs() - before) / repeats;
}
