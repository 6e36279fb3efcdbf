// Cuts a CSV file into pieces that workers screen, without blocking the event loop.
import { setImmediate as nextIteration } from 'node:timers/promises';
import { AppError } from '../../platform/base/errors.ts';
import { type CsvLayout, type ReadColumns, readLayout } from './layout.ts';
import { CsvError, RowScanner } from './rows.ts';

/** Limits of a piece, so that files can take turns and a rendered piece stays small */
const PIECE_ROWS = 128;
const PIECE_BYTES = 16 * 1024;
/** Bytes that are scanned without a pause, in about a millisecond */
const SLICE_BYTES = 128 * 1024;

export interface CsvPiece {
  start: number;
  end: number;
  rows: number;
}

export interface CsvFile {
  bytes: Uint8Array;
  layout: CsvLayout;
  warnings: readonly string[];
  pieces: CsvPiece[];
  rows: number;
}

/** Reads the header row and cuts the rows into pieces. Throws CsvError. */
export async function openCsv(bytes: Uint8Array, columns: ReadColumns): Promise<CsvFile> {
  const { layout, start, line, warnings } = readLayout(bytes, columns);
  const cutter = createPieceCutter(layout.delimiter, start, line);
  for (let from = start; from < bytes.length; from += SLICE_BYTES) {
    if (bytes.length > SLICE_BYTES) await takeTurn(); // a small file is not worth waiting for
    cutter.scan(bytes.subarray(from, from + SLICE_BYTES));
  }
  cutter.finish();
  const pieces = cutter.take();
  return { bytes, layout, warnings, pieces, rows: pieces.reduce((sum, piece) => sum + piece.rows, 0) };
}

/** `offset` is the position of the first scanned byte in the file. */
export function createPieceCutter(delimiter: number, offset: number, line: number) {
  let pieces: CsvPiece[] = [];
  let open: CsvPiece | undefined;
  const close = () => {
    if (open) pieces.push(open);
    open = undefined;
  };
  const scanner = new RowScanner(
    delimiter,
    (start, end) => {
      open ??= { start: offset + start, end: 0, rows: 0 };
      open.end = offset + end;
      open.rows += 1;
      if (open.rows === PIECE_ROWS || open.end - open.start >= PIECE_BYTES) close();
    },
    line,
  );
  return {
    scan: (bytes: Uint8Array): void => scanner.scan(bytes),
    finish(): void {
      scanner.finish();
      close();
    },
    take(): CsvPiece[] {
      const taken = pieces;
      pieces = [];
      return taken;
    },
  };
}

let last: Promise<void> = Promise.resolve();

/**
 * Resolves in an iteration of the event loop that no other caller shares. With `setImmediate` alone, many files at once would be
 * scanned without a pause.
 */
export function takeTurn(): Promise<void> {
  last = last.then(() => nextIteration());
  return last;
}

export async function openSentCsv(bytes: Uint8Array, columns: ReadColumns): Promise<CsvFile> {
  try {
    return await openCsv(bytes, columns);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { message, detail } = error;
    throw new AppError(
      'malformed_request',
      message,
      detail === undefined ? {} : { details: [{ path: 'file', message: detail }] },
    );
  }
}
