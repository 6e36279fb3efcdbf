// Recall and false positives of an engine over cases with known results.
import type { Case } from './cases.ts';
import type { Screen } from './peers.ts';

export interface JudgedCase {
  kind: string;
  /** Score of the expected entity, or the best score if none is expected. */
  score: number;
}

export interface Quality {
  rowsPerSecond: number;
  judged: JudgedCase[];
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

/** Shares of listed people found and of others flagged. */
export function shareAt(judged: readonly JudgedCase[], threshold: number): number {
  return judged.length === 0 ? 0 : judged.filter(({ score }) => score >= threshold).length / judged.length;
}

export const percent = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)} %`;
