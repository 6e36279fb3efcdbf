// Recall and false alarms of an engine over cases with a known answer.
import type { Case, CaseSet } from './screening-cases.ts';
import type { Screen } from './screening-peers.ts';

export interface Judged {
  kind: string;
  expected: string | undefined;
  score: number;
  right: boolean;
}

export interface Quality {
  rowsPerSecond: number;
  judged: Judged[];
}

export function judge(screen: Screen, cases: readonly Case[]): Quality {
  const from = performance.now();
  const judged = cases.map((row) => {
    const { score, id } = screen(row);
    return { kind: row.kind, expected: row.expected, score, right: id === row.expected };
  });
  return { rowsPerSecond: (cases.length * 1000) / (performance.now() - from), judged };
}

/** Share of listed people that are found, and of others that are flagged. */
export function shareAt(judged: readonly Judged[], threshold: number): number {
  const hit = judged.filter(({ expected, score, right }) => score >= threshold && (expected === undefined || right));
  return judged.length === 0 ? 0 : hit.length / judged.length;
}

export function sampleOf({ listed, innocents, hardNegatives }: CaseSet, every: number): Case[][] {
  return [listed, innocents, hardNegatives].map((cases) => cases.filter((_, at) => at % every === 0));
}

export const percent = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)} %`;
