// A row to screen, read once: the parts of its name, its date of birth, and what was wrong with it.
import { type QueryDate, readQueryDate } from '../dates/query-date.ts';
import { foldName } from '../names/fold-name.ts';
import { namedParts } from '../names/named-parts.ts';
import { classifyPart, TOKEN_BUSINESS } from '../names/part-class.ts';

export interface PersonRow {
  firstName: string;
  lastName: string;
  birthDate: string;
}

export interface QueryPart {
  text: string;
  vowelless: boolean;
  /** As it was written in the row. */
  written: string;
  /** Where it stood in the row, for the explanation: searching does not care. */
  place: number;
  /** A Chinese or Korean character, of which several sound the same. */
  syllabic: boolean;
}

export interface Query {
  parts: QueryPart[];
  date: QueryDate | undefined;
  /** Whether it can only be a person; a name alone may also be an organisation's. */
  personal: boolean;
  warnings: string[];
}

/** More parts than any name has; what a crafted row costs grows with them. */
const MAX_QUERY_PARTS = 12;
/** `bin` may come three times in a name; what comes more often is no name. */
const MAX_REPEATS = 4;

export function readQuery({ firstName, lastName, birthDate }: PersonRow): Query {
  const warnings: string[] = [];
  const written = [...readParts(firstName), ...readParts(lastName)];
  const parts = dropRepeats(namedParts(written)).map((part, place) => ({ ...part, place }));
  if (parts.length > MAX_QUERY_PARTS) {
    warnings.push(`The name has more than ${MAX_QUERY_PARTS} parts; the first ${MAX_QUERY_PARTS} were screened.`);
  }
  if (parts.length === 0) warnings.push('The row has no name that can be screened.');
  const date = readQueryDate(birthDate);
  if (date === null) warnings.push('The date of birth is not a date (YYYY-MM-DD); screened on the name alone.');
  const bothNames = firstName.trim() !== '' && lastName.trim() !== '';
  const business = parts.some(({ text, vowelless }) => (classifyPart(text, vowelless) & TOKEN_BUSINESS) !== 0);
  return {
    parts: parts.slice(0, MAX_QUERY_PARTS),
    date: date ?? undefined,
    personal: date !== undefined && date !== null ? true : bothNames && !business,
    warnings,
  };
}

function readParts(text: string): QueryPart[] {
  return foldName(text).map(({ text: folded, vowelless, syllabic, start, end }) => ({
    text: folded,
    vowelless,
    syllabic,
    written: text.slice(start, end),
    place: 0,
  }));
}

function dropRepeats(parts: QueryPart[]): QueryPart[] {
  const counts = new Map<string, number>();
  return parts.filter(({ text }) => {
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return count <= MAX_REPEATS;
  });
}
