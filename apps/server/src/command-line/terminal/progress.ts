// A line on standard error that tells how far something has come: drawn over itself on a terminal, now and then elsewhere.
import { formatBytes } from '../../platform/files/free-space.ts';
import { displayWidth } from './print-table.ts';

export interface ProgressState {
  /** What is being done. */
  label: string;
  done: number;
  /** Unknown: there is no bar, only figures. */
  total?: number | undefined;
  unit: 'bytes' | 'rows';
  /** Things found so far, such as `1200 entities`. */
  note?: string;
  /** How fast it goes, where that is not what `done` counts. */
  rate?: string;
}

export interface ProgressLine {
  show(state: ProgressState): void;
  /** Takes the line away, so that what follows begins on a clean one. */
  clear(): void;
}

export interface ProgressOptions {
  out: { write(text: string): unknown };
  isTerminal: boolean;
  columns?: number | undefined;
  /** Milliseconds; only differences count. */
  now: () => number;
}

/** What is over within a second needs no progress, and in a log not even what takes ten. */
const TERMINAL = { quietMs: 1_000, everyMs: 100 };
const ELSEWHERE = { quietMs: 10_000, everyMs: 10_000 };
const BAR_WIDTH = 20;
const ERASE_LINE = '\r\u001b[2K';

/** Where a command's progress goes. */
export function progressOnTerminal(): ProgressLine {
  const { isTTY, columns } = process.stderr;
  return createProgress({ out: process.stderr, isTerminal: isTTY === true, columns, now: () => performance.now() });
}

export function createProgress({ out, isTerminal, columns, now }: ProgressOptions): ProgressLine {
  // Some terminals say that they have no columns.
  const width = (columns || 80) - 1;
  const { quietMs, everyMs } = isTerminal ? TERMINAL : ELSEWHERE;
  const started = now();
  let label: string | undefined;
  let labelStarted = started;
  let lastShown = Number.NEGATIVE_INFINITY;
  let drawn = false;

  return {
    show(state) {
      const time = now();
      // A new label is shown at once: the old one would stand there as long as nothing more is heard.
      if (state.label !== label) [label, labelStarted, lastShown] = [state.label, time, Number.NEGATIVE_INFINITY];
      if (time - started < quietMs || time - lastShown < everyMs) return;
      lastShown = time;
      const line = describeProgress(state, time - labelStarted, isTerminal);
      out.write(isTerminal ? `${ERASE_LINE}${fit(line, width)}` : `${line}\n`);
      drawn = isTerminal;
    },
    clear() {
      if (drawn) out.write(ERASE_LINE);
      drawn = false;
    },
  };
}

export function describeProgress(state: ProgressState, elapsedMs: number, withBar: boolean): string {
  const { label, done, total, unit, note, rate } = state;
  const amount = (value: number) => (unit === 'bytes' ? formatBytes(value) : String(Math.round(value)));
  const share = total ? Math.min(1, done / total) : undefined;
  const filled = Math.round((share ?? 0) * BAR_WIDTH);
  const parts = [
    label,
    ...(share !== undefined && withBar ? [`${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`] : []),
    ...(share === undefined ? [amount(done)] : [`${Math.floor(share * 100)} %`, `of ${amount(total!)}`]),
    ...(note === undefined ? [] : [note]),
    ...(elapsedMs > 0 ? [rate ?? `${amount((done / elapsedMs) * 1000)}${unit === 'rows' ? ' rows' : ''}/s`] : []),
  ];
  return parts.join('  ');
}

/** A line that wraps cannot be drawn over. */
function fit(line: string, columns: number): string {
  if (displayWidth(line) <= columns) return line;
  return [...line].slice(0, Math.max(0, columns)).join('');
}
