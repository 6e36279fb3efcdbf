// A parsed subject: every name as a query, and all other facts in comparable form.
import type { QueryDate } from '../dates/query-date.ts';
import type { Identifier, ListedEntity } from '../entity.ts';
import { guessKind } from '../identifiers/guess-kind.ts';
import { IDENTIFIER_KINDS } from '../identifiers/kinds.ts';
import { normalizeIdentifier } from '../identifiers/normalise.ts';
import { takeNumbers } from '../identifiers/numbers-in-name.ts';
import { ANY_KIND, KIND_PERSON, KIND_VESSEL, schemaKinds } from '../kind.ts';
import { NO_NAME_IN_ROW, NOTHING_IN_NAME, type Query, readDate, readName, readQuery } from '../matching/query.ts';
import { isMarked } from '../names/organisation/marks.ts';
import { readCountries, readCountry } from './countries.ts';

/**
 * An ambiguous name is read as a person's and an organization's, with different limits. Both are
 * reported in one sentence.
 */
const TOO_LONG = /^The name has more than (\d+) parts; the first \1 were screened\.$/;

/** Keeps other warnings. Fewer parts are read for people than for organizations. */
export function mergeLengthWarnings(warnings: readonly string[]): string[] {
  const limits = new Set(warnings.flatMap((warning) => TOO_LONG.exec(warning)?.[1] ?? []).map(Number));
  if (limits.size < 2) return [...warnings];
  const [fewer, more] = [Math.min(...limits), Math.max(...limits)];
  const sentence = `The name has more than ${more} parts; read as a person's the first ${fewer} were screened, and as an organization's the first ${more}.`;
  return [sentence, ...warnings.filter((warning) => !TOO_LONG.test(warning))];
}

export interface Subject {
  /** FollowTheMoney schema. Omitted if unknown. */
  schema?: string | undefined;
  /** Main name, followed by aliases. */
  names: readonly string[];
  /** Separate given and family name, if known. */
  person?: { firstName: string; lastName: string } | undefined;
  birthDate?: string | undefined;
  /** Alternative dates of birth. The best one counts. */
  otherBirthDates?: readonly string[] | undefined;
  /** Codes or English names: citizenship, residence, registration. */
  countries?: readonly string[] | undefined;
  identifiers?: readonly SubjectIdentifier[] | undefined;
  addresses?: readonly string[] | undefined;
}

export interface SubjectIdentifier extends Omit<Identifier, 'kind'> {
  /** Omitted if unknown. Any kind may then match. */
  kind?: Identifier['kind'] | undefined;
}

export interface ReadIdentifier extends SubjectIdentifier {
  normalised: string;
  /** Kind as given, or as revealed by the format or an adjacent word. */
  likelyKind: Identifier['kind'];
  /** Set by a search that found too many holders. */
  isCommon?: boolean;
}

export interface ReadSubject {
  queries: { name: string; query: Query }[];
  /** KIND_* flags of the possible kinds. */
  kinds: number;
  /** Possible dates of birth. */
  dates: QueryDate[];
  countries: Set<string>;
  identifiers: ReadIdentifier[];
  addresses: readonly string[];
  /** Values that could not be read, and limits that a search reached. */
  warnings: string[];
}

interface SubjectWithNumbers {
  subject: Subject;
  /** One warning for numbers that were used, one for those that were not. */
  warnings: string[];
}

/** Maximum number of numbers in a name. Each is searched. */
const MOST_NUMBERS = 20;
/** Maximum number of names. Limits the cost of a crafted subject. */
const MAX_SUBJECT_NAMES = 21;
/** Maximum number of dates of birth. Each is searched with each name. */
const MAX_SUBJECT_DATES = 3;
/** Maximum number of values in a warning, and of characters of each. */
const MOST_NAMED = 5;
const LONGEST_NAMED = 50;

export function readSubject(written: Subject): ReadSubject {
  const { subject, warnings } = takeNumbersOutOfNames(written);
  const {
    schema,
    person,
    birthDate = '',
    otherBirthDates = [],
    countries = [],
    identifiers = [],
    addresses = [],
  } = subject;
  const rows = subject.names.map((name) => ({ name, firstName: '', lastName: name }));
  if (person) rows.unshift({ name: `${person.firstName} ${person.lastName}`.trim(), ...person });
  const told = distinctBy(
    rows.filter(({ name }) => name.trim() !== ''),
    ({ firstName, lastName }) => JSON.stringify([firstName.trim(), lastName.trim()]),
  );
  if (told.length > MAX_SUBJECT_NAMES)
    warnings.push(
      `The subject has more than ${MAX_SUBJECT_NAMES} names; the first ${MAX_SUBJECT_NAMES} were screened.`,
    );
  const birthDates = isDated(schema) ? [birthDate, ...otherBirthDates] : [];
  const read = birthDates
    .map((text) => ({ text, date: readDate(text, warnings) }))
    .filter(({ date }) => date !== undefined);
  const dated = read.slice(0, MAX_SUBJECT_DATES);
  if (read.length > MAX_SUBJECT_DATES)
    warnings.push(
      `The subject has more than ${MAX_SUBJECT_DATES} dates of birth; the first ${MAX_SUBJECT_DATES} count.`,
    );
  const dates = dated.map(({ date }) => date!);
  const queries = told.slice(0, MAX_SUBJECT_NAMES).flatMap(({ name, firstName, lastName }) =>
    (dated.length > 0 ? dated : [{ text: '' }]).map(({ text }) => {
      const query =
        schema === undefined
          ? readQuery({ firstName, lastName, birthDate: text })
          : readName({ name, schema, birthDate: text });
      return { name, query };
    }),
  );
  const kinds = schema === undefined ? guessKinds(queries, dates[0]) : schemaKinds(schema);
  const numbers = identifiers.map((identifier) => ({
    ...identifier,
    normalised: normalizeIdentifier(identifier.value, identifier.kind) ?? '',
    likelyKind:
      identifier.kind === undefined || identifier.kind === 'identifier' ? guessKind(identifier.value) : identifier.kind,
  }));
  const usable = numbers.filter(({ normalised: normalized }) => normalized !== '');
  const isNobody = queries.every(({ query }) => query.names.length === 0) && usable.length === 0;
  const isSaidBelow = (warning: string) => isNobody && [NO_NAME_IN_ROW, NOTHING_IN_NAME].includes(warning);
  for (const { query } of queries)
    warnings.push(...mergeLengthWarnings(query.warnings).filter((warning) => !isSaidBelow(warning)));
  const useless = numbers.filter(({ normalised: normalized }) => normalized === '').length;
  if (useless > 0) warnings.push(`Identifiers too short or too general to tell anybody, not compared: ${useless}.`);
  if (isNobody) warnings.push('The subject has neither a name nor an identifier that can be screened.');
  const unknown = countries.filter((country) => country.trim() !== '' && readCountry(country) === null);
  if (unknown.length > 0) warnings.push(`Countries that are not known, not compared: ${nameSome(unknown)}.`);
  const known = readCountries(countries);
  return {
    queries: distinctBy(queries, ({ query }) => searchKey(query)),
    kinds,
    dates,
    countries: known,
    identifiers: usable,
    addresses,
    warnings: [...new Set(warnings)],
  };
}

/** Returns the first of equal names. */
function distinctBy<Of>(values: readonly Of[], keyOf: (one: Of) => string): Of[] {
  const seen = new Set<string>();
  return values.filter((value) => {
    const key = keyOf(value);
    return !seen.has(key) && seen.add(key);
  });
}

/**
 * Key of everything that a search depends on: names that differ only in capitalization, accents or
 * titles find the same. Legal forms are joined with adjacent words by their letters, so those
 * count.
 */
function searchKey({ names, date }: Query): string {
  const read = names.map(({ kind, isCertain, parts }) => [
    ...[kind, isCertain],
    ...parts.map(({ written, ...part }) => ({ ...part, ...(isMarked(part.text) && { written }) })),
  ]);
  return JSON.stringify([read, date ?? null]);
}

/** Kinds by which the names are read. Without a name, only people have dates of birth. */
function guessKinds(queries: ReadSubject['queries'], date: QueryDate | undefined): number {
  const kinds = queries.flatMap(({ query }) => query.names.map(({ kind }) => kind));
  if (kinds.length === 0) return date ? KIND_PERSON : ANY_KIND;
  return kinds.reduce((flags, kind) => flags | kind, 0);
}

/** Keeps a warning short for any input. */
function nameSome(texts: readonly string[]): string {
  const named = [...new Set(texts)].slice(0, MOST_NAMED).map((text) => text.trim().slice(0, LONGEST_NAMED));
  return [...named, ...(texts.length > MOST_NAMED ? ['…'] : [])].join(', ');
}

/** Ships and companies have no date of birth, so such a date has another meaning. */
function isDated(schema: string | undefined): boolean {
  return schema === undefined || schema === 'Person' || schema === 'LegalEntity';
}

/** Converts a listed entity to a subject. */
export function toSubject(entity: ListedEntity): Subject {
  const { schema, names, weakNames, birthDates, countries, identifiers, addresses } = entity;
  const [birthDate, ...otherBirthDates] = birthDates;
  return { schema, names: [...names, ...weakNames], birthDate, otherBirthDates, countries, identifiers, addresses };
}

/** Returns whether a name may be a ship's. */
function mayBeShip({ schema, birthDate = '' }: Pick<Subject, 'schema' | 'birthDate'>): boolean {
  return schema === undefined ? birthDate.trim() === '' : (schemaKinds(schema) & KIND_VESSEL) !== 0;
}

/** Returns whether a row must be read as a subject, because it has a ship's number. */
export function hasNumberInName(row: { firstName: string; lastName: string; birthDate: string }): boolean {
  return mayBeShip({ ...row, schema: undefined }) && takeNumbers(`${row.firstName} ${row.lastName}`) !== undefined;
}

/** Takes ship numbers out of names, because unmatched words would contradict every ship. */
export function takeNumbersOutOfNames(subject: Subject): SubjectWithNumbers {
  if (!mayBeShip(subject)) return { subject, warnings: [] };
  const { names, person, identifiers = [] } = subject;
  const whole = person && `${person.firstName} ${person.lastName}`;
  const ofPerson = whole === undefined ? undefined : takeNumbers(whole);
  const ofNames = names.map(takeNumbers);
  const taken = [ofPerson, ...ofNames].filter((taken) => taken !== undefined);
  if (taken.length === 0) return { subject, warnings: [] };
  const numbers = taken.flatMap((name) => name.numbers).slice(0, MOST_NUMBERS);
  const says = numbers.map(({ kind, value }) => `${IDENTIFIER_KINDS[kind].says} ${value}`);
  const misread = taken.flatMap((name) => name.misread).slice(0, MOST_NUMBERS);
  return {
    subject: {
      ...subject,
      names: names.map((name, at) => ofNames[at]?.name ?? name),
      // Separate first and last names mean a person, who has no such number.
      person: ofPerson && ofPerson.numbers.length > 0 ? { firstName: '', lastName: ofPerson.name } : person,
      identifiers: [...identifiers, ...numbers],
    },
    warnings: [
      ...(says.length > 0
        ? [`Taken out of the name and compared as identifiers: ${[...new Set(says)].join(', ')}.`]
        : []),
      ...(misread.length > 0
        ? [`No IMO number, by its last digit, and left in the name: ${[...new Set(misread)].join(', ')}.`]
        : []),
    ],
  };
}
