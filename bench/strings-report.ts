// The figures of the string benchmark as text.
import type { LoadResult } from './load.ts';

/** A rate this close to what the load can do at all says more about the load than about the server. */
const NEAR_CEILING = 0.9;

export interface Figures {
  perSecond: number;
  p99Ms: number;
  rounds: number[];
}

export interface Comparison {
  name: string;
  bare: Figures;
  limen: Figures;
  aim?: number;
}

export function summarize(results: LoadResult[]): Figures {
  return {
    perSecond: median(results.map(({ perSecond }) => perSecond)),
    p99Ms: median(results.map(({ p99Ms }) => p99Ms)),
    rounds: results.map(({ perSecond }) => perSecond),
  };
}

export function renderTable(comparisons: Comparison[]): string {
  return renderColumns([
    ['operation', 'bare req/s', 'Limen req/s', 'Limen/bare', 'by round', 'bare p99', 'Limen p99', 'aim', 'met'],
    ...comparisons.map(({ name, bare, limen, aim }) => {
      const ratio = limen.perSecond / bare.perSecond;
      const byRound = limen.rounds.map((perSecond, round) => perSecond / bare.rounds[round]!);
      return [
        name,
        whole(bare.perSecond),
        whole(limen.perSecond),
        percent(ratio),
        `${percent(Math.min(...byRound))}–${percent(Math.max(...byRound))}`,
        milliseconds(bare.p99Ms),
        milliseconds(limen.p99Ms),
        aim === undefined ? '' : percent(aim),
        aim === undefined ? '' : ratio >= aim ? 'yes' : 'NO',
      ];
    }),
  ]);
}

export function renderCeiling(ceiling: number, comparisons: Comparison[]): string {
  const highest = Math.max(...comparisons.flatMap(({ bare, limen }) => [bare.perSecond, limen.perSecond]));
  const share = highest / ceiling;
  const line = `\nThe load itself reaches ${whole(ceiling)} req/s on a server that does nothing; the highest figure is ${percent(share)} of that.`;
  return share < NEAR_CEILING ? line : `${line}\nWARNING: that figure is bounded by the load, not by the server.`;
}

/** The first column to the left, all others to the right. */
export function renderColumns(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

function whole(number: number): string {
  return Math.round(number).toLocaleString('en');
}

function percent(ratio: number): string {
  return `${Math.round(ratio * 100)} %`;
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(2)} ms`;
}
