// A key-holder's thread of the token benchmark: scores rows as they come and says which is the best.
import { parentPort, workerData } from 'node:worker_threads';
import { openKey, scoreRows } from '@limen/token/keyholder';
import type { BlindedRows } from '@limen/token/shared';

export interface ScorerSetup {
  enrolSecret: Uint8Array;
  challengeSecret: Uint8Array;
}

export type ScorerOrder = { rows: BlindedRows; from: number } | 'finish';
export type ScorerReply = 'taken' | { best: number; score: number };

if (parentPort) await serve(parentPort, workerData as ScorerSetup);

async function serve(port: NonNullable<typeof parentPort>, setup: ScorerSetup): Promise<void> {
  const [enrol, challenge] = [await openKey(setup.enrolSecret), await openKey(setup.challengeSecret)];
  let best = -1;
  let score = Number.NEGATIVE_INFINITY;
  port.on('message', (order: ScorerOrder) => {
    if (order === 'finish') {
      port.postMessage({ best, score } satisfies ScorerReply);
      score = Number.NEGATIVE_INFINITY;
      return;
    }
    const { rows, from } = order;
    const scores = new Float64Array(rows.count);
    scoreRows(rows, enrol, challenge, scores);
    for (let row = 0; row < rows.count; row++) {
      if (scores[row]! > score) [best, score] = [from + row, scores[row]!];
    }
    scores.fill(0);
    port.postMessage('taken' satisfies ScorerReply);
  });
}
