// Shared parts of both passes over a file: its lane, its plan, and the memory for its outcomes.
import { MATCHES_PER_ROW_MAX } from '@limen/contract';
import type { CsvFile, Piece } from '../csv/file.ts';
import { NUMBERS_PER_HIT, type PieceOutcome, type SearchPlan } from '../engine/messages.ts';
import type { Lane } from '../engine/pool.ts';

const BYTES_PER_ROW = Float64Array.BYTES_PER_ELEMENT + Uint8Array.BYTES_PER_ELEMENT;
const BYTES_PER_HIT = NUMBERS_PER_HIT * Uint32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT;
/** Objects around one piece and its outcome. */
const BYTES_PER_PIECE = 1024;

export interface Pass {
  lane: Lane;
  ahead: number;
  file: CsvFile;
  plan: SearchPlan;
  /** Returns room as soon as it is certain not to be needed. */
  giveBack(bytes: number): void;
}

/** The copy goes to the worker; the file's own bytes stay for the next pass. */
export function copyPiece({ bytes }: CsvFile, { start, end }: Piece): Uint8Array {
  return new Uint8Array(bytes.subarray(start, end));
}

/** Returns the maximum number of bytes that the first pass takes. */
export function mostBytes({ bytes, pieces }: CsvFile): number {
  return pieces.reduce((sum, { rows }) => sum + mostBytesOf(rows), bytes.length);
}

/** The most that one piece can take: every row with the maximum number of hits. */
export function mostBytesOf(rows: number): number {
  return BYTES_PER_PIECE + rows * (BYTES_PER_ROW + MATCHES_PER_ROW_MAX * BYTES_PER_HIT);
}

export function bytesOf({ scores, hitScores }: PieceOutcome): number {
  return BYTES_PER_PIECE + scores.length * BYTES_PER_ROW + hitScores.length * BYTES_PER_HIT;
}

/** Never begins more than `ahead` items beyond the one that is being waited for. */
export async function* inOrder<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  ahead: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  const begin = (item: Item) => {
    const result = work(item);
    result.catch(() => {}); // it is thrown where its turn comes, if that is still waited for
    underWay.push(result);
  };
  for await (const item of items) {
    begin(item);
    if (underWay.length >= ahead) yield await (underWay.shift() as Promise<Result>);
  }
  for (const result of underWay) yield await result;
}

/** `copy` gives bytes that a worker may keep. */
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
  return outcomes.length === 1 ? outcomes[0]! : joinOutcomes(outcomes);
}

function joinOutcomes(outcomes: readonly PieceOutcome[]): PieceOutcome {
  return {
    scores: Float64Array.from(outcomes.flatMap(({ scores }) => [...scores])),
    warned: Uint8Array.from(outcomes.flatMap(({ warned }) => [...warned])),
    hits: Uint32Array.from(outcomes.flatMap(({ hits }) => [...hits])),
    hitScores: Float64Array.from(outcomes.flatMap(({ hitScores }) => [...hitScores])),
    matched: outcomes.reduce((sum, { matched }) => sum + matched, 0),
  };
}
