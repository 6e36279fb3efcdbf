// Finds the rows in CSV bytes. The thread that cuts a file and the workers that read it find the same.
import { splitLeniently } from '@limen/screening';

const SPACE = 0x20;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

const CELL_START = 0;
const PLAIN = 1;
const QUOTED = 2;
/** After a quote within a quoted value, which ends the value or is doubled */
const QUOTE_SEEN = 3;

/** The sentence may name a line, and never a value. */
export class CsvError extends Error {
  override readonly name = 'CsvError';
  /** Longer sentence, if the message is part of the API */
  readonly detail: string | undefined;

  constructor(sentence: string, detail?: string) {
    super(sentence);
    this.detail = detail;
  }
}

/** Takes the range of a row, counted from the first scanned byte and without the line's end. Blank lines are not rows. */
type TakeRow = (start: number, end: number) => void;

/**
 * Scans bytes in pieces of any size. A value is quoted if its first byte is a quote. Lines end with CRLF, LF or CR; within quotes
 * they belong to the value.
 */
export class RowScanner {
  readonly #delimiter: number;
  readonly #takeRow: TakeRow;
  #state = CELL_START;
  #position = 0;
  #line: number;
  #rowStart = 0;
  #blank = true;
  #afterCr = false;
  #quoteLine = 0;

  constructor(delimiter: number, takeRow: TakeRow, firstLine = 1) {
    this.#delimiter = delimiter;
    this.#takeRow = takeRow;
    this.#line = firstLine;
  }

  get line(): number {
    return this.#line;
  }

  get insideQuotes(): boolean {
    return this.#state === QUOTED;
  }

  scan(bytes: Uint8Array): void {
    const base = this.#position;
    const delimiter = this.#delimiter;
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index] as number;
      const followsCr = this.#afterCr;
      this.#afterCr = byte === CR;
      if (byte === LF && followsCr) {
        // The line was counted at the CR. Outside quotes the next row begins here.
        if (this.#state !== QUOTED) this.#startRow(base + index + 1);
        continue;
      }
      if (this.#state === QUOTED) {
        if (byte === QUOTE) this.#state = QUOTE_SEEN;
        else if (byte === LF || byte === CR) this.#line += 1;
        else index = skipOrdinary(bytes, index);
        continue;
      }
      if (byte === delimiter) {
        this.#blank = false;
        this.#state = CELL_START;
      } else if (byte === LF || byte === CR) {
        this.#endRow(base + index);
        this.#line += 1;
        this.#startRow(base + index + 1);
      } else if (this.#state === QUOTE_SEEN) {
        if (byte !== QUOTE) throw brokenQuoting(this.#line, 'there is text after a closing quote');
        this.#state = QUOTED;
      } else if (this.#state === CELL_START && byte === QUOTE) {
        this.#state = QUOTED;
        this.#quoteLine = this.#line;
        this.#blank = false;
      } else {
        this.#state = PLAIN;
        if (byte !== SPACE && byte !== TAB) {
          this.#blank = false;
          index = skipOrdinary(bytes, index);
        }
      }
    }
    this.#position = base + bytes.length;
  }

  finish(): void {
    if (this.#state === QUOTED) throw brokenQuoting(this.#quoteLine, 'the quote that opens there is never closed');
    this.#endRow(this.#position);
    this.#startRow(this.#position);
  }

  #startRow(position: number): void {
    this.#rowStart = position;
    this.#blank = true;
    this.#state = CELL_START;
  }

  #endRow(end: number): void {
    if (!this.#blank) this.#takeRow(this.#rowStart, end);
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Calls `onRow` with the cells of each row. The bytes hold complete rows. */
export function readCells(bytes: Uint8Array, delimiter: number, onRow: (cells: string[]) => void): void {
  const scanner = new RowScanner(delimiter, (start, end) => onRow(splitCells(bytes.subarray(start, end), delimiter)));
  scanner.scan(bytes);
  scanner.finish();
}

export function splitCells(row: Uint8Array, delimiter: number): string[] {
  return splitRow(decoder.decode(row), delimiter);
}

export function splitRow(row: string, delimiter: number): string[] {
  return splitLeniently(row, String.fromCharCode(delimiter));
}

/** Returns the last byte of a run without special meaning: letters, digits and anything beyond ASCII. */
function skipOrdinary(bytes: Uint8Array, from: number): number {
  let last = from;
  for (let byte = bytes[last + 1]; byte !== undefined && byte >= 0x2d && byte !== 0x3b; byte = bytes[last + 1])
    last += 1;
  return last;
}

function brokenQuoting(line: number, problem: string): CsvError {
  return new CsvError(`Broken quoting on line ${line}: ${problem}.`);
}
