// Roots of unity as factors, in the kernel's reading order.
import { RING_DEGREE } from '../parameters.ts';
import { center, rootsOfUnity } from '../ring.ts';
import { computeCompanion } from './factor.ts';

/** Lanes per vector. */
const LANES = 4;

/**
 * Per sixteen values: the roots of their first two levels, one lane per block of four, and of the
 * next two. Then those of the levels processed in pairs, block by block, and that of the last. 1/n
 * is in the factors instead.
 */
export function tabulateInverse(): Int32Array {
  const table: number[] = [];
  for (let sixteen = 0; sixteen < RING_DEGREE / 16; sixteen++) {
    pushLanes(table, (lane) => rootsOfInversePair(1, sixteen * LANES + lane));
    pushPairs(table, rootsOfInversePair(4, sixteen));
  }
  for (const half of [16, 64, 256])
    for (let block = 0; block < RING_DEGREE / (4 * half); block++) pushPairs(table, rootsOfInversePair(half, block));
  pushPairs(table, [rootsOfUnity().inverse[1]!]);
  return Int32Array.from(table);
}

/** Two roots of a level whose values are `half` apart, and one of the next. */
function rootsOfInversePair(half: number, block: number): number[] {
  const { inverse } = rootsOfUnity();
  const blocks = RING_DEGREE / (2 * half);
  return [inverse[blocks + 2 * block]!, inverse[blocks + 2 * block + 1]!, inverse[blocks / 2 + block]!];
}

/** Level by level, then per sixteen values the roots of their last two. */
export function tabulateForward(): Int32Array {
  const { forward } = rootsOfUnity();
  const table: number[] = [];
  const blocksOfLast = RING_DEGREE / LANES;
  for (let index = 1; index < blocksOfLast; index++) pushPairs(table, [forward[index]!]);
  for (let block = 0; block < blocksOfLast; block += LANES)
    pushLanes(table, (lane) => {
      const at = block + lane;
      return [forward[blocksOfLast + at]!, forward[2 * (blocksOfLast + at)]!, forward[2 * (blocksOfLast + at) + 1]!];
    });
  return Int32Array.from(table);
}

function pushPairs(table: number[], roots: number[]): void {
  for (const root of roots) table.push(center(root), computeCompanion(center(root)));
}

function pushLanes(table: number[], rootsOf: (lane: number) => number[]): void {
  const lanes = Array.from({ length: LANES }, (_, lane) => rootsOf(lane).map(center));
  for (let root = 0; root < lanes[0]!.length; root++) {
    for (const factors of lanes) table.push(factors[root]!);
    for (const factors of lanes) table.push(computeCompanion(factors[root]!));
  }
}
