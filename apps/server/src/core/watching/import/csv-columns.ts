// The columns of a CSV file of subjects, and a row of it as the request that it stands for.
import { findClosestName } from '../../../platform/closest-name.ts';
import { CsvError } from '../../screening/csv/rows.ts';
import { splitIdentifier } from '../../screening/identifier-text.ts';

/** Between several values of one cell. */
const SEPARATOR = '|';

/** As many unknown columns are named. */
const UNKNOWN_TOLD = 10;

const TEXTS = ['reference', 'schema', 'name', 'firstName', 'lastName', 'birthDate', 'dataset'] as const;
const LISTS = ['aliases', 'countries', 'nationalities', 'addresses'] as const;

const NAMES = [...TEXTS, ...LISTS, 'identifiers', 'scoreThreshold', 'callbackUrl'];

type Read = (value: string) => Record<string, unknown>;
const COLUMNS = new Map<string, Read>([
  ...TEXTS.map((name): [string, Read] => [name.toLowerCase(), (value) => ({ [name]: value })]),
  ...LISTS.map((name): [string, Read] => [name.toLowerCase(), (value) => ({ [name]: split(value) })]),
  ['identifiers', (value) => ({ identifiers: split(value).map(splitIdentifier) })],
  ['scorethreshold', (value) => ({ scoreThreshold: Number(value) })],
  ['callbackurl', (value) => ({ callback: { url: value } })],
]);

/** For each column of the file what it says; a column that is not known says nothing. */
export function readColumns(header: readonly string[]): (Read | undefined)[] {
  const names = header.map((name) => name.trim().toLowerCase());
  if (!names.includes('reference')) {
    const meant = header.find((name) => isName(name) && findClosestName(name, NAMES) === 'reference');
    const hint = meant === undefined ? '' : ` It has ${meant.trim()}; did you mean that?`;
    throw new CsvError(
      `The header row has no column named reference, with your own name for each subject.${hint} Columns are ${NAMES.join(', ')}.`,
    );
  }
  const twice = names.find((name, at) => COLUMNS.has(name) && names.indexOf(name) !== at);
  if (twice !== undefined) throw new CsvError(`The header row has the column ${twice} twice.`);
  return names.map((name) => COLUMNS.get(name));
}

/** Names the columns that are not read, and which ones may have been meant; undefined where there are none. */
export function describeUnknown(header: readonly string[]): string | undefined {
  const unknown = header.map((name) => name.trim()).filter((name) => !COLUMNS.has(name.toLowerCase()));
  if (unknown.length === 0) return undefined;
  const told = unknown.slice(0, UNKNOWN_TOLD).map((name) => {
    const meant = isName(name) ? findClosestName(name, NAMES) : undefined;
    return `${isName(name) ? name : 'one without a usable name'}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
  });
  const more = unknown.length > UNKNOWN_TOLD ? ` and ${unknown.length - UNKNOWN_TOLD} more` : '';
  return `Columns that are not known were not read: ${told.join(', ')}${more}. Known are ${NAMES.join(', ')}.`;
}

/** Anything may stand in a header row; what is told again looks like a name. */
function isName(name: string): boolean {
  return /^[\p{L}\p{N}_ .-]{1,40}$/u.test(name.trim()) && name.trim() !== '';
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
