// Reads the optional columns of a row into a subject.
import type { ScreeningOptionalColumn } from '@limen/contract';
import {
  findIdentifierKind,
  findSchema,
  hasNumberInName,
  type Subject,
  type SubjectIdentifier,
  splitIdentifier,
} from '@limen/screening';
import { type CsvLayout, splitByEither } from '../csv/layout.ts';
import { MAX_CELL_VALUE_LENGTH, MAX_CELL_VALUES } from '../limits.ts';

export type OptionalCells = Partial<Record<ScreeningOptionalColumn, string>>;

export interface RowSubject {
  subject: Subject;
  warnings: string[];
}

/** Maximum number of unknown kinds in a warning, and of characters of each */
const KINDS_NAMED = 5;
const LONGEST_KIND = 40;

/** Returns undefined for a row without optional values, unless its name holds the number of a ship. */
export function readMore(cells: readonly string[], { columns, more = {} }: CsvLayout): OptionalCells | undefined {
  const filled = Object.entries(more)
    .map(([column, place]) => [column, cells[place]?.trim() ?? ''] as const)
    .filter(([, text]) => text !== '');
  if (filled.length > 0) return Object.fromEntries(filled);
  const [, firstName = '', lastName = '', birthDate = ''] = columns.map((column) => cells[column] ?? '');
  return hasNumberInName({ firstName, lastName, birthDate }) ? {} : undefined;
}

export function subjectOfRow(
  { firstname, lastname, dob }: { firstname: string; lastname: string; dob: string },
  more: OptionalCells,
): RowSubject {
  const warnings: string[] = [];
  const valuesOf = (column: ScreeningOptionalColumn) => {
    const all = splitByEither(more[column] ?? '');
    const values = all.filter((value) => value.length <= MAX_CELL_VALUE_LENGTH);
    if (all.some((value) => value.length > MAX_CELL_VALUE_LENGTH))
      warnings.push(`A value of ${column} has more than ${MAX_CELL_VALUE_LENGTH} characters and was not compared.`);
    if (values.length > MAX_CELL_VALUES)
      warnings.push(
        `There are more than ${MAX_CELL_VALUES} values of ${column}; the first ${MAX_CELL_VALUES} were compared.`,
      );
    return values.slice(0, MAX_CELL_VALUES);
  };
  const schema = findSchema(more.schema ?? '');
  if (more.schema !== undefined && schema === undefined)
    warnings.push(
      'The schema is none that is known (such as Person, Company or Vessel); screened as if it were empty.',
    );
  const hasPersonName = (firstname + lastname).trim() !== '';
  if (hasPersonName && schema !== undefined && schema !== 'Person' && schema !== 'LegalEntity')
    warnings.push(
      `The row has a first or last name and the schema ${schema}: it was not compared with people. Is the schema right?`,
    );
  const subject = {
    schema,
    names: valuesOf('name'),
    person: !hasPersonName ? undefined : { firstName: firstname, lastName: lastname },
    birthDate: dob,
    countries: [...valuesOf('nationality'), ...valuesOf('country')],
    identifiers: readIdentifiers(valuesOf('identifier'), warnings),
    addresses: valuesOf('address'),
  };
  return { subject, warnings: [...new Set(warnings)] };
}

/** Compares an identifier with an unknown kind as it is written, because a colon may be part of a number. */
function readIdentifiers(texts: readonly string[], warnings: string[]): SubjectIdentifier[] {
  const unknown = new Set<string>();
  const identifiers = texts.map((text) => {
    const { kind, value } = splitIdentifier(text);
    const found = findIdentifierKind(kind ?? '');
    if (found !== undefined) return { kind: found, value };
    if (kind !== undefined) unknown.add(kind.slice(0, LONGEST_KIND));
    return { value: text };
  });
  if (unknown.size > 0) {
    const named = [...[...unknown].slice(0, KINDS_NAMED), ...(unknown.size > KINDS_NAMED ? ['…'] : [])].join(', ');
    warnings.push(
      `Kinds of identifiers that are not known: ${named}; known are passport, imo and others. Such an identifier was compared as it is written, with the word before its colon.`,
    );
  }
  return identifiers;
}
