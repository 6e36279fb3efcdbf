// Splits lines into CSV records. Never throws, uses bounded memory, and loses only one record to a
// broken quote.
import { MAX_RECORD_BYTES } from './load-report.ts';
import type { Line } from './read-lines.ts';
import { splitLeniently } from './split-leniently.ts';

export interface CsvRecord {
  /** Number of the record's first line, from 1. */
  line: number;
  cells: string[];
}

export interface CsvOptions {
  delimiter: string;
  /** Number of cells per record. Undefined until the header is found. */
  width?: number;
  /** Called in file order, so that the header can set the width before the next record is read. */
  onRecord(record: CsvRecord): void;
  /** `isLost` is false if the row was read despite the problem. */
  onProblem(line: number, reason: string, isLost: boolean): void;
  maxLength?: number;
}

/** Budget for re-reading lines after a broken quote, to prevent quadratic time. */
const SPARE_CHARACTERS = 2 * MAX_RECORD_BYTES;
const QUOTE = 0x22;
const SPACE = 0x20;
// Old DOS files, including OFAC's, end with 0x1A.
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are the characters meant.
const BLANK = /^[\s\u0000\u001a]*$/;
const NOT_CLOSED = 'A quoted cell is not closed.';

export class CsvSplitter {
  readonly #delimiter: string;
  readonly #options: CsvOptions;
  readonly #maxLength: number;
  #width: number | undefined;
  #spare = SPARE_CHARACTERS;
  #nextLine = 1;
  // The current record, which may span several lines.
  #lines: string[] = [];
  #length = 0;
  #cells: string[] = [];
  #openCell: string | undefined;
  #isLastShort = false;

  constructor(options: CsvOptions) {
    this.#delimiter = options.delimiter;
    this.#options = options;
    this.#maxLength = options.maxLength ?? MAX_RECORD_BYTES;
    this.#width = options.width;
  }

  setWidth(width: number): void {
    this.#width = width;
  }

  feed(line: Line): void {
    this.#takeLines([line]);
  }

  /** Returns whether the text seems to be truncated. `endsLine`: the last line is terminated. */
  finish(endsLine = true): boolean {
    // A stray quote in an earlier line leaves several complete lines open. A cut leaves the last
    // line incomplete.
    const isOpen = this.#lines.length === 1 || (this.#lines.length > 1 && !endsLine);
    while (this.#lines.length > 0) this.#takeLines(this.#giveUp(NOT_CLOSED).reverse());
    return isOpen || (this.#isLastShort && !endsLine);
  }

  #takeLines(first: Line[]): void {
    // A stack of lines to read, with the next one last.
    const waiting = first;
    while (waiting.length > 0) {
      const line = waiting.pop()!;
      const isBroken = line === null && this.#lines.length > 0;
      if (isBroken) waiting.push(null);
      const again = isBroken ? this.#giveUp(NOT_CLOSED) : this.#takeLine(line);
      for (let at = again.length - 1; at >= 0; at -= 1) waiting.push(again[at]!);
    }
  }

  #takeLine(line: Line): string[] {
    this.#nextLine += 1;
    if (line === null) {
      this.#options.onProblem(this.#nextLine - 1, 'The line is too long to be a record.', true);
      return [];
    }
    const lines = this.#lines;
    if (lines.length === 0 && line.length < 100 && BLANK.test(line)) return [];
    lines.push(line);
    this.#length += line.length + 1;
    const state = this.#scanLine(line);
    if (state === 'broken') return this.#giveUp('A quoted cell goes on after its closing quote.');
    if (this.#length > this.#maxLength) return this.#giveUp('The record is too long.');
    const width = this.#width;
    const cells = this.#cells;
    const isWrong = width !== undefined && (state === 'done' ? cells.length !== width : cells.length > width);
    if (isWrong && lines.length > 1) return this.#giveUp(NOT_CLOSED);
    if (state === 'done') {
      this.#spare = Math.min(SPARE_CHARACTERS, this.#spare + this.#length);
      this.#forgetRecord();
      this.#emitRecord(this.#nextLine - lines.length, cells);
    }
    return [];
  }

  #scanLine(line: string): 'done' | 'open' | 'broken' {
    const delimiterCode = this.#delimiter.charCodeAt(0);
    let at = 0;
    let isQuoted = this.#openCell !== undefined;
    for (;;) {
      if (!isQuoted && line.charCodeAt(at) === QUOTE) {
        isQuoted = true;
        this.#openCell = '';
        at += 1;
      }
      if (isQuoted) {
        const end = this.#scanQuoted(line, at);
        if (end === undefined) return 'open';
        at = end;
        while (line.charCodeAt(at) === SPACE) at += 1;
        if (at >= line.length) return 'done';
        if (line.charCodeAt(at) !== delimiterCode) return 'broken';
        at += 1;
        isQuoted = false;
      } else {
        const end = line.indexOf(this.#delimiter, at);
        this.#cells.push(end === -1 ? line.slice(at) : line.slice(at, end));
        if (end === -1) return 'done';
        at = end + 1;
      }
    }
  }

  /** Returns the position after the closing quote, or undefined if the cell continues. */
  #scanQuoted(line: string, from: number): number | undefined {
    let start = from;
    let text = this.#openCell!;
    for (;;) {
      const quote = line.indexOf('"', start);
      if (quote === -1) {
        this.#openCell = `${text}${line.slice(start)}\n`;
        return undefined;
      }
      if (line.charCodeAt(quote + 1) !== QUOTE) {
        this.#cells.push(text === '' ? line.slice(start, quote) : text + line.slice(start, quote));
        this.#openCell = undefined;
        return quote + 1;
      }
      text += line.slice(start, quote + 1);
      start = quote + 2;
    }
  }

  #emitRecord(line: number, cells: string[]): void {
    if (cells[0] === '' && cells.every((cell) => cell === '')) return;
    const width = this.#width;
    this.#isLastShort = width !== undefined && cells.length < width;
    if (width !== undefined && cells.length > width && cells.slice(width).every((cell) => BLANK.test(cell)))
      cells.length = width;
    if (width === undefined || cells.length === width) this.#options.onRecord({ line, cells });
    else this.#options.onProblem(line, `The row has ${cells.length} cells where ${width} are expected.`, true);
  }

  /** Gives up on the record at its first line. Returns the lines to read separately. */
  #giveUp(reason: string): string[] {
    const { onRecord, onProblem } = this.#options;
    const lines = this.#lines;
    const line = this.#nextLine - lines.length;
    const cells = this.#width === undefined ? [] : splitLeniently(lines[0]!, this.#delimiter);
    const isLost = cells.length !== this.#width;
    const again = this.#spare >= this.#length ? lines.slice(1) : [];
    const dropped = lines.length - 1 - again.length;
    if (again.length > 0) this.#spare -= this.#length;
    this.#nextLine -= again.length;
    this.#forgetRecord();
    onProblem(line, dropped > 0 ? `${reason} The ${dropped} lines after it were left out.` : reason, isLost);
    if (!isLost) onRecord({ line, cells });
    return again;
  }

  #forgetRecord(): void {
    this.#lines = [];
    this.#length = 0;
    this.#cells = [];
    this.#openCell = undefined;
  }
}
