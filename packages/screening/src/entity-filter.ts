// Which entities of a list are asked for, by what it says of them.
import type { ListedEntity } from './entity.ts';
import { readCountries } from './subjects/countries.ts';

/** What is left out does not matter. Of several values one is enough. */
export interface EntityFilter {
  schemas?: readonly string[] | undefined;
  withoutSchemas?: readonly string[] | undefined;
  /** Lists that the entity comes from. */
  datasets?: readonly string[] | undefined;
  withoutDatasets?: readonly string[] | undefined;
  topics?: readonly string[] | undefined;
  /** Codes or names. */
  countries?: readonly string[] | undefined;
  /** An ISO date or time: what was changed before, or nobody knows when, is not wanted. */
  changedSince?: string | undefined;
}

export function fitsFilter(entity: ListedEntity, filter: EntityFilter): boolean {
  const { schemas, withoutSchemas, datasets, withoutDatasets, topics, countries, changedSince } = filter;
  const { schema, lastChange } = entity;
  return (
    (schemas === undefined || schemas.includes(schema)) &&
    !withoutSchemas?.includes(schema) &&
    (datasets === undefined || sharesOne(datasets, entity.datasets)) &&
    (withoutDatasets === undefined || !sharesOne(withoutDatasets, entity.datasets)) &&
    (topics === undefined || sharesOne(topics, entity.topics)) &&
    (countries === undefined || sharesOne([...readCountries(countries)], [...readCountries(entity.countries)])) &&
    (changedSince === undefined || (lastChange !== null && lastChange >= changedSince))
  );
}

function sharesOne(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.includes(one));
}
