// What leaves the place where a document is read: its type, its country and the date of birth, or why it will not do.

import type { DocumentType } from '@limen/plan';
import type { ParsedLicence } from './aamva/parse-licence.ts';
import { ageOn, compareDays, firstDayOf, isOver, type PartialDate, readToday } from './dates/partial-date.ts';
import type { ParsedZone } from './mrz/parse-zone.ts';

export interface DocumentFacts {
  type: DocumentType;
  country: string | null;
  birth: PartialDate;
}

export type DocumentProblem = 'expired' | 'unreadable' | 'check_digit' | 'no_birth_date' | 'no_face' | 'unusable_file';

/** Nobody has lived longer than 122 years: what says so was misread, or is no document of somebody alive. */
const OLDEST_YEARS = 130;

/** Without a date of birth another try with the same document is in vain, valid or not: that is said first. */
export function judgeDocument(read: ParsedZone | ParsedLicence, today: string): DocumentFacts | DocumentProblem {
  const { type, country, birth, expiry } = read;
  if (!birth) return 'no_birth_date';
  if (compareDays(firstDayOf(birth), readToday(today)) > 0 || ageOn(birth, today) > OLDEST_YEARS) return 'unreadable';
  if (expiry && isOver(expiry, today)) return 'expired';
  return { type, country, birth };
}
