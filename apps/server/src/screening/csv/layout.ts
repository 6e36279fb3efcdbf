// Reads from the header row which delimiter a file uses and where its columns are.
import { SCREENING_COLUMNS, SCREENING_OPTIONAL_COLUMNS, type ScreeningOptionalColumn } from '@limen/contract';
import { MAX_HEADER_BYTES } from '../limits.ts';
import { CsvError, RowScanner, splitCells } from './rows.ts';

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;
const DELIMITERS = [',', ';', '\t'].map((text) => text.charCodeAt(0));

export interface CsvLayout {
  delimiter: number;
  width: number;
  /** Places of `id`, `firstname`, `lastname` and `dob`. The first of several columns with one name counts. */
  columns: readonly number[];
  more?: Readonly<Partial<Record<ScreeningOptionalColumn, number>>> | undefined;
}

export interface ReadColumns {
  extended: boolean;
}

export type CsvHead = ReturnType<typeof readLayout>;

/** `head` begins the file and holds at least its header row, or `MAX_HEADER_BYTES`, or all of it. */
export function readLayout(head: Uint8Array, { extended }: ReadColumns) {
  const skip = BYTE_ORDER_MARK.every((byte, index) => head[index] === byte) ? BYTE_ORDER_MARK.length : 0;
  const bytes = head.subarray(skip, skip + MAX_HEADER_BYTES);
  let broken: CsvError | undefined;
  let isReadable = false;
  let missing: readonly string[] = SCREENING_COLUMNS;
  let seen: readonly string[] = [];
  for (const delimiter of DELIMITERS) {
    try {
      const header = findHeaderRow(bytes, delimiter);
      isReadable = true;
      const cells = header ? splitCells(bytes.subarray(header.start, header.end), delimiter) : [];
      const names = cells.map((cell) => cell.trim().toLowerCase());
      const columns = SCREENING_COLUMNS.map((column) => names.indexOf(column));
      const absent = SCREENING_COLUMNS.filter((_, at) => columns[at] === -1);
      const isNearer =
        absent.length < missing.length || (absent.length === missing.length && names.length > seen.length);
      if (isNearer) [missing, seen] = [absent, names];
      if (!header || absent.length > 0) continue;
      const optional = extended ? SCREENING_OPTIONAL_COLUMNS.filter((column) => names.includes(column)) : [];
      const more = Object.fromEntries(optional.map((column) => [column, names.indexOf(column)]));
      const layout: CsvLayout = { delimiter, width: names.length, columns, ...(optional.length > 0 && { more }) };
      return { layout, start: skip + header.end, line: header.endLine, warnings: warnOfColumns(names, extended) };
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      broken ??= error;
    }
  }
  throw (!isReadable && broken) || missingHeaders(missing, seen, extended);
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
  // Some columns have other names in an import of subjects.
  const absent = SCREENING_OPTIONAL_COLUMNS.filter((column) => extended && !names.includes(column));
  const misnamed = absent.flatMap((column) => {
    const otherName = findOtherName(column);
    return otherName !== undefined && names.includes(otherName) ? [`${otherName} (here it is called ${column})`] : [];
  });
  if (misnamed.length > 0) warnings.push(`Not read: ${misnamed.join(', ')}.`);
  return warnings;
}

function missingHeaders(missing: readonly string[], seen: readonly string[], extended: boolean): CsvError {
  const needed = `needs the columns ${SCREENING_COLUMNS.join(', ')}, separated by comma, semicolon or tab`;
  const meant = missing.flatMap((column) => {
    const otherName = findOtherName(column);
    return otherName !== undefined && seen.includes(otherName) ? [` Here ${otherName} is called ${column}.`] : [];
  });
  const beside = extended && seen.includes('name') ? ' Beside name they may be empty, but they must be there.' : '';
  return new CsvError(
    'Missing required CSV headers',
    `The header row lacks ${missing.join(', ')}; it ${needed}.${beside}${meant.join('')}`,
  );
}

function findHeaderRow(bytes: Uint8Array, delimiter: number) {
  let found: { start: number; end: number; endLine: number } | undefined;
  const scanner: RowScanner = new RowScanner(delimiter, (start, end) => {
    found ??= { start, end, endLine: scanner.line };
  });
  try {
    scanner.scan(bytes);
    if (!found && (bytes.length < MAX_HEADER_BYTES || scanner.insideQuotes)) scanner.finish();
  } catch (error) {
    if (!found) throw error; // later rows do not matter here
  }
  return found;
}

const IN_SCREENED_FILES = {
  reference: 'id',
  birthDate: 'dob',
  countries: 'country',
  nationalities: 'nationality',
  identifiers: 'identifier',
  addresses: 'address',
} as const;

const PAIRS = Object.entries(IN_SCREENED_FILES).map(([ofSubjects, screened]) => [ofSubjects.toLowerCase(), screened]);
const OTHER_NAMES = new Map(PAIRS.flatMap(([a = '', b = '']) => [[a, b] as const, [b, a] as const]));

/** Returns the column's name in the other kind of file, in lower case; undefined if both have the same. */
export function findOtherName(column: string): string | undefined {
  return OTHER_NAMES.get(column.toLowerCase());
}

/** Splits values that cannot hold a mark, such as numbers or countries. */
export function splitByEither(cell: string): string[] {
  return withoutEmpty(cell.split(/[|;]/));
}

/** Splits by `|`, or by `;` if there is none, so that a value may hold a semicolon. */
export function splitByOne(cell: string): string[] {
  return withoutEmpty(cell.split(cell.includes('|') ? '|' : ';'));
}

function withoutEmpty(values: readonly string[]): string[] {
  return values.map((value) => value.trim()).filter((value) => value !== '');
}
