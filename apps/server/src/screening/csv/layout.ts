// Reads the header row: which delimiter the file uses and where the wanted columns are.
import { SCREENING_COLUMNS, SCREENING_OPTIONAL_COLUMNS, type ScreeningOptionalColumn } from '@limen/contract';
import { MAX_HEADER_BYTES } from '../limits.ts';
import { CsvError, RowScanner, readCells } from './rows.ts';

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;
const DELIMITERS = [',', ';', '\t'].map((text) => text.charCodeAt(0));

export interface CsvLayout {
  delimiter: number;
  /** Columns of the header row. */
  width: number;
  /** Where `id`, `firstname`, `lastname` and `dob` are; the first of several columns with one name counts. */
  columns: readonly number[];
  /** Places of the optional columns that are read; undefined if there are none. */
  more?: Readonly<Partial<Record<ScreeningOptionalColumn, number>>> | undefined;
}

export interface CsvHead {
  layout: CsvLayout;
  /** Where the rows begin, and the line that is. */
  start: number;
  line: number;
  /** Notes about the header row for the caller. */
  warnings: readonly string[];
}

export interface ReadColumns {
  /** Whether the optional columns are read. */
  extended: boolean;
}

/** `head` begins the file and holds at least its header row, or `MAX_HEADER_BYTES`, or all of it. */
export function readLayout(head: Uint8Array, { extended }: ReadColumns): CsvHead {
  const skip = BYTE_ORDER_MARK.every((byte, index) => head[index] === byte) ? BYTE_ORDER_MARK.length : 0;
  const bytes = head.subarray(skip, skip + MAX_HEADER_BYTES);
  let broken: CsvError | undefined;
  let readable = false;
  let missing: readonly string[] = SCREENING_COLUMNS;
  let seen: readonly string[] = [];
  for (const delimiter of DELIMITERS) {
    try {
      const header = findHeaderRow(bytes, delimiter);
      readable = true;
      const names = header ? readNames(bytes.subarray(header.start, header.end), delimiter) : [];
      const columns = SCREENING_COLUMNS.map((column) => names.indexOf(column));
      const absent = SCREENING_COLUMNS.filter((_, at) => columns[at] === -1);
      const isNearer =
        absent.length < missing.length || (absent.length === missing.length && names.length > seen.length);
      if (isNearer) [missing, seen] = [absent, names];
      if (!header || absent.length > 0) continue;
      const optional = extended ? SCREENING_OPTIONAL_COLUMNS.filter((column) => names.includes(column)) : [];
      const more = Object.fromEntries(optional.map((column) => [column, names.indexOf(column)]));
      const layout = { delimiter, width: names.length, columns, ...(optional.length > 0 && { more }) };
      return { layout, start: skip + header.end, line: header.endLine, warnings: warnOfColumns(names, extended) };
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      broken ??= error;
    }
  }
  throw (!readable && broken) || missingHeaders(missing, seen, extended);
}

function warnOfColumns(names: readonly string[], extended: boolean): string[] {
  const warnings: string[] = [];
  const read: readonly string[] = extended ? [...SCREENING_COLUMNS, ...SCREENING_OPTIONAL_COLUMNS] : SCREENING_COLUMNS;
  const repeated = read.filter((column) => names.indexOf(column) !== names.lastIndexOf(column));
  if (repeated.length > 0)
    warnings.push(`The header row names more than once: ${repeated.join(', ')}; the first such column was read.`);
  const there = SCREENING_OPTIONAL_COLUMNS.filter((column) => names.includes(column));
  if (!extended && there.length > 0)
    warnings.push(
      `Ignored columns: ${there.join(', ')}. They are compared only with \`columns=extended\` (\`limen screen --extended\`).`,
    );
  // An import of subjects calls some columns otherwise.
  const misnamed = SCREENING_OPTIONAL_COLUMNS.filter((column) => extended && !names.includes(column)).flatMap(
    (called) => {
      const given = otherNameOf(called);
      return given !== undefined && names.includes(given) ? [`${given} (here it is called ${called})`] : [];
    },
  );
  if (misnamed.length > 0) warnings.push(`Not read: ${misnamed.join(', ')}.`);
  return warnings;
}

function missingHeaders(missing: readonly string[], seen: readonly string[], extended: boolean): CsvError {
  const needed = `needs the columns ${SCREENING_COLUMNS.join(', ')}, separated by comma, semicolon or tab`;
  const meant = missing.flatMap((column) => {
    const other = otherNameOf(column);
    return other !== undefined && seen.includes(other) ? [` Here ${other} is called ${column}.`] : [];
  });
  // Whoever has whole names has nothing to put into the other columns, and yet they belong into the header.
  const beside = extended && seen.includes('name') ? ' Beside name they may be empty, but they must be there.' : '';
  return new CsvError(
    'Missing required CSV headers',
    `The header row lacks ${missing.join(', ')}; it ${needed}.${beside}${meant.join('')}`,
  );
}

interface HeaderRow {
  start: number;
  end: number;
  /** The line that it ends on. */
  endLine: number;
}

function findHeaderRow(bytes: Uint8Array, delimiter: number): HeaderRow | undefined {
  let found: HeaderRow | undefined;
  const scanner: RowScanner = new RowScanner(delimiter, (start, end) => {
    found ??= { start, end, endLine: scanner.line };
  });
  // By the line: behind the header there is no reason to go on, and what is broken there is not the header's fault.
  for (let from = 0; from < bytes.length && !found; ) {
    const lineEnd = endOfLine(bytes, from);
    scanner.scan(bytes.subarray(from, lineEnd));
    from = lineEnd;
  }
  if (!found && (bytes.length < MAX_HEADER_BYTES || scanner.insideQuotes)) scanner.finish();
  return found;
}

function endOfLine(bytes: Uint8Array, from: number): number {
  for (let index = from; index < bytes.length; index += 1) {
    if (bytes[index] === 0x0a || bytes[index] === 0x0d) return index + 1;
  }
  return bytes.length;
}

function readNames(row: Uint8Array, delimiter: number): string[] {
  let names: string[] = [];
  readCells(row, delimiter, (cells) => {
    names = cells.map((cell) => cell.trim().toLowerCase());
  });
  return names;
}

/** By the name in files of subjects, the one in files that are screened. */
const IN_SCREENED_FILES = {
  reference: 'id',
  birthDate: 'dob',
  countries: 'country',
  nationalities: 'nationality',
  identifiers: 'identifier',
  addresses: 'address',
} as const;

const PAIRS = Object.entries(IN_SCREENED_FILES).map(([one, other]) => [one.toLowerCase(), other] as const);
const OTHER_NAMES = new Map<string, string>([...PAIRS, ...PAIRS.map(([one, other]) => [other, one] as const)]);

/** In small letters, as headers are compared; undefined where both kinds call it the same. */
export function otherNameOf(column: string): string | undefined {
  return OTHER_NAMES.get(column.toLowerCase());
}

/** By either mark: for what has neither within a value, such as a number or a country. */
export function splitByEither(cell: string): string[] {
  return withoutEmpty(cell.split(/[|;]/));
}

/** By `|`; by `;` only where there is none, so that a value may have a semicolon in it. */
export function splitByOne(cell: string): string[] {
  return withoutEmpty(cell.split(cell.includes('|') ? '|' : ';'));
}

function withoutEmpty(values: readonly string[]): string[] {
  return values.map((value) => value.trim()).filter((value) => value !== '');
}
