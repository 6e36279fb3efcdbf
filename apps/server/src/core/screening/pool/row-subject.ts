// What a row tells besides name and date of birth, in the optional columns.
import type { ScreeningOptionalColumn } from '@limen/contract';
import { findSchema, isIdentifierKind, type Subject, type SubjectIdentifier } from '@limen/screening';
import type { CsvLayout } from '../csv/layout.ts';

export type MoreOfRow = Partial<Record<ScreeningOptionalColumn, string>>;

export interface RowSubject {
  subject: Subject;
  warnings: string[];
}

/** Of one cell, and characters of each; what a crafted row costs grows with them. */
const VALUES_MAX = 20;
const LONGEST_VALUE = 500;

/** Undefined where the row tells nothing more: then it is screened as in a file without those columns. */
export function readMore(cells: readonly string[], { more }: CsvLayout): MoreOfRow | undefined {
  if (!more) return undefined;
  const told = Object.entries(more).flatMap(([column, place]) => {
    const text = cells[place]?.trim() ?? '';
    return text === '' ? [] : [[column, text] as const];
  });
  return told.length > 0 ? Object.fromEntries(told) : undefined;
}

export function subjectOfRow(
  { firstname, lastname, dob }: { firstname: string; lastname: string; dob: string },
  more: MoreOfRow,
): RowSubject {
  const warnings: string[] = [];
  const valuesOf = (column: ScreeningOptionalColumn) => {
    const all = (more[column] ?? '').split(';').map((value) => value.trim());
    const values = all.filter((value) => value !== '' && value.length <= LONGEST_VALUE);
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
    identifiers: valuesOf('identifier').map(readIdentifier),
    addresses: valuesOf('address'),
  };
  return { subject, warnings };
}

/** `imoNumber:9074729`, or the number alone. A colon may be part of it: only a kind before it is one. */
function readIdentifier(text: string): SubjectIdentifier {
  const [, kind = '', value = ''] = /^(\w+):(.+)$/.exec(text) ?? [];
  return isIdentifierKind(kind) ? { kind, value: value.trim() } : { value: text };
}
