// What a row tells besides name and date of birth, in the optional columns.
import type { ScreeningOptionalColumn } from '@limen/contract';
import { findSchema, hasNumberInName, type Subject, type SubjectIdentifier } from '@limen/screening';
import { splitByEither } from '../csv/cell-values.ts';
import type { CsvLayout } from '../csv/layout.ts';
import { findIdentifierKind, splitIdentifier } from '../identifier-text.ts';

export type MoreOfRow = Partial<Record<ScreeningOptionalColumn, string>>;

export interface RowSubject {
  subject: Subject;
  warnings: string[];
}

/** Of one cell, and characters of each; what a crafted row costs grows with them. */
const VALUES_MAX = 20;
const LONGEST_VALUE = 500;

const UNKNOWN_KIND =
  'What stands before the colon of an identifier is no kind that is known (such as passport or imo); it was compared with it.';

/**
 * Undefined where the row tells nothing more: then it is screened as in a file without those columns. The number of a ship
 * in its name is something more, though no column holds it.
 */
export function readMore(cells: readonly string[], { columns, more = {} }: CsvLayout): MoreOfRow | undefined {
  const told = Object.entries(more).flatMap(([column, place]) => {
    const text = cells[place]?.trim() ?? '';
    return text === '' ? [] : [[column, text] as const];
  });
  if (told.length > 0) return Object.fromEntries(told);
  const [, firstName = '', lastName = '', birthDate = ''] = columns.map((column) => cells[column] ?? '');
  return hasNumberInName({ firstName, lastName, birthDate }) ? {} : undefined;
}

export function subjectOfRow(
  { firstname, lastname, dob }: { firstname: string; lastname: string; dob: string },
  more: MoreOfRow,
): RowSubject {
  const warnings: string[] = [];
  const valuesOf = (column: ScreeningOptionalColumn) => {
    const all = splitByEither(more[column] ?? '');
    const values = all.filter((value) => value.length <= LONGEST_VALUE);
    if (all.some((value) => value.length > LONGEST_VALUE))
      warnings.push(`A value of ${column} has more than ${LONGEST_VALUE} characters and was not compared.`);
    if (values.length > VALUES_MAX)
      warnings.push(`There are more than ${VALUES_MAX} values of ${column}; the first ${VALUES_MAX} were compared.`);
    return values.slice(0, VALUES_MAX);
  };
  const schema = findSchema(more.schema ?? '');
  if (more.schema !== undefined && schema === undefined)
    warnings.push(
      'The schema is none that is known (such as Person, Company or Vessel); screened as if it were empty.',
    );
  const subject = {
    schema,
    names: valuesOf('name'),
    person: (firstname + lastname).trim() === '' ? undefined : { firstName: firstname, lastName: lastname },
    birthDate: dob,
    countries: [...valuesOf('nationality'), ...valuesOf('country')],
    identifiers: valuesOf('identifier').map((text) => readIdentifier(text, warnings)),
    addresses: valuesOf('address'),
  };
  return { subject, warnings: [...new Set(warnings)] };
}

/** A colon may be part of a number, so one behind a kind that is not known is compared as it is. */
function readIdentifier(text: string, warnings: string[]): SubjectIdentifier {
  const { kind, value } = splitIdentifier(text);
  const found = findIdentifierKind(kind ?? '');
  if (found !== undefined) return { kind: found, value };
  if (kind !== undefined) warnings.push(UNKNOWN_KIND);
  return { value: text };
}
