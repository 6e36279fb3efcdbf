// Formats figures of the gallery benchmark.

export function median(times: readonly number[]): number {
  return quantile(times, 0.5);
}

/** NaN if nothing was measured. */
export function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function milliseconds(ms: number): string {
  if (Number.isNaN(ms)) return 'none';
  return `${ms < 10 ? ms.toFixed(2) : ms.toFixed(1)} ms`;
}

export function aim(isMet: boolean, text: string): string {
  return `aim ${text}: ${isMet ? 'met' : 'NOT MET'}`;
}

export interface Line {
  name: string;
  times: readonly number[];
  /** CPU time of a search on all threads, comparable even on a shared machine. */
  cpuMs: number;
  recall: number;
  note?: string;
}

/** Minimum number of searches for a p99 that is more than the slowest one or two. */
const ENOUGH_FOR_P99 = 300;

export function printLine({ name, times, cpuMs, recall, note = '' }: Line): void {
  const figures = [
    `p50 ${milliseconds(median(times)).padStart(9)}`,
    times.length < ENOUGH_FOR_P99
      ? `max ${milliseconds(Math.max(...times)).padStart(9)}`
      : `p99 ${milliseconds(quantile(times, 0.99)).padStart(9)}`,
    `CPU ${milliseconds(cpuMs).padStart(9)}`,
    `recall ${recall === 1 ? '1' : recall.toFixed(4)}`.padEnd(13),
  ];
  console.log(`  ${name.padEnd(34)} ${figures.join('  ')}  ${note}`.trimEnd());
}

/** Returns the process's CPU milliseconds so far. */
export function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
