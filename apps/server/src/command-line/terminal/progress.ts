// Progress on standard error: a line that is redrawn on a terminal, and an occasional new line
// elsewhere.
import { formatBytes } from '../../platform/files/free-space.ts';
import { displayWidth } from './print-table.ts';

export interface ProgressState {
  label: string;
  done: number;
  total?: number | undefined;
  unit: 'bytes' | 'rows';
  /** Text such as `1200 entities` */
  note?: string;
  /** Speed, if it is not that of `done` */
  rate?: string;
}

export type ProgressLine = ReturnType<typeof createProgress>;

interface ProgressOptions {
  out: { write(text: string): unknown };
  isTerminal: boolean;
  columns?: number | undefined;
  now: () => number;
}

/** Short work shows no progress, and a log shows less than a terminal. */
const TERMINAL = { quietMs: 1_000, everyMs: 100 };
const ELSEWHERE = { quietMs: 10_000, everyMs: 10_000 };
const BAR_WIDTH = 20;
const ERASE_LINE = '\r\u001b[2K';

export function progressOnTerminal(): ProgressLine {
  const { isTTY, columns } = process.stderr;
  return createProgress({ out: process.stderr, isTerminal: isTTY === true, columns, now: () => performance.now() });
}

export function createProgress({ out, isTerminal, columns, now }: ProgressOptions) {
  // Some terminals report 0 columns.
  const width = (columns || 80) - 1;
  const { quietMs, everyMs } = isTerminal ? TERMINAL : ELSEWHERE;
  const started = now();
  let label: string | undefined;
  let labelStarted = started;
  let lastShown = Number.NEGATIVE_INFINITY;
  let drawn = false;

  return {
    show(state: ProgressState): void {
      const time = now();
      // A new label is shown at once, because the next state may take a while.
      if (state.label !== label) [label, labelStarted, lastShown] = [state.label, time, Number.NEGATIVE_INFINITY];
      if (time - started < quietMs || time - lastShown < everyMs) return;
      lastShown = time;
      const line = describeProgress(state, time - labelStarted, isTerminal);
      out.write(isTerminal ? `${ERASE_LINE}${fit(line, width)}` : `${line}\n`);
      drawn = isTerminal;
    },
    /** Erases the line, so that other output starts on an empty one. */
    clear(): void {
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

/** Cuts a line, because one that wraps cannot be redrawn. */
function fit(line: string, columns: number): string {
  if (displayWidth(line) <= columns) return line;
  return [...line].slice(0, Math.max(0, columns)).join('');
}
