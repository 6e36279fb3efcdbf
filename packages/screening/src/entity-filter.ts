// Filters listed entities by their attributes.
import type { ListedEntity } from './entity.ts';
import { readCountries } from './subjects/countries.ts';

/** Omitted fields match everything. One match among several values suffices. */
export interface EntityFilter {
  schemas?: readonly string[] | undefined;
  withoutSchemas?: readonly string[] | undefined;
  /** Lists that contain the entity. */
  datasets?: readonly string[] | undefined;
  withoutDatasets?: readonly string[] | undefined;
  topics?: readonly string[] | undefined;
  /** Country codes or names. */
  countries?: readonly string[] | undefined;
  /** ISO date or time. Excludes entities that changed earlier or at an unknown time. */
  changedSince?: string | undefined;
}

export function fitsFilter(entity: ListedEntity, filter: EntityFilter): boolean {
  const { schemas, withoutSchemas, datasets, withoutDatasets, topics, countries, changedSince } = filter;
  const { schema, lastChange } = entity;
  return (
    (schemas === undefined || schemas.includes(schema)) &&
    !withoutSchemas?.includes(schema) &&
    (datasets === undefined || haveCommonEntry(datasets, entity.datasets)) &&
    (withoutDatasets === undefined || !haveCommonEntry(withoutDatasets, entity.datasets)) &&
    (topics === undefined || haveCommonEntry(topics, entity.topics)) &&
    (countries === undefined || haveCommonEntry([...readCountries(countries)], [...readCountries(entity.countries)])) &&
    (changedSince === undefined || (lastChange !== null && lastChange >= changedSince))
  );
}

function haveCommonEntry(left: readonly string[], right: readonly string[]): boolean {
  return left.some((entry) => right.includes(entry));
}
