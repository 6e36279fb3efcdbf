// The columns of a CSV file of subjects, and a row of it as the request that it stands for.
import { CsvError } from '../../screening/csv/rows.ts';

/** Between several values of one cell. */
const SEPARATOR = '|';

const TEXTS = ['reference', 'schema', 'name', 'firstName', 'lastName', 'birthDate', 'dataset'] as const;
const LISTS = ['aliases', 'countries', 'nationalities', 'addresses'] as const;

type Read = (value: string) => Record<string, unknown>;
const COLUMNS = new Map<string, Read>([
  ...TEXTS.map((name): [string, Read] => [name.toLowerCase(), (value) => ({ [name]: value })]),
  ...LISTS.map((name): [string, Read] => [name.toLowerCase(), (value) => ({ [name]: split(value) })]),
  ['identifiers', (value) => ({ identifiers: split(value).map(readIdentifier) })],
  ['scorethreshold', (value) => ({ scoreThreshold: Number(value) })],
  ['callbackurl', (value) => ({ callback: { url: value } })],
]);

/** For each column of the file what it says; a column that is not known says nothing. */
export function readColumns(header: readonly string[]): (Read | undefined)[] {
  const names = header.map((name) => name.trim().toLowerCase());
  if (!names.includes('reference')) throw new CsvError('The header row has no column named reference.');
  const twice = names.find((name, at) => COLUMNS.has(name) && names.indexOf(name) !== at);
  if (twice !== undefined) throw new CsvError(`The header row has the column ${twice} twice.`);
  return names.map((name) => COLUMNS.get(name));
}

/** An empty cell is as good as none. */
export function readRow(
  cells: readonly string[],
  columns: readonly (Read | undefined)[],
): { value: unknown } | { problem: string } {
  if (cells.length > columns.length) return { problem: `has ${cells.length} cells, and the header ${columns.length}` };
  const parts = cells.map((cell, at) => (cell.trim() === '' ? {} : (columns[at]?.(cell.trim()) ?? {})));
  return { value: Object.assign({}, ...parts) };
}

function split(value: string): string[] {
  const parts = value.split(SEPARATOR).map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

/** `passportNumber:N123`, or the value alone. */
function readIdentifier(text: string): { kind?: string; value: string } {
  const [, kind, value] = /^([A-Za-z]+):(.+)$/.exec(text) ?? [];
  return kind !== undefined && value !== undefined ? { kind, value: value.trim() } : { value: text };
}
