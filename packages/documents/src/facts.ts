// Reduces a document to its type, country and date of birth, or the reason for rejecting it.

import type { DocumentType } from '@limen/plan';
import type { ParsedLicense } from './aamva/parse-licence.ts';
import { ageOn, compareDays, getFirstDay, isOver, type PartialDate, readToday } from './dates/partial-date.ts';
import type { ParsedZone } from './mrz/parse-zone.ts';

export interface DocumentFacts {
  type: DocumentType;
  country: string | null;
  birth: PartialDate;
}

export type DocumentProblem = 'expired' | 'unreadable' | 'check_digit' | 'no_birth_date' | 'no_face' | 'unusable_file';

/** No one has lived longer than 122 years, so older people are misread or dead. */
const OLDEST_YEARS = 130;

/** A missing date of birth comes first, because retrying with the same document is useless. */
export function judgeDocument(read: ParsedZone | ParsedLicense, today: string): DocumentFacts | DocumentProblem {
  const { type, country, birth, expiry } = read;
  if (!birth) return 'no_birth_date';
  if (compareDays(getFirstDay(birth), readToday(today)) > 0 || ageOn(birth, today) > OLDEST_YEARS) return 'unreadable';
  if (expiry && isOver(expiry, today)) return 'expired';
  return { type, country, birth };
}
