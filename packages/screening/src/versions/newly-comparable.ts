// What of a changed entity may match somebody whom it did not match before.
import type { ListedEntity } from '../entity.ts';
import type { EntityChange, EntityField } from './compare-lists.ts';

/**
 * What each field is for a score. `names` can each be looked for by itself; what says something `about` the entity weighs
 * on all of its names; and the rest is shown, but compared with nothing.
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
 * The entity with as much of it as is to be looked for: all of it, or names that are new alone. Undefined where the change
 * makes nobody match who did not: whoever matched is known by the hit.
 */
export function newlyComparable(change: EntityChange): ListedEntity | undefined {
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
