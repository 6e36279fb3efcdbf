// Reads requests of yente clients as our subjects and filters.
import { SUBJECT_SCHEMAS, type YenteExample, type YenteMatchQuery, type YenteSearchQuery } from '@limen/contract';
import { type EntityFilter, MAX_NAME_LENGTH, readFtmSubject, type Subject } from '@limen/screening';
import { MAX_PROPERTY_VALUES } from '../limits.ts';
import { badQuery, unreadableField } from './refusal.ts';
import { isListed, isSchema, listKinds } from './schemata.ts';

export function several(value: string | string[] | undefined): string[] {
  return [value ?? []].flat();
}

/** Reads texts and numbers, as texts. */
export function readProperties({ properties }: YenteExample): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, values]) => [
      name,
      [values].flat().flatMap((value) => (typeof value === 'string' || typeof value === 'number' ? [`${value}`] : [])),
    ]),
  );
}

const WHOLE_NAMES = ['name', 'alias', 'weakAlias', 'previousName'];
const NAME_PROPERTIES = [...WHOLE_NAMES, 'firstName', 'secondName', 'middleName', 'lastName'];

export function readExample(example: YenteExample): Subject {
  const { schema } = example;
  if (!isSchema(schema)) throw badQuery('Cannot parse example entity: there is no such schema.');
  const properties = readProperties(example);
  if (NAME_PROPERTIES.some((name) => properties[name]?.some((text) => text.length > MAX_NAME_LENGTH)))
    throw badQuery(`Cannot parse example entity: a name is longer than ${MAX_NAME_LENGTH} characters.`);
  // Lists have no events or positions, so there is nothing to find.
  if (!isListed(schema)) return { names: [] };
  // Abstract schemas, such as LegalEntity, have no equivalent here.
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

/** Returns undefined if the query has no filter. */
export function readFilter(query: Partial<YenteMatchQuery & YenteSearchQuery>): EntityFilter | undefined {
  const { schema = 'Thing', changed_since: changedSince } = query;
  if (!isSchema(schema)) throw badQuery('Invalid schema');
  const unlessEmpty = (values: string[]) => (values.length > 0 ? values : undefined);
  const filter: EntityFilter = {
    schemas: schema === 'Thing' ? undefined : listKinds(schema),
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

/** Reads a boolean like the framework of yente. */
export function readSwitch(name: string, text = 'false'): boolean {
  const word = text.toLowerCase();
  if (YES.includes(word)) return true;
  if (NO.includes(word)) return false;
  throw unreadableField(`query.${name}`, 'must be true or false');
}
