// What could never be found must not be taken for cleared.

import type { ScreeningSubject } from '@limen/contract';
import { readSubject as readForEngine, readQueryDate, type Subject } from '@limen/screening';
import { invalid } from '../../platform/base/errors.ts';
import { readSubject } from './read-subject.ts';

/** Refuses a subject without a name or identifier to search by, or with a date of birth that is none. */
export function requireScreenable(subject: Subject, where: string): void {
  if (subject.birthDate !== undefined && !readQueryDate(subject.birthDate))
    throw invalid(`${where}.birthDate`, 'must be a date, as YYYY-MM-DD, YYYY-MM or YYYY');
  const { queries, identifiers } = readForEngine(subject);
  if (identifiers.length === 0 && queries.every(({ query }) => query.names.length === 0))
    throw invalid(where, 'has neither a name nor an identifier that can be screened');
}

/** What of a subject that can be screened is left out, in sentences. */
export function warnOf(subject: Omit<ScreeningSubject, 'id'>): string[] {
  return readForEngine(readSubject(subject, 'subject')).warnings;
}
