// Formats the results of the string benchmark.
import { renderColumns } from '../shared/columns.ts';
import { median } from '../shared/figures.ts';
import type { Measurement } from './string-servers.ts';

/** Rates close to the load generator's ceiling say more about it than about the server. */
const NEAR_CEILING = 0.9;

/** Medians over a server's rounds. */
export interface Figures {
  perSecond: number;
  p99Ms: number;
  cpuMicros: number;
  rounds: Measurement[];
}

export interface Comparison {
  name: string;
  bare: Figures;
  limen: Figures;
  aim?: number;
}

export function summarize(rounds: Measurement[]): Figures {
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
    cpuMicros: median(rounds.map(({ cpuMicros }) => cpuMicros)),
    rounds,
  };
}

export function renderTable(comparisons: Comparison[]): string {
  const heading = [
    'operation',
    'req/s bare',
    'Limen',
    'ratio',
    'by round',
    'p99 bare',
    'Limen',
    'CPU/req bare',
    'Limen',
  ];
  return renderColumns([
    [...heading, 'aim', 'met'],
    ...comparisons.map(({ name, bare, limen, aim }) => {
      const ratio = limen.perSecond / bare.perSecond;
      const byRound = limen.rounds.map(({ perSecond }, round) => perSecond / bare.rounds[round]!.perSecond);
      return [
        name,
        whole(bare.perSecond),
        whole(limen.perSecond),
        percent(ratio),
        `${percent(Math.min(...byRound))} to ${percent(Math.max(...byRound))}`,
        milliseconds(bare.p99Ms),
        milliseconds(limen.p99Ms),
        `${whole(bare.cpuMicros)} µs`,
        `${whole(limen.cpuMicros)} µs`,
        aim === undefined ? '' : percent(aim),
        aim === undefined ? '' : ratio >= aim ? 'yes' : 'NO',
      ];
    }),
  ]);
}

/** The load generator's ceiling, and reasons to doubt the figures. */
export function renderCaveats(comparisons: Comparison[], ceiling: number, disturbingCores: number): string {
  const figures = comparisons.flatMap(({ bare, limen }) => [bare, limen]);
  const share = Math.max(...figures.map(({ perSecond }) => perSecond)) / ceiling;
  const foreign = Math.max(...figures.flatMap(({ rounds }) => rounds.map(({ foreignCores }) => foreignCores)));
  const lines = [
    '',
    `The load itself reaches ${whole(ceiling)} req/s on a server that does nothing; the highest figure is ${percent(share)} of it.`,
  ];
  if (share >= NEAR_CEILING) lines.push('WARNING: the highest figure is bounded by the load, not by the server.');
  if (foreign >= disturbingCores) {
    lines.push(
      `WARNING: other processes kept up to ${foreign.toFixed(1)} cores busy. Repeat the run on an idle machine.`,
    );
  }
  return lines.join('\n');
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
