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

/** A list that is searched, and what is asked of its entities. */
export interface SearchedList {
  index: ScreeningIndex;
  filter: EntityFilter | undefined;
}

export function allIds({ id, referents }: ListedEntity): string[] {
  return [id, ...referents];
}

/** Best first, so that the one that stays is the best. Entities of one list are never twins. */
export function dropTwins<Found extends { place: number }>(
  found: readonly Found[],
  idsOf: (one: Found) => readonly string[],
): Found[] {
  const places = new Map<string, number>();
  return found.filter((one) => {
    const ids = idsOf(one);
    if (ids.some((id) => (places.get(id) ?? one.place) !== one.place)) return false;
    for (const id of ids) places.set(id, one.place);
    return true;
  });
}

/** The first says what it is called and what kind it is. */
export function withTwins(entity: ListedEntity, others: readonly SearchedList[], topic: Topic): ListedEntity {
  const twins = others.flatMap(({ index, filter }) =>
    findTwins(index, entity, topic).filter((twin) => filter === undefined || fitsFilter(twin, filter)),
  );
  if (twins.length === 0) return entity;
  const merged = twins.reduce(mergeEntities, entity);
  const elsewhere = new Set([...merged.referents, ...twins.map(({ id }) => id)]);
  elsewhere.delete(entity.id);
  return { ...merged, referents: [...elsewhere] };
}
