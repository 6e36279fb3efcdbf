// Reads CSV files with rows of a fixed width, or with a header.
import { type LoadReport, noteBroken, noteProblem, watchEnd } from './load-report.ts';
import type { Chunks } from './read-blocks.ts';
import { readLines } from './read-lines.ts';
import { type CsvOptions, type CsvRecord, CsvSplitter } from './split-csv.ts';

/** Maximum number of records above the header. Some publishers put a date or a title there. */
const MAX_PREAMBLE_RECORDS = 5;

/** Position of each column by its heading in lower-case letters and digits. */
export type Columns = Map<string, number>;

export interface RowsOptions<T> {
  delimiter: string;
  width: number;
  /** Converts a row, or returns null to skip it. */
  read(row: CsvRecord): T | null;
  onProblem: CsvOptions['onProblem'];
}

export interface TableOptions<T> {
  delimiter: string;
  /** Required headings. `A|B` accepts either. */
  needed: string[];
  /** Called once with the header and the records above it. Returns the row reader. */
  open(columns: Columns, preamble: string[][]): RowsOptions<T>['read'];
}

/** Yields the results of each block's rows. */
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

/** If required columns are missing, reports one problem and reads nothing. */
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
      // Problems above the header do not matter, except that no header was found.
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

/** Runs a generator to its end, for readers that store results themselves. */
export async function drain(batches: AsyncGenerator<unknown>): Promise<void> {
  for (let step = await batches.next(); !step.done; step = await batches.next());
}

/** Lost rows count as records; other rows are counted where they are read. */
export function noteRowProblem(report: LoadReport, line: number, reason: string, isLost: boolean): void {
  if (isLost) report.records++;
  if (isLost) noteBroken(report, `line ${line}`, reason);
  else noteProblem(report, `line ${line}`, `${reason} It was read as far as it goes.`);
}

export function readHeader(cells: string[]): Columns {
  const columns: Columns = new Map();
  for (const [position, cell] of cells.entries()) {
    // UTF-16 read as UTF-8 has a NUL next to every letter. Names would become single letters.
    const heading = cell.includes('\0') ? '' : normalizeHeading(cell);
    if (heading !== '' && !columns.has(heading)) columns.set(heading, position);
  }
  return columns;
}

function normalizeHeading(heading: string): string {
  return heading.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Returns the position of the first existing column, or -1, which no row has. */
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
