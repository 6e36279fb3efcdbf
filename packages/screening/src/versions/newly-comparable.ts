// Determines what part of a changed entity may match subjects that it did not match before.
import type { ListedEntity } from '../entity.ts';
import type { EntityChange, EntityField } from './compare-lists.ts';

/**
 * Role of each field in a score: `names` can be searched individually, `about` affects all names,
 * and the rest is only displayed.
 */
const PART_IN_SCORE: Record<EntityField, 'name' | 'about' | 'none'> = {
  names: 'name',
  weakNames: 'name',
  schema: 'about',
  birthDates: 'about',
  countries: 'about',
  addresses: 'about',
  identifiers: 'about',
  topics: 'about',
  caption: 'none',
  nationalities: 'none',
  positions: 'none',
  programs: 'none',
  datasets: 'none',
  referents: 'none',
  firstSeen: 'none',
  lastChange: 'none',
};

/**
 * Returns the part of the entity to search for: all of it, or only new names. Returns undefined if
 * the change cannot create matches. Existing matches are found by their hits.
 */
export function selectNewlyComparable(change: EntityChange): ListedEntity | undefined {
  if (change.change === 'removed') return undefined;
  if (change.change === 'added' || change.fields.some((field) => PART_IN_SCORE[field] === 'about')) return change.after;
  const { before, after } = change;
  const names = without(after.names, before.names);
  const weakNames = without(after.weakNames, before.weakNames);
  return names.length + weakNames.length > 0 ? { ...after, names, weakNames, identifiers: [] } : undefined;
}

function without(names: readonly string[], known: readonly string[]): string[] {
  const before = new Set(known);
  return names.filter((name) => !before.has(name));
}
