// Parts of both passes over a file: its lane, its plan, and the memory for its outcomes.
import { MATCHES_PER_ROW_MAX } from '@limen/contract';
import type { CsvFile, CsvPiece } from '../csv/file.ts';
import { NUMBERS_PER_HIT, type PieceOutcome, type SearchPlan } from '../engine/messages.ts';
import type { Lane } from '../engine/pool.ts';

const BYTES_PER_ROW = Float64Array.BYTES_PER_ELEMENT + Uint8Array.BYTES_PER_ELEMENT;
const BYTES_PER_HIT = NUMBERS_PER_HIT * Uint32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT;
const BYTES_PER_PIECE = 1024;

export interface ScreeningPass {
  lane: Lane;
  ahead: number;
  file: CsvFile;
  plan: SearchPlan;
  /** Returns memory that is no longer needed. */
  giveBack(bytes: number): void;
}

/** Copies a piece for a worker. The file keeps its bytes for the next pass. */
export function copyPiece({ bytes }: CsvFile, { start, end }: CsvPiece): Uint8Array {
  return new Uint8Array(bytes.subarray(start, end));
}

/** Returns the maximum memory of the first pass. */
export function mostBytes({ bytes, pieces }: CsvFile): number {
  return pieces.reduce((sum, { rows }) => sum + estimateBytes(rows), bytes.length);
}

/** Returns the maximum memory of a piece, with the maximum number of hits in each row. */
export function estimateBytes(rows: number): number {
  return BYTES_PER_PIECE + rows * (BYTES_PER_ROW + MATCHES_PER_ROW_MAX * BYTES_PER_HIT);
}

export function countBytes({ scores, hitScores }: PieceOutcome): number {
  return BYTES_PER_PIECE + scores.length * BYTES_PER_ROW + hitScores.length * BYTES_PER_HIT;
}

/** Works on up to `ahead` items at once, and yields the results in order. */
export async function* inOrder<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  ahead: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  for await (const item of items) {
    const result = work(item);
    result.catch(() => {}); // thrown when its turn comes
    underWay.push(result);
    if (underWay.length >= ahead) yield await underWay.shift()!;
  }
  for (const result of underWay) yield await result;
}

/** Screens a piece in as many tasks as it takes. `copy` returns bytes that a worker may keep. */
export async function screenPiece(
  lane: Pick<Lane, 'run'>,
  { rows, copy, plan }: { rows: number; copy: () => Uint8Array; plan: SearchPlan },
): Promise<PieceOutcome> {
  const outcomes: PieceOutcome[] = [];
  let from = 0;
  do {
    const outcome = await lane.run(() => ({ kind: 'screen' as const, bytes: copy(), plan, from }));
    outcomes.push(outcome);
    from += outcome.scores.length;
  } while (from < rows && outcomes.at(-1)!.scores.length > 0);
  if (outcomes.length === 1) return outcomes[0]!;
  return {
    scores: Float64Array.from(outcomes.flatMap(({ scores }) => [...scores])),
    warned: Uint8Array.from(outcomes.flatMap(({ warned }) => [...warned])),
    hits: Uint32Array.from(outcomes.flatMap(({ hits }) => [...hits])),
    hitScores: Float64Array.from(outcomes.flatMap(({ hitScores }) => [...hitScores])),
    matched: outcomes.reduce((sum, { matched }) => sum + matched, 0),
  };
}
