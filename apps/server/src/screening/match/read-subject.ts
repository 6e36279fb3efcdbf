// A subject as clients write it, for the engine.
import { type ScreeningSubject, SUBJECT_SCHEMAS } from '@limen/contract';
import {
  findIdentifierKind,
  IDENTIFIER_KINDS,
  readSubject as readForEngine,
  readQueryDate,
  type Subject,
} from '@limen/screening';
import { invalid } from '../../platform/base/errors.ts';

/** `where` is its path in error messages. */
export function readSubject(subject: ScreeningSubject, where: string): Subject {
  const { schema, name, firstName = '', lastName = '', aliases = [], birthDate } = subject;
  const { countries = [], nationalities = [], identifiers = [], addresses = [] } = subject;
  const person = firstName + lastName === '' ? undefined : { firstName, lastName };
  if (name === undefined && !person && aliases.length === 0 && identifiers.length === 0)
    throw invalid(where, 'needs a name (or firstName and lastName), or an identifier');
  if (name !== undefined && person)
    throw invalid(where, 'has name as well as firstName or lastName; send one of them, and others as aliases');
  return {
    schema,
    names: [...(name === undefined ? [] : [name]), ...aliases],
    person,
    birthDate,
    countries: [...nationalities, ...countries],
    identifiers: identifiers.map(({ kind, value }, place) => {
      const found = kind === undefined ? undefined : findIdentifierKind(kind);
      if (kind === undefined || found !== undefined) return { kind: found, value };
      const known = Object.keys(IDENTIFIER_KINDS).join(', ');
      throw invalid(`${where}.identifiers.${place}.kind`, `must be one of ${known}, or left out`);
    }),
    addresses,
  };
}

/**
 * Refuses a subject without a name or identifier to search by, or with an invalid date of birth.
 */
export function requireScreenable(subject: Subject, where: string): void {
  if (subject.birthDate !== undefined && !readQueryDate(subject.birthDate))
    throw invalid(`${where}.birthDate`, 'must be a date, as YYYY-MM-DD, YYYY-MM or YYYY');
  const { queries, identifiers } = readForEngine(subject);
  if (identifiers.length === 0 && queries.every(({ query }) => query.names.length === 0))
    throw invalid(where, 'has neither a name nor an identifier that can be screened');
}

/** Returns a sentence for each part of a screenable subject that the screening ignores. */
export function listWarnings(subject: Omit<ScreeningSubject, 'id'>): string[] {
  return readForEngine(readSubject(subject, 'subject')).warnings;
}

const byLetters = new Map<string, string>(SUBJECT_SCHEMAS.map((schema) => [schema.toLowerCase(), schema]));

/** Normalizes the schema before validation, which refuses invalid subjects and schemas. */
export function normalizeSchema(sent: unknown): void {
  if (typeof sent !== 'object' || sent === null || !('schema' in sent) || typeof sent.schema !== 'string') return;
  sent.schema = byLetters.get(sent.schema.toLowerCase()) ?? sent.schema;
}

/** Normalizes the schema of each subject in a call. */
export function spellSchemas(sent: unknown): void {
  if (typeof sent !== 'object' || sent === null || !('subjects' in sent) || !Array.isArray(sent.subjects)) return;
  sent.subjects.forEach(normalizeSchema);
}
