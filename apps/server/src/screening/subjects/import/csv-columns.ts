// Columns of a CSV file of subjects. Reads each row as a request.
import { splitIdentifier } from '@limen/screening';
import { createNameFinder, explainSome } from '../../../platform/names/name-finder.ts';
import { findOtherName, splitByEither, splitByOne } from '../../csv/layout.ts';
import { CsvError } from '../../csv/rows.ts';
import { MAX_IMPORT_COLUMNS } from '../../limits.ts';

/** Unknown columns that are named, and columns that may be a misspelled reference. */
const MAX_NAMED = 10;
const MAX_SEARCHED = 100;

const TEXTS = ['reference', 'schema', 'name', 'firstName', 'lastName', 'birthDate', 'dataset'] as const;
const PROSE = ['aliases', 'addresses'] as const;
const WORDS = ['countries', 'nationalities'] as const;

const NAMES = [...TEXTS, ...PROSE, ...WORDS, 'identifiers', 'scoreThreshold', 'callbackUrl'];

const findMeantName = createNameFinder(NAMES);

type ReadCell = (value: string) => Record<string, unknown>;
const COLUMNS = new Map<string, ReadCell>([
  ...TEXTS.map((name): [string, ReadCell] => [name.toLowerCase(), (value) => ({ [name]: value })]),
  ...PROSE.map((name): [string, ReadCell] => [name, (value) => ({ [name]: splitByOne(value) })]),
  ...WORDS.map((name): [string, ReadCell] => [name, (value) => ({ [name]: splitByEither(value) })]),
  ['identifiers', (value) => ({ identifiers: splitByEither(value).map(splitIdentifier) })],
  ['scorethreshold', (value) => ({ scoreThreshold: Number(value) })],
  ['callbackurl', (value) => ({ callback: { url: value } })],
]);

/** Returns the reader of each column of the file, if the column is known. */
export function readColumns(header: readonly string[]): (ReadCell | undefined)[] {
  if (header.length > MAX_IMPORT_COLUMNS)
    throw new CsvError(`The header row has ${header.length} columns; at most ${MAX_IMPORT_COLUMNS} are allowed.`);
  const names = listOwnNames(header);
  if (!names.includes('reference')) {
    const meant = header.slice(0, MAX_SEARCHED).find((name) => isName(name) && findMeantName(name) === 'reference');
    const hint = meant === undefined ? '' : ` It has ${meant.trim()}; did you mean that?`;
    throw new CsvError(
      `The header row has no column named reference, with your own name for each subject.${hint} Columns are ${NAMES.join(', ')}.`,
    );
  }
  const repeated = names.find((name, at) => COLUMNS.has(name) && names.indexOf(name) !== at);
  if (repeated !== undefined) throw new CsvError(`The header row has the column ${repeated} twice.`);
  return names.map((name) => COLUMNS.get(name));
}

/** Translates names of columns in files to screen, if no other column has the own name. */
function listOwnNames(header: readonly string[]): string[] {
  const names = header.map((name) => name.trim().toLowerCase());
  return names.map((name, at) => {
    const own = findOtherName(name);
    const isFree = own !== undefined && COLUMNS.has(own) && !names.includes(own) && names.indexOf(name) === at;
    return isFree ? own : name;
  });
}

/** Names the columns that are not read, with similar known ones. Returns undefined if there are none. */
export function describeUnknown(header: readonly string[]): string | undefined {
  const names = listOwnNames(header);
  const unknown = header.map((name) => name.trim()).filter((_, at) => !COLUMNS.has(names[at]!));
  if (unknown.length === 0) return undefined;
  const { explained } = explainSome(unknown, MAX_NAMED, (name) => {
    if (!isName(name)) return 'one without a usable name';
    const meant = findMeantName(name, (known) => names.includes(known.toLowerCase()));
    return meant === undefined ? name : `${name} (did you mean ${meant}?)`;
  });
  const more = unknown.length > MAX_NAMED ? ` and ${unknown.length - MAX_NAMED} more` : '';
  return `Columns that are not known were not read: ${explained.join(', ')}${more}. Known are ${NAMES.join(', ')}.`;
}

/** Returns whether a column is safe to name in a message. */
function isName(name: string): boolean {
  return /^[\p{L}\p{N}_ .-]{1,40}$/u.test(name.trim()) && name.trim() !== '';
}

export function readRow(cells: readonly string[], columns: readonly (ReadCell | undefined)[]) {
  if (cells.length > columns.length) return { problem: `has ${cells.length} cells, and the header ${columns.length}` };
  const parts = cells.map((cell, at) => (cell.trim() === '' ? {} : (columns[at]?.(cell.trim()) ?? {})));
  return { value: Object.assign({}, ...parts) };
}
