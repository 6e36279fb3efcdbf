// A parsed query: names split into parts, date of birth, and warnings.
import { type QueryDate, readQueryDate } from '../dates/query-date.ts';
import { ANY_KIND, KIND_PERSON, KINDS, type Kind, schemaKinds } from '../kind.ts';
import { type FoldedPart, foldName, MAX_PARTS } from '../names/fold-name.ts';
import { nameForms } from '../names/name-forms.ts';
import { namedParts, splitFaith, splitInitials, withTitles } from '../names/named-parts.ts';
import { classifyPart, TOKEN_BUSINESS } from '../names/part-class.ts';
import { stripAdditions } from '../names/said-names.ts';
import { mayContainSeveralNames, namesWithin, withoutRepeat } from '../names/several-names.ts';

/** A row of a file of people. Without a first name, it may also be an organization. */
export interface PersonRow {
  firstName: string;
  lastName: string;
  birthDate: string;
}

/** A name of a known kind. */
export interface NamedThing {
  name: string;
  /** FollowTheMoney schema, such as `Person`. Determines which names are compared. */
  schema: string;
  /** Date of birth as in a row. Only for people. */
  birthDate: string;
}

export interface QueryPart {
  text: string;
  vowelless: boolean;
  /** Text as written in the row. */
  written: string;
  /** Position in the row, for the explanation only. */
  place: number;
  /** A Chinese or Korean character, of which several sound the same. */
  syllabic: boolean;
  /** Initial letters of the original words, if they differ. */
  letters?: string | undefined;
  /** Spelling in a script without vowels, if the name is known. */
  script?: string | undefined;
  /** A listed family name that looks like a title or a particle. */
  isFamily?: boolean | undefined;
  /** The word from which this part was cut. */
  halfOf?: string | undefined;
}

/** A name, split into parts by the rules of its kind. */
export interface QueryName {
  kind: Kind;
  parts: QueryPart[];
  /** Whether the kind was given rather than guessed. Guesses need nearly complete matches. */
  isCertain: boolean;
  /** Part of the text that was read, if the text has several names or one twice. */
  readAs?: string;
}

export interface Query {
  names: QueryName[];
  date: QueryDate | undefined;
  /** Values that could not be read, and limits that the search reached. */
  warnings: string[];
}

/** Maximum number of parts. Limits the cost of a crafted row. */
const MAX_QUERY_PARTS = 12;
/**
 * Ministries have long names, and their later words are rarely distinctive. One less than is read,
 * so that longer names are detected.
 */
const MAX_ORGANIZATION_PARTS = MAX_PARTS - 1;
/** `bin` may occur three times in a name. */
const MAX_REPEATS = 4;
/** Maximum name length. Longer names are truncated first. */
const MAX_NAME_LENGTH = 2_000;

export const NO_NAME_IN_ROW = 'The row has no name that can be screened.';
export const NOTHING_IN_NAME = 'A name has nothing in it that can be screened.';

export function readQuery({ firstName, lastName, birthDate }: PersonRow): Query {
  const warnings: string[] = [];
  const written = [...readParts(firstName, foldName(firstName)), ...readParts(lastName, foldName(lastName))];
  const parts = tidyParts(namedParts(written), MAX_QUERY_PARTS, warnings);
  if (parts.length === 0) warnings.push(NO_NAME_IN_ROW);
  const date = readDate(birthDate, warnings);
  const names = [...readPerson(parts), ...readTitled(written), ...readFurther(`${firstName} ${lastName}`, written)];
  const business = parts.some(({ text, vowelless }) => (classifyPart(text, vowelless) & TOKEN_BUSINESS) !== 0);
  const bothNames = firstName.trim() !== '' && lastName.trim() !== '';
  if (date === undefined && (!bothNames || business)) {
    const name = `${firstName} ${lastName}`.trim();
    names.push(...readOtherKinds(name, ANY_KIND & ~KIND_PERSON, false, warnings));
  }
  return { names: names.filter((name) => name.parts.length > 0), date, warnings: once(warnings) };
}

export function readName({ name, schema, birthDate }: NamedThing): Query {
  const warnings: string[] = [];
  const kinds = schemaKinds(schema);
  const text = name.slice(0, MAX_NAME_LENGTH);
  if (name.length > MAX_NAME_LENGTH) {
    warnings.push(`A name is longer than ${MAX_NAME_LENGTH} characters; its beginning was screened.`);
  }
  const names: QueryName[] = [];
  if ((kinds & KIND_PERSON) !== 0) {
    const written = readParts(text, foldName(text));
    const parts = tidyParts(namedParts(written), MAX_QUERY_PARTS, warnings);
    names.push(...readPerson(parts), ...readTitled(written), ...readFurther(text, written));
  }
  names.push(...readOtherKinds(text, kinds & ~KIND_PERSON, true, warnings));
  const usable = names.filter(({ parts }) => parts.length > 0);
  if (usable.length === 0) warnings.push(NOTHING_IN_NAME);
  return { names: usable, date: readDate(birthDate, warnings), warnings: once(warnings) };
}

function readPerson(parts: QueryPart[]): QueryName[] {
  const otherForms = [splitInitials(parts, ({ written }) => written), splitFaith(parts)].filter(
    (form) => form !== undefined,
  );
  return [parts, ...otherForms].map((form) => ({
    kind: KIND_PERSON,
    parts: form.slice(0, MAX_QUERY_PARTS),
    isCertain: true,
  }));
}

/** A title may be the family name. Warnings are those of the name without it. */
function readTitled(written: QueryPart[]): QueryName[] {
  const titled = withTitles(written);
  if (titled === undefined) return [];
  return [{ kind: KIND_PERSON, parts: tidyParts(titled, MAX_QUERY_PARTS, []), isCertain: true }];
}

/** Read in addition to the whole text, which may be one name after all. The best score counts. */
function readFurther(text: string, written: QueryPart[]): QueryName[] {
  const distinctWarnings = withoutRepeat(written);
  const within = mayContainSeveralNames(text, written) ? namesWithin(text.slice(0, MAX_NAME_LENGTH).trim()) : [];
  if (!distinctWarnings && within.length === 0) return [];
  const further = within.map((name) => readParts(name, foldName(name)));
  return [...(distinctWarnings ? [distinctWarnings] : []), ...further].flatMap((form) => {
    const readAs = form.map((part) => part.written).join(' ');
    return readPerson(tidyParts(namedParts(form), MAX_QUERY_PARTS, [])).map((name) => ({ ...name, readAs }));
  });
}

function readOtherKinds(name: string, kinds: number, isCertain: boolean, warnings: string[]): QueryName[] {
  const text = name.slice(0, MAX_NAME_LENGTH);
  return KINDS.filter((kind) => (kinds & kind) !== 0).flatMap((kind) => {
    const seen = new Set<string>();
    return [text, ...stripAdditions(text, kind, isCertain)].flatMap((shortName) =>
      nameForms(shortName, kind).flatMap((form) => {
        const key = form.map((part) => part.text).join(' ');
        if (seen.has(key)) return [];
        seen.add(key);
        return [{ kind, parts: tidyParts(readParts(shortName, form), MAX_ORGANIZATION_PARTS, warnings), isCertain }];
      }),
    );
  });
}

/** Returns undefined for an absent or invalid date. Warns about the latter. */
export function readDate(birthDate: string, warnings: string[]): QueryDate | undefined {
  const date = readQueryDate(birthDate);
  if (date === null) warnings.push('The date of birth is not a date (YYYY-MM-DD); screened on the name alone.');
  return date ?? undefined;
}

function readParts(text: string, parts: FoldedPart[]): QueryPart[] {
  return parts.map(({ text: folded, vowelless, syllabic, letters, script, start, end }) => ({
    text: folded,
    script,
    vowelless,
    syllabic,
    letters,
    written: text.slice(start, end),
    place: 0,
  }));
}

function tidyParts(read: QueryPart[], most: number, warnings: string[]): QueryPart[] {
  const parts = dropRepeats(read).map((part, place) => ({ ...part, place }));
  if (parts.length < read.length)
    warnings.push(`A part comes more than ${MAX_REPEATS} times in the name; the others were left out.`);
  if (parts.length > most) warnings.push(`The name has more than ${most} parts; the first ${most} were screened.`);
  return parts.slice(0, most);
}

function dropRepeats(parts: QueryPart[]): QueryPart[] {
  const counts = new Map<string, number>();
  return parts.filter(({ text }) => {
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return count <= MAX_REPEATS;
  });
}

/** Removes duplicates: a name read as several kinds has the same flaw in each. */
function once(warnings: string[]): string[] {
  return warnings.length < 2 ? warnings : [...new Set(warnings)];
}
