// A key-holder's thread of the token benchmark: scores incoming rows and returns the best.
import { parentPort, workerData } from 'node:worker_threads';
import { foldMaskedProbe, openKey, type ProbeSecret, scoreBlocks, scoreRows } from '@limen/token/keyholder';
import { type BlindedBlocks, type BlindedRows, countPlaces, type EpochPolynomials } from '@limen/token/shared';

export interface ScorerSetup {
  enrolSecret: Uint8Array;
  challengeSecret: Uint8Array;
}

export type ScorerOrder =
  | { rows: BlindedRows | BlindedBlocks; from: number }
  | { masked: Uint8Array; polynomials: EpochPolynomials }
  | 'finish';
export type ScorerReply = 'taken' | { folded: Uint8Array } | { best: number; score: number };

if (parentPort) await serve(parentPort, workerData as ScorerSetup);

async function serve(port: NonNullable<typeof parentPort>, setup: ScorerSetup): Promise<void> {
  const [enroll, challenge] = [await openKey(setup.enrolSecret), await openKey(setup.challengeSecret)];
  let best = -1;
  let score = Number.NEGATIVE_INFINITY;
  /** Key of the last folded probe. */
  let probeSecret: ProbeSecret | undefined;
  port.on('message', (order: ScorerOrder) => {
    if (order === 'finish') {
      port.postMessage({ best, score } satisfies ScorerReply);
      score = Number.NEGATIVE_INFINITY;
      return;
    }
    if ('masked' in order) {
      const { folded, secret } = foldMaskedProbe(order.masked, challenge, order.polynomials);
      probeSecret = secret;
      port.postMessage({ folded } satisfies ScorerReply);
      return;
    }
    const { rows, from } = order;
    const isPacked = 'common' in rows;
    const scores = new Float64Array(isPacked ? countPlaces(rows) : rows.count);
    if (isPacked) scoreBlocks(rows, enroll, probeSecret!, scores);
    else scoreRows(rows, enroll, challenge, scores);
    for (let row = 0; row < scores.length; row++) {
      if (scores[row]! > score) [best, score] = [from + row, scores[row]!];
    }
    scores.fill(0);
    port.postMessage('taken' satisfies ScorerReply);
  });
}
