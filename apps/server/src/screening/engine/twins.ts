// Lists overlap: an entity that several of them have is shown once, with what all of them say.
import {
  type EntityFilter,
  findTwins,
  fitsFilter,
  type ListedEntity,
  mergeEntities,
  type ScreeningIndex,
  type Topic,
} from '@limen/screening';
import { hashEntry } from './hash-entry.ts';
import type { EntryElsewhere, ListPlan } from './messages.ts';

/** A list that is searched, and what is asked of its entities. */
export interface PlannedList {
  index: ScreeningIndex;
  filter: EntityFilter | undefined;
}

export function allIds({ id, referents }: ListedEntity): string[] {
  return [id, ...referents];
}

/**
 * Whether two entries that are tied by an id are about the same one. Publishers that share ids agree on names; lists of somebody's own
 * number from 1, and the first of one has nothing to do with the first of another. Who names the other's id knows it.
 */
export function isSameEntity(one: ListedEntity, other: ListedEntity): boolean {
  if (one.id !== other.id) return true;
  if ((one.schema === 'Person') !== (other.schema === 'Person') && isKnownKind(one) && isKnownKind(other)) return false;
  const years = new Set(one.birthDates.map((date) => date.slice(0, 4)));
  const isBornOtherwise = years.size > 0 && other.birthDates.length > 0;
  if (isBornOtherwise && !other.birthDates.some((date) => years.has(date.slice(0, 4)))) return false;
  const names = new Set(one.names.map(bareName));
  return other.names.some((name) => names.has(bareName(name)));
}

/** A legal entity may turn out to be either. */
function isKnownKind({ schema }: ListedEntity): boolean {
  return schema !== 'LegalEntity' && schema !== 'Thing';
}

/** Without case, accents, punctuation and order. */
function bareName(name: string): string {
  const words = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return (words ?? []).sort().join(' ');
}

/** Best first, so that the one that stays is the best. Entities of one list are never twins. */
export function dropTwins<Found extends { place: number }>(
  found: readonly Found[],
  idsOf: (one: Found) => readonly string[],
  entityOf?: (one: Found) => ListedEntity,
): Found[] {
  const kept = new Map<string, Found[]>();
  return found.filter((one) => {
    const isTwin = (other: Found) =>
      other.place !== one.place && (entityOf === undefined || isSameEntity(entityOf(other), entityOf(one)));
    const ids = idsOf(one);
    if (ids.some((id) => kept.get(id)?.some(isTwin))) return false;
    for (const id of ids) kept.set(id, [...(kept.get(id) ?? []), one]);
    return true;
  });
}

/** The first says what it is called and what kind it is. */
export function withTwins(entity: ListedEntity, others: readonly PlannedList[], topic: Topic): ListedEntity {
  const twins = others.flatMap(({ index, filter }) =>
    findTwins(index, entity, topic).filter(
      (twin) => (filter === undefined || fitsFilter(twin, filter)) && isSameEntity(entity, twin),
    ),
  );
  if (twins.length === 0) return entity;
  const merged = twins.reduce(mergeEntities, entity);
  const elsewhere = new Set([...merged.referents, ...twins.map(({ id }) => id)]);
  elsewhere.delete(entity.id);
  return { ...merged, referents: [...elsewhere] };
}

/** What other lists say of an entity under the same id, as far as it matters whether that has changed. */
export function entriesElsewhere(
  entity: ListedEntity,
  others: readonly (PlannedList & { place: number })[],
  topic: Topic,
): EntryElsewhere[] {
  return others.flatMap(({ index, filter, place }) =>
    findTwins(index, entity, topic)
      .filter((twin) => twin.id === entity.id && isSameEntity(entity, twin))
      .filter((twin) => filter === undefined || fitsFilter(twin, filter))
      .map((twin) => ({ place, entryHash: hashEntry(twin), entity: twin })),
  );
}

interface PlannedEdition {
  edition: number;
  /** In the plan. */
  place: number;
  filter: EntityFilter | undefined;
}

/** A filter by lists is about the name that a list is loaded under as well. */
export function plansByList({ editions, lists, filter }: ListPlan): PlannedEdition[] {
  return editions.flatMap((edition, place) => {
    const list = lists[place] ?? '';
    if (filter?.withoutDatasets?.includes(list)) return [];
    const isWhole = filter?.datasets?.includes(list);
    return [{ edition, place, filter: isWhole ? { ...filter, datasets: undefined } : filter }];
  });
}
