// Reads CSV files: rows of a known width, or rows under a header that says where each column is.
import { type LoadReport, noteBroken, noteProblem, watchEnd } from './load-report.ts';
import type { Chunks } from './read-blocks.ts';
import { readLines } from './read-lines.ts';
import { type CsvOptions, type CsvRecord, CsvSplitter } from './split-csv.ts';

/** How far down the header may be: some publishers put a date or a title above it. */
const MAX_PREAMBLE_RECORDS = 5;

/** Position of each column by its heading in small letters and digits only, so that `Name 6` and `Name6` are one. */
export type Columns = Map<string, number>;

export interface RowsOptions<T> {
  delimiter: string;
  width: number;
  /** What a row makes, or null for nothing. */
  read(row: CsvRecord): T | null;
  onProblem: CsvOptions['onProblem'];
}

export interface TableOptions<T> {
  delimiter: string;
  /** Headings; `A|B` is met by either. */
  needed: string[];
  /** Called once, with the header and the records above it; returns what reads a row. */
  open(columns: Columns, preamble: string[][]): RowsOptions<T>['read'];
}

/** Yields what the rows of each block made. */
export async function* readRows<T>(chunks: Chunks, report: LoadReport, options: RowsOptions<T>): AsyncGenerator<T[]> {
  let made: T[] = [];
  const onRecord = (row: CsvRecord) => {
    const item = options.read(row);
    if (item !== null) made.push(item);
  };
  const splitter = new CsvSplitter({ ...options, onRecord });
  const source = watchEnd(chunks);
  for await (const lines of readLines(source.chunks, report)) {
    made = [];
    for (const line of lines) splitter.feed(line);
    yield made;
  }
  made = [];
  if (splitter.finish(source.endsLine())) report.truncated = true;
  yield made;
}

/** Without the needed columns one problem says what is missing, and nothing is read. */
export async function* readTable<T>(
  chunks: Chunks,
  report: LoadReport,
  { delimiter, needed, open }: TableOptions<T>,
): AsyncGenerator<T[]> {
  const preamble: string[][] = [];
  let made: T[] = [];
  let readRow: RowsOptions<T>['read'] | undefined;
  const splitter = new CsvSplitter({
    delimiter,
    onRecord: (record) => {
      if (readRow !== undefined) {
        report.records++;
        const item = readRow(record);
        if (item !== null) made.push(item);
      } else if (preamble.length < MAX_PREAMBLE_RECORDS) {
        const columns = readHeader(record.cells);
        if (listMissing(columns, needed).length > 0) {
          preamble.push(record.cells);
        } else {
          splitter.setWidth(record.cells.length);
          readRow = open(columns, preamble);
        }
      }
    },
    onProblem: (line, reason, isLost) => {
      // Above the header, all that matters is that no header was found.
      if (readRow !== undefined) noteRowProblem(report, line, reason, isLost);
    },
  });
  const source = watchEnd(chunks);
  for await (const lines of readLines(source.chunks, report)) {
    made = [];
    for (const line of lines) splitter.feed(line);
    yield made;
    if (readRow === undefined && preamble.length === MAX_PREAMBLE_RECORDS) break;
  }
  made = [];
  const isCut = splitter.finish(source.endsLine());
  if (isCut && readRow !== undefined) report.truncated = true;
  yield made;
  if (readRow === undefined) noteMissingColumns(report, preamble, needed);
}

/** For readers that keep what they read themselves. */
export async function drain(batches: AsyncGenerator<unknown>): Promise<void> {
  for (let step = await batches.next(); !step.done; step = await batches.next());
}

/** Rows that are lost are records too; the others are counted where they are read. */
export function noteRowProblem(report: LoadReport, line: number, reason: string, isLost: boolean): void {
  if (isLost) report.records++;
  if (isLost) noteBroken(report, `line ${line}`, reason);
  else noteProblem(report, `line ${line}`, `${reason} It was read as far as it goes.`);
}

export function readHeader(cells: string[]): Columns {
  const columns: Columns = new Map();
  for (const [position, cell] of cells.entries()) {
    // UTF-16 read as UTF-8 has a NUL beside every letter; its names would come out as single letters.
    const heading = cell.includes('\0') ? '' : normalizeHeading(cell);
    if (heading !== '' && !columns.has(heading)) columns.set(heading, position);
  }
  return columns;
}

function normalizeHeading(heading: string): string {
  return heading.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Position of the first of these columns that there is; -1, which no row has, when there is none. */
export function findColumn(columns: Columns, ...headings: string[]): number {
  for (const heading of headings) {
    const position = columns.get(normalizeHeading(heading));
    if (position !== undefined) return position;
  }
  return -1;
}

export function listMissing(columns: Columns, needed: string[]): string[] {
  return needed.filter((headings) => findColumn(columns, ...headings.split('|')) === -1);
}

function noteMissingColumns(report: LoadReport, preamble: string[][], needed: string[]): void {
  const missing = preamble
    .map((cells) => listMissing(readHeader(cells), needed))
    .reduce((fewest, list) => (list.length < fewest.length ? list : fewest), needed);
  const named = missing.map((headings) => headings.replaceAll('|', ' or ')).join(', ');
  noteProblem(report, 'header', `The header lacks these columns: ${named}.`);
}
