// Recall and false alarms of an engine over cases with a known answer.
import type { Case } from './cases.ts';
import type { Screen } from './peers.ts';

export interface Judged {
  kind: string;
  /** Of the entity that should be found, or the best where none should. */
  score: number;
}

export interface Quality {
  rowsPerSecond: number;
  judged: Judged[];
}

export function judge(screen: Screen, cases: readonly Case[]): Quality {
  const from = performance.now();
  const judged = cases.map((row) => {
    const found = screen(row);
    const wanted = row.expected === undefined ? found[0] : found.find(({ id }) => id === row.expected);
    return { kind: row.kind, score: wanted?.score ?? 0 };
  });
  return { rowsPerSecond: (cases.length * 1000) / (performance.now() - from), judged };
}

/** Share of listed people that are found, and of others that are flagged. */
export function shareAt(judged: readonly Judged[], threshold: number): number {
  return judged.length === 0 ? 0 : judged.filter(({ score }) => score >= threshold).length / judged.length;
}

export const percent = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)} %`;
