// Figures of the gallery benchmark as text.

export function median(times: readonly number[]): number {
  return quantile(times, 0.5);
}

/** NaN where nothing was measured. */
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
  /** Processor time of one search on all threads: what is left to compare by where others use the machine too. */
  cpuMs: number;
  recall: number;
  note?: string;
}

/** Searches from which the hundredth part of them is more than the slowest one or two. */
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

/** Processor milliseconds that the process has used so far. */
export function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
