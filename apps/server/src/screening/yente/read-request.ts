// What a client of yente asks for, in our terms.
import { SUBJECT_SCHEMAS, type YenteExample, type YenteMatchQuery, type YenteSearchQuery } from '@limen/contract';
import { type EntityFilter, MAX_NAME_LENGTH, readFtmSubject, type Subject } from '@limen/screening';
import { MAX_PROPERTY_VALUES } from '../limits.ts';
import { badQuery, unreadableField } from './refusal.ts';
import { isListed, isSchema, kindsOf } from './schemata.ts';

/** What is repeatable comes as one text or as several. */
export function several(given: string | string[] | undefined): string[] {
  return [given ?? []].flat();
}

/** Values that are texts or numbers, as texts. */
export function readProperties({ properties }: YenteExample): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, given]) => [
      name,
      [given].flat().flatMap((value) => (typeof value === 'string' || typeof value === 'number' ? [`${value}`] : [])),
    ]),
  );
}

/** Properties that names are read from. */
const NAME_PROPERTIES = [
  ...['name', 'alias', 'weakAlias', 'previousName'],
  ...['firstName', 'secondName', 'middleName', 'lastName'],
];

export function readExample(example: YenteExample): Subject {
  const { schema } = example;
  if (!isSchema(schema)) throw badQuery('Cannot parse example entity: there is no such schema.');
  const properties = readProperties(example);
  if (NAME_PROPERTIES.some((name) => properties[name]?.some((text) => text.length > MAX_NAME_LENGTH)))
    throw badQuery(`Cannot parse example entity: a name is longer than ${MAX_NAME_LENGTH} characters.`);
  // Nothing on a list is an event or a position: there is nobody to find.
  if (!isListed(schema)) return { names: [] };
  // What may be a person as well as a ship has no schema with us.
  const known = (SUBJECT_SCHEMAS as readonly string[]).includes(schema) ? schema : undefined;
  const { names, identifiers, addresses, countries, ...subject } = readFtmSubject(known, properties);
  return {
    ...subject,
    names: names.slice(0, MAX_PROPERTY_VALUES),
    identifiers: identifiers?.slice(0, MAX_PROPERTY_VALUES),
    addresses: addresses?.slice(0, MAX_PROPERTY_VALUES),
    countries: countries?.slice(0, MAX_PROPERTY_VALUES),
  };
}

type Filters = Pick<
  YenteMatchQuery,
  'include_dataset' | 'exclude_dataset' | 'exclude_schema' | 'topics' | 'changed_since'
>;

/** Undefined where nothing is filtered. */
export function readFilter(query: Filters & Partial<YenteSearchQuery>): EntityFilter | undefined {
  const { schema = 'Thing', changed_since: changedSince } = query;
  if (!isSchema(schema)) throw badQuery('Invalid schema');
  const unlessEmpty = (values: string[]) => (values.length > 0 ? values : undefined);
  const filter: EntityFilter = {
    schemas: schema === 'Thing' ? undefined : kindsOf(schema),
    withoutSchemas: unlessEmpty(several(query.exclude_schema)),
    datasets: unlessEmpty([...several(query.include_dataset), ...several(query.datasets)]),
    withoutDatasets: unlessEmpty(several(query.exclude_dataset)),
    topics: unlessEmpty(several(query.topics)),
    countries: unlessEmpty(several(query.countries)),
    changedSince: changedSince?.replace(' ', 'T').replace('Z', ''),
  };
  return Object.values(filter).some((value) => value !== undefined) ? filter : undefined;
}

const YES = ['1', 'true', 't', 'yes', 'y', 'on'];
const NO = ['0', 'false', 'f', 'no', 'n', 'off'];

/** As their framework reads it. */
export function readSwitch(name: string, given = 'false'): boolean {
  const word = given.toLowerCase();
  if (YES.includes(word)) return true;
  if (NO.includes(word)) return false;
  throw unreadableField(`query.${name}`, 'must be true or false');
}
