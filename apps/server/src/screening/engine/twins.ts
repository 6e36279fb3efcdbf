// Merges entries of several lists about the same entity, so that it is shown once.
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
import type { ListPlan, OtherListing } from './messages.ts';

interface PlannedList {
  index: ScreeningIndex;
  filter?: EntityFilter | undefined;
}

export function allIds({ id, referents }: ListedEntity): string[] {
  return [id, ...referents];
}

/**
 * Returns whether two entries that are tied by an id are about the same entity. An entry that refers to the other's id knows it.
 * Equal ids are not enough: publishers who share ids agree on names, but lists of the operator's own number from 1.
 */
export function isSameEntity(a: ListedEntity, b: ListedEntity): boolean {
  if (a.id !== b.id) return true;
  if ((a.schema === 'Person') !== (b.schema === 'Person') && isKnownKind(a) && isKnownKind(b)) return false;
  const years = new Set(a.birthDates.map((date) => date.slice(0, 4)));
  const bornInSameYear = b.birthDates.some((date) => years.has(date.slice(0, 4)));
  if (years.size > 0 && b.birthDates.length > 0 && !bornInSameYear) return false;
  const names = new Set(a.names.map(bareName));
  return b.names.some((name) => names.has(bareName(name)));
}

/** Returns false for schemas that include people. */
function isKnownKind({ schema }: ListedEntity): boolean {
  return schema !== 'LegalEntity' && schema !== 'Thing';
}

/** Ignores case, accents, punctuation and order. */
function bareName(name: string): string {
  const words = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return (words ?? []).sort().join(' ');
}

/** Keeps the first of the hits that are about the same entity. Entities of one list are never twins. */
export function dropTwins<Placed extends { place: number }>(
  found: readonly Placed[],
  idsOf: (hit: Placed) => readonly string[],
  entityOf?: (hit: Placed) => ListedEntity,
): Placed[] {
  const kept = new Map<string, Placed[]>();
  return found.filter((hit) => {
    const isTwin = (earlier: Placed) =>
      earlier.place !== hit.place && (entityOf === undefined || isSameEntity(entityOf(earlier), entityOf(hit)));
    const ids = idsOf(hit);
    if (ids.some((id) => kept.get(id)?.some(isTwin))) return false;
    for (const id of ids) kept.set(id, [...(kept.get(id) ?? []), hit]);
    return true;
  });
}

export function dropEntityTwins<Placed extends { place: number; entity: ListedEntity }>(
  found: readonly Placed[],
  idsOf = allIds,
): Placed[] {
  const entityOf = ({ entity }: Placed) => entity;
  return dropTwins(found, (hit) => idsOf(hit.entity), entityOf);
}

function listTwins({ index, filter }: PlannedList, entity: ListedEntity, topic: Topic): ListedEntity[] {
  return findTwins(index, entity, topic).filter(
    (twin) => (filter === undefined || fitsFilter(twin, filter)) && isSameEntity(entity, twin),
  );
}

/** Adds what other lists say. The entity keeps its own caption and schema. */
export function withTwins(entity: ListedEntity, others: readonly PlannedList[], topic: Topic): ListedEntity {
  const twins = others.flatMap((list) => listTwins(list, entity, topic));
  if (twins.length === 0) return entity;
  const merged = twins.reduce(mergeEntities, entity);
  const elsewhere = new Set([...merged.referents, ...twins.map(({ id }) => id)]);
  elsewhere.delete(entity.id);
  return { ...merged, referents: [...elsewhere] };
}

/** Returns the entries of other lists under the same id, with hashes that show a change. */
export function entriesElsewhere(
  entity: ListedEntity,
  others: readonly (PlannedList & { place: number })[],
  topic: Topic,
): OtherListing[] {
  return others.flatMap((list) =>
    listTwins(list, entity, topic)
      .filter((twin) => twin.id === entity.id)
      .map((twin) => ({ place: list.place, entryHash: hashEntry(twin), entity: twin })),
  );
}

/** Applies the filter by lists also to the names under which lists are loaded. */
export function plansByList({ editions, lists, filter }: ListPlan) {
  return editions.flatMap((edition, place) => {
    const list = lists[place] ?? '';
    if (filter?.withoutDatasets?.includes(list)) return [];
    const isWhole = filter?.datasets?.includes(list);
    return [{ edition, place, filter: isWhole ? { ...filter, datasets: undefined } : filter }];
  });
}
