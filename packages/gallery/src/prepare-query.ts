// Converts a query to the kernel's form: eight bits for coarse codes, twice seven for fine ones.
import type { ArenaViews } from './arena.ts';
import type { Layout } from './block.ts';
import { roundDown, roundUp } from './round-outwards.ts';

/** Offset that makes the 14-bit numbers non-negative. Rows store its effect on their sum. */
export const QUERY_OFFSET = 8192;
/** Midpoint of the sixteen levels of a coarse code. */
export const COARSE_CENTRE = 7.5;
const GREATEST_FINE = QUERY_OFFSET - 1;

const GREATEST_SINGLE = 3.4028234663852886e38;
/** Replaces the norm of a zero query, because an infinite row error times zero is NaN. */
const ZERO_QUERY_NORM = 2 ** -40;

/** Bytes of a prepared query: the coarse form, then the fine one with high halves first. */
export function queryBytes({ coarseStride, fineStride }: Layout): number {
  return coarseStride * 2 + fineStride * 2;
}

export type PreparedQuery = ReturnType<typeof prepareQuery>;

/**
 * Scales the query by a power of two to a norm of about one. This is lossless and keeps single
 * precision away from its limits.
 */
export function prepareQuery(layout: Layout, { bytes }: ArenaViews, at: number, query: Float32Array) {
  const { dimensions } = layout;
  let squares = 0;
  let greatest = 0;
  for (let index = 0; index < dimensions; index += 1) {
    const value = query[index]!;
    squares += value * value;
    const size = Math.abs(value);
    if (size > greatest) greatest = size;
  }
  const exponent = squares > 0 ? -Math.floor(Math.log2(squares) / 2) : 0;
  const factor = 2 ** exponent;
  const coarseScale = roundUp((greatest * factor) / 127);
  const fineScale = roundUp((greatest * factor) / GREATEST_FINE);
  const perCoarse = greatest > 0 ? 1 / coarseScale : 0;
  const perFine = greatest > 0 ? 1 / fineScale : 0;
  const coarseAt = at;
  const fineAt = at + layout.coarseStride * 2;
  bytes.fill(0, at, at + queryBytes(layout));
  let coarseLost = 0;
  let fineLost = 0;
  let sum = 0;
  for (let index = 0; index < dimensions; index += 1) {
    const value = query[index]! * factor;
    // Both round by truncation, because the sums are never negative. Rounding differently would
    // only widen the bound, which is computed from the stored codes.
    const coarse = ((value * perCoarse + 128.5) | 0) - 128;
    const fine = (value * perFine + (QUERY_OFFSET + 0.5)) | 0;
    bytes[coarseAt + index] = coarse;
    bytes[fineAt + index] = fine >> 7;
    bytes[fineAt + layout.fineStride + index] = fine & 127;
    const coarseOff = value - coarse * coarseScale;
    const fineOff = value - (fine - QUERY_OFFSET) * fineScale;
    coarseLost += coarseOff * coarseOff;
    fineLost += fineOff * fineOff;
    sum += coarse;
  }
  return {
    coarseAt,
    fineAt,
    coarseScale,
    /** Effect of the levels' offset on every coarse sum. */
    coarseCentre: COARSE_CENTRE * sum,
    coarseError: roundUp(Math.sqrt(coarseLost) * (1 + 2 ** -40)),
    fineScale,
    fineError: roundUp(Math.sqrt(fineLost) * (1 + 2 ** -40)),
    norm: roundUp(Math.max(ZERO_QUERY_NORM, Math.sqrt(squares) * factor * (1 + 2 ** -40))),
    /** Similarity limit for the kernel: never above the true one. */
    limitOf: (similarity: number): number => Math.max(-GREATEST_SINGLE, roundDown(similarity * factor)),
  };
}
