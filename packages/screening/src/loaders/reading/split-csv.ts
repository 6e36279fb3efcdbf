// Splits lines into CSV records: never throws, bounded, and one broken quote costs one record, not the rest of the file.
import { MAX_RECORD_BYTES } from './load-report.ts';
import type { Line } from './read-lines.ts';
import { splitLeniently } from './split-leniently.ts';

export interface CsvRecord {
  /** Of its first line, from 1. */
  line: number;
  cells: string[];
}

export interface CsvOptions {
  delimiter: string;
  /** How many cells a record has; unknown until the header is found. */
  width?: number;
  /** Called in the order of the file, so that the header can set the width before the next record is read. */
  onRecord(record: CsvRecord): void;
  /** The row is lost, or was read all the same. */
  onProblem(line: number, reason: string, isLost: boolean): void;
  maxLength?: number;
}

export interface CsvSplitter {
  setWidth(width: number): void;
  feed(line: Line): void;
  /** Whether the text seems to be cut off. `endsLine`: the last line has its line end. */
  finish(endsLine?: boolean): boolean;
}

/** Reading lines again after a broken quote is paid from this, so that a hostile file cannot make it quadratic. */
const SPARE_CHARACTERS = 2 * MAX_RECORD_BYTES;
const QUOTE = 0x22;
const SPACE = 0x20;
// Old DOS files, and OFAC's own, end with a 0x1A.
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are the characters meant.
const BLANK = /^[\s\u0000\u001a]*$/;

export function createCsvSplitter({
  delimiter,
  onRecord,
  onProblem,
  maxLength = MAX_RECORD_BYTES,
  ...rest
}: CsvOptions) {
  const delimiterCode = delimiter.charCodeAt(0);
  let width = rest.width;
  let spare = SPARE_CHARACTERS;
  let nextLine = 1;
  // The record that is being read, over as many lines as its quotes ask for.
  let lines: string[] = [];
  let length = 0;
  let cells: string[] = [];
  let openCell: string | undefined;
  let isLastShort = false;

  /** Position after the closing quote; undefined when the cell goes on in the next line. */
  function scanQuoted(line: string, from: number): number | undefined {
    let start = from;
    for (;;) {
      const quote = line.indexOf('"', start);
      if (quote === -1) {
        openCell = `${openCell}${line.slice(start)}\n`;
        return undefined;
      }
      if (line.charCodeAt(quote + 1) !== QUOTE) {
        cells.push(openCell === '' ? line.slice(start, quote) : openCell + line.slice(start, quote));
        openCell = undefined;
        return quote + 1;
      }
      openCell += line.slice(start, quote + 1);
      start = quote + 2;
    }
  }

  function scanLine(line: string): 'done' | 'open' | 'broken' {
    let at = 0;
    let quoted = openCell !== undefined;
    for (;;) {
      if (!quoted && line.charCodeAt(at) === QUOTE) {
        quoted = true;
        openCell = '';
        at++;
      }
      if (quoted) {
        const end = scanQuoted(line, at);
        if (end === undefined) return 'open';
        at = end;
        while (line.charCodeAt(at) === SPACE) at++;
        if (at >= line.length) return 'done';
        if (line.charCodeAt(at) !== delimiterCode) return 'broken';
        at++;
        quoted = false;
      } else {
        const end = line.indexOf(delimiter, at);
        cells.push(end === -1 ? line.slice(at) : line.slice(at, end));
        if (end === -1) return 'done';
        at = end + 1;
      }
    }
  }

  function forgetRecord(): void {
    lines = [];
    length = 0;
    cells = [];
    openCell = undefined;
  }

  function emitRecord(line: number, found: string[]): void {
    if (found[0] === '' && found.every((cell) => cell === '')) return;
    isLastShort = width !== undefined && found.length < width;
    if (width !== undefined && found.length > width && found.slice(width).every((cell) => BLANK.test(cell))) {
      found.length = width;
    }
    if (width === undefined || found.length === width) onRecord({ line, cells: found });
    else onProblem(line, `The row has ${found.length} cells where ${width} are expected.`, true);
  }

  /** Gives up on the record at its first line, and returns the lines after it, which are read as records of their own. */
  function giveUp(reason: string): string[] {
    const line = nextLine - lines.length;
    const repaired = width === undefined ? [] : splitLeniently(lines[0]!, delimiter);
    const isLost = repaired.length !== width;
    const again = spare >= length ? lines.slice(1) : [];
    const dropped = lines.length - 1 - again.length;
    if (again.length > 0) spare -= length;
    nextLine -= again.length;
    forgetRecord();
    onProblem(line, dropped > 0 ? `${reason} The ${dropped} lines after it were left out.` : reason, isLost);
    if (!isLost) onRecord({ line, cells: repaired });
    return again;
  }

  function takeLine(line: Line): string[] {
    if (line === null) {
      nextLine++;
      onProblem(nextLine - 1, 'The line is too long to be a record.', true);
      return [];
    }
    nextLine++;
    if (lines.length === 0 && line.length < 100 && BLANK.test(line)) return [];
    lines.push(line);
    length += line.length + 1;
    const state = scanLine(line);
    if (state === 'broken') return giveUp('A quoted cell goes on after its closing quote.');
    if (length > maxLength) return giveUp('The record is too long.');
    const tooWide = width !== undefined && lines.length > 1 && cells.length > width;
    if (tooWide || (state === 'done' && lines.length > 1 && width !== undefined && cells.length !== width)) {
      return giveUp('A quoted cell is not closed.');
    }
    if (state === 'done') {
      spare = Math.min(SPARE_CHARACTERS, spare + length);
      const [line, found] = [nextLine - lines.length, cells];
      forgetRecord();
      emitRecord(line, found);
    }
    return [];
  }

  function takeLines(first: Line[]): void {
    // A stack of the lines to read, the next one last.
    const waiting = first;
    while (waiting.length > 0) {
      const line = waiting.pop()!;
      if (line === null && lines.length > 0) {
        waiting.push(null);
        pushReversed(waiting, giveUp('A quoted cell is not closed.'));
      } else {
        pushReversed(waiting, takeLine(line));
      }
    }
  }

  return {
    setWidth: (cellCount: number) => {
      width = cellCount;
    },
    feed: (line: Line) => takeLines([line]),
    finish: (endsLine = true) => {
      // A stray quote further up opens several whole lines; a cut leaves the last one unfinished.
      const isOpen = lines.length === 1 || (lines.length > 1 && !endsLine);
      while (lines.length > 0) takeLines(giveUp('A quoted cell is not closed.').reverse());
      return isOpen || (isLastShort && !endsLine);
    },
  } satisfies CsvSplitter;
}

function pushReversed(stack: Line[], lines: string[]): void {
  for (let at = lines.length - 1; at >= 0; at--) stack.push(lines[at]!);
}
