// Screens one piece of a file, in as many tasks as it takes.

import type { PieceOutcome, SearchPlan } from '../engine/messages.ts';
import type { Lane } from '../engine/pool.ts';

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
