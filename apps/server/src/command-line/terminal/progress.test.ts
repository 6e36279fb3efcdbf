// The text of a progress line and when it is drawn.
import { describe, expect, it } from 'vitest';
import { createProgress, describeProgress } from './progress.ts';

function prepare(isTerminal: boolean, columns = 100) {
  let time = 0;
  const written: string[] = [];
  const out = { write: (text: string) => written.push(text) };
  const progress = createProgress({ out, isTerminal, columns, now: () => time });
  const showAt = (milliseconds: number, done: number) => {
    time = milliseconds;
    progress.show({ label: 'Reading', done, total: 1000, unit: 'rows' });
  };
  return { progress, written, showAt };
}

describe('on a terminal', () => {
  it('prints nothing for a second, then redraws at most ten times a second', () => {
    const { progress, written, showAt } = prepare(true);
    showAt(0, 0);
    showAt(999, 400);
    expect(written).toEqual([]);
    showAt(1000, 500);
    showAt(1050, 520);
    showAt(1100, 550);
    expect(written).toHaveLength(2);
    for (const line of written) {
      expect(line.startsWith('\r\u001b[2K')).toBe(true);
      expect(line).toMatch(/Reading {2}[█░]{20} {2}5\d %/);
    }
    progress.clear();
    expect(written.at(-1)).toBe('\r\u001b[2K');
  });

  it('shows a new label at once', () => {
    const { progress, written, showAt } = prepare(true);
    showAt(2000, 999);
    progress.show({ label: 'Indexing', done: 0, unit: 'rows' });
    expect(written.at(-1)).toContain('Indexing');
  });

  it('clears a drawn line once', () => {
    const { progress, written, showAt } = prepare(true);
    progress.clear();
    expect(written).toEqual([]);
    showAt(2000, 1);
    progress.clear();
    progress.clear();
    expect(written).toHaveLength(2);
  });

  it('fits a narrow terminal, because a wrapped line cannot be redrawn', () => {
    const { written, showAt } = prepare(true, 20);
    showAt(2000, 1);
    expect(written[0]!.replace('\r\u001b[2K', '')).toHaveLength(19);
  });
});

it('prints the whole line if the terminal does not report its width', () => {
  const { written, showAt } = prepare(true, 0);
  showAt(1000, 250);
  showAt(2000, 500);
  expect(written[1]).toContain('500 rows/s');
});

describe('elsewhere', () => {
  it('prints a plain line every ten seconds, and nothing for shorter work', () => {
    const { progress, written, showAt } = prepare(false);
    for (let time = 0; time <= 25_000; time += 100) showAt(time, time / 25);
    progress.clear();
    expect(written).toEqual(['Reading  40 %  of 1000  40 rows/s\n', 'Reading  80 %  of 1000  40 rows/s\n']);
  });
});

describe('the line', () => {
  const line = (done: number, total: number | undefined, note?: string) =>
    describeProgress({ label: 'Reading', done, total, unit: 'bytes', ...(note && { note }) }, 2000, true);

  it.each([
    [0, 2048, 'Reading  ░░░░░░░░░░░░░░░░░░░░  0 %  of 2.0 KiB  0 B/s'],
    [1024, 2048, 'Reading  ██████████░░░░░░░░░░  50 %  of 2.0 KiB  512 B/s'],
    [2048, 2048, 'Reading  ████████████████████  100 %  of 2.0 KiB  1.0 KiB/s'],
    [4096, 2048, 'Reading  ████████████████████  100 %  of 2.0 KiB  2.0 KiB/s'],
    [1024, undefined, 'Reading  1.0 KiB  512 B/s'],
    [0, 0, 'Reading  0 B  0 B/s'],
  ])('shows progress at %s of %s bytes', (done, total, text) => {
    expect(line(done, total)).toBe(text);
  });

  it('includes a note', () => {
    expect(line(1024, undefined, '12 entities')).toBe('Reading  1.0 KiB  12 entities  512 B/s');
  });
});
