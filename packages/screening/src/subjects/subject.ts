// Whom or what to screen, read once: every name as a query, and what else is known in a form that can be compared.
import type { QueryDate } from '../dates/query-date.ts';
import type { Identifier, ListedEntity } from '../entity.ts';
import { guessKind } from '../identifiers/guess-kind.ts';
import { IDENTIFIER_KINDS } from '../identifiers/kinds.ts';
import { normaliseIdentifier } from '../identifiers/normalise.ts';
import { takeNumbers } from '../identifiers/numbers-in-name.ts';
import { ANY_KIND, KIND_PERSON, KIND_VESSEL, kindsOf } from '../kind.ts';
import { NO_NAME_IN_ROW, NOTHING_IN_NAME, type Query, readDate, readName, readQuery } from '../matching/query.ts';
import { isMarked } from '../names/organisation/marks.ts';
import { readCountries, readCountry } from './countries.ts';

/** A name that may be a person's or an organisation's is read as both, and each takes another number of parts: said in one sentence. */
const TOO_LONG = /^The name has more than (\d+) parts; the first \1 were screened\.$/;

/** What else was to be told stays as it is. Of people fewer parts are read than of organisations. */
export function tellLongNames(warnings: readonly string[]): string[] {
  const limits = new Set(warnings.flatMap((warning) => TOO_LONG.exec(warning)?.[1] ?? []).map(Number));
  if (limits.size < 2) return [...warnings];
  const [fewer, more] = [Math.min(...limits), Math.max(...limits)];
  const sentence = `The name has more than ${more} parts; read as a person's the first ${fewer} were screened, and as an organisation's the first ${more}.`;
  return [sentence, ...warnings.filter((warning) => !TOO_LONG.test(warning))];
}

export interface Subject {
  /** FollowTheMoney schema; left out where it is not known. */
  schema?: string | undefined;
  /** The name first, then others that it goes by. */
  names: readonly string[];
  /** Given and family name apart, where they are known so. */
  person?: { firstName: string; lastName: string } | undefined;
  birthDate?: string | undefined;
  /** Others that it may have been born on: the best one counts. */
  otherBirthDates?: readonly string[] | undefined;
  /** Codes or English names: citizenship, residence, registration. */
  countries?: readonly string[] | undefined;
  identifiers?: readonly SubjectIdentifier[] | undefined;
  addresses?: readonly string[] | undefined;
}

export interface SubjectIdentifier extends Omit<Identifier, 'kind'> {
  /** Left out where it is not known: then any kind may agree. */
  kind?: Identifier['kind'] | undefined;
}

export interface ReadIdentifier extends SubjectIdentifier {
  normalised: string;
  /** As told, or else as its form or a word beside it tells; it may be listed as another. */
  likelyKind: Identifier['kind'];
  /** Set by a search in which more entities than one can look at have it. */
  isCommon?: boolean;
}

export interface ReadSubject {
  queries: { name: string; query: Query }[];
  /** KIND_* flags of what it may be. */
  kinds: number;
  /** Those that it may have been born on. */
  dates: QueryDate[];
  countries: Set<string>;
  identifiers: ReadIdentifier[];
  addresses: readonly string[];
  /** What could not be read, and what a search could not do in full. */
  warnings: string[];
}

interface SubjectWithNumbers {
  subject: Subject;
  /** One for the numbers that were used, one for those that were not. */
  warnings: string[];
}

/** More than anybody writes behind a name; each is searched for. */
const MOST_NUMBERS = 20;
/** More names than anybody goes by; what a crafted subject costs grows with them. */
const MAX_SUBJECT_NAMES = 21;
/** As many dates of birth; each is searched with each name. */
const MAX_SUBJECT_DATES = 3;
/** Of what a warning names: so many, and so many characters of each. */
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
  const told = onceEach(
    rows.filter(({ name }) => name.trim() !== ''),
    ({ firstName, lastName }) => JSON.stringify([firstName.trim(), lastName.trim()]),
  );
  if (told.length > MAX_SUBJECT_NAMES)
    warnings.push(
      `The subject has more than ${MAX_SUBJECT_NAMES} names; the first ${MAX_SUBJECT_NAMES} were screened.`,
    );
  const given = isDated(schema) ? [birthDate, ...otherBirthDates] : [];
  const read = given.map((text) => ({ text, date: readDate(text, warnings) })).filter(({ date }) => date !== undefined);
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
  const kinds = schema === undefined ? guessKinds(queries, dates[0]) : kindsOf(schema);
  const numbers = identifiers.map((one) => ({
    ...one,
    normalised: normaliseIdentifier(one.value, one.kind) ?? '',
    likelyKind: one.kind === undefined || one.kind === 'identifier' ? guessKind(one.value) : one.kind,
  }));
  const usable = numbers.filter(({ normalised }) => normalised !== '');
  const isNobody = queries.every(({ query }) => query.names.length === 0) && usable.length === 0;
  const isSaidBelow = (warning: string) => isNobody && [NO_NAME_IN_ROW, NOTHING_IN_NAME].includes(warning);
  for (const { query } of queries)
    warnings.push(...tellLongNames(query.warnings).filter((warning) => !isSaidBelow(warning)));
  const useless = numbers.filter(({ normalised }) => normalised === '').length;
  if (useless > 0) warnings.push(`Identifiers too short or too general to tell anybody, not compared: ${useless}.`);
  if (isNobody) warnings.push('The subject has neither a name nor an identifier that can be screened.');
  const unknown = countries.filter((country) => country.trim() !== '' && readCountry(country) === null);
  if (unknown.length > 0) warnings.push(`Countries that are not known, not compared: ${nameSome(unknown)}.`);
  const known = readCountries(countries);
  return {
    queries: onceEach(queries, ({ query }) => searchKey(query)),
    kinds,
    dates,
    countries: known,
    identifiers: usable,
    addresses,
    warnings: [...new Set(warnings)],
  };
}

/** The first of those that are the same. */
function onceEach<Of>(all: readonly Of[], keyOf: (one: Of) => string): Of[] {
  const seen = new Set<string>();
  return all.filter((one) => {
    const key = keyOf(one);
    return !seen.has(key) && seen.add(key);
  });
}

/**
 * All that a search goes by: what was only written otherwise, as in capitals, with accents or with a title, finds the same again.
 * A legal form is joined with the word beside it by its letters, so those count for it.
 */
function searchKey({ names, date }: Query): string {
  const read = names.map(({ kind, isCertain, parts }) => [
    ...[kind, isCertain],
    ...parts.map(({ written, ...part }) => ({ ...part, ...(isMarked(part.text) && { written }) })),
  ]);
  return JSON.stringify([read, date ?? null]);
}

/** As its names are read; without one, only a person has a date of birth. */
function guessKinds(queries: ReadSubject['queries'], date: QueryDate | undefined): number {
  const kinds = queries.flatMap(({ query }) => query.names.map(({ kind }) => kind));
  if (kinds.length === 0) return date ? KIND_PERSON : ANY_KIND;
  return kinds.reduce((all, kind) => all | kind, 0);
}

/** A warning stays short whatever was sent. */
function nameSome(texts: readonly string[]): string {
  const named = [...new Set(texts)].slice(0, MOST_NAMED).map((text) => text.trim().slice(0, LONGEST_NAMED));
  return [...named, ...(texts.length > MOST_NAMED ? ['…'] : [])].join(', ');
}

/** Ships and companies are not born; a date beside them is of something else. */
function isDated(schema: string | undefined): boolean {
  return schema === undefined || schema === 'Person' || schema === 'LegalEntity';
}

/** What a list says about an entity, as somebody to screen. */
export function subjectOf(entity: ListedEntity): Subject {
  const { schema, names, weakNames, birthDates, countries, identifiers, addresses } = entity;
  const [birthDate, ...otherBirthDates] = birthDates;
  return { schema, names: [...names, ...weakNames], birthDate, otherBirthDates, countries, identifiers, addresses };
}

/** Whether a name may be a ship's. A subject with a date of birth and no schema is a person. */
function mayBeShip({ schema, birthDate = '' }: Pick<Subject, 'schema' | 'birthDate'>): boolean {
  return schema === undefined ? birthDate.trim() === '' : (kindsOf(schema) & KIND_VESSEL) !== 0;
}

/** Whether a row with nothing but these is to be read as a subject, because its name has a number of a ship in it. */
export function hasNumberInName(row: { firstName: string; lastName: string; birthDate: string }): boolean {
  return mayBeShip({ ...row, schema: undefined }) && takeNumbers(`${row.firstName} ${row.lastName}`) !== undefined;
}

/** Takes the numbers of a ship out of its names: a word that no listed name has would contradict all of them. */
export function takeNumbersOutOfNames(subject: Subject): SubjectWithNumbers {
  if (!mayBeShip(subject)) return { subject, warnings: [] };
  const { names, person, identifiers = [] } = subject;
  const whole = person && `${person.firstName} ${person.lastName}`;
  const ofPerson = whole === undefined ? undefined : takeNumbers(whole);
  const ofNames = names.map(takeNumbers);
  const taken = [ofPerson, ...ofNames].filter((one) => one !== undefined);
  if (taken.length === 0) return { subject, warnings: [] };
  const numbers = taken.flatMap((one) => one.numbers).slice(0, MOST_NUMBERS);
  const says = numbers.map(({ kind, value }) => `${IDENTIFIER_KINDS[kind].says} ${value}`);
  const misread = taken.flatMap((one) => one.misread).slice(0, MOST_NUMBERS);
  return {
    subject: {
      ...subject,
      names: names.map((name, at) => ofNames[at]?.name ?? name),
      // A first and a last name are a person's; what has such a number behind it is none.
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
