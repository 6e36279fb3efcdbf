// What a worker does to find listed entities: by words over all editions, or by an id.
import {
  compareFits,
  findEntity as findInIndex,
  type ListedEntity,
  type ScreeningIndex,
  type TextSearch,
} from '@limen/screening';
import type { EntitySearch, ListedEntry, ListPlan, SearchOutcome } from './messages.ts';
import { plansByList } from './plan-by-list.ts';
import { allIds, dropTwins, withTwins } from './twins.ts';

/** What is needed of one edition. */
export interface SearchTools {
  index: ScreeningIndex;
  search: TextSearch;
}

export function searchEntities(
  { text, fuzzy, limit }: EntitySearch,
  plan: ListPlan,
  find: (edition: number) => SearchTools,
): SearchOutcome {
  const { topic } = plan;
  const lists = plansByList(plan).map(({ edition, place, filter }) => ({ ...find(edition), place, filter }));
  const all = lists.map(({ search, place, filter }) => {
    const { entities, complete } = search.search(text, { fuzzy, topic, filter, limit });
    return { entities: entities.map((one) => ({ ...one, place })), complete };
  });
  // Stable, so that what fits equally well keeps the order of the lists.
  const found = all.flatMap(({ entities }) => entities).sort((a, b) => compareFits(a.fit, b.fit));
  const once = dropTwins(
    found,
    ({ entity }) => allIds(entity),
    ({ entity }) => entity,
  );
  const entities = once.slice(0, limit).map(({ entity, place: own }) => {
    const others = lists.filter(({ place }) => place !== own);
    return withTwins(entity, others, topic);
  });
  return { entities, complete: all.every((one) => one.complete) && once.length <= limit };
}

/** What all lists say of it together. One that has the id itself counts before one that had it once. */
export function findEntity(id: string, indexes: readonly ScreeningIndex[]): ListedEntity | null {
  const found = indexes.flatMap((index) => {
    const entity = findInIndex(index, id);
    return entity ? [{ entity, index }] : [];
  });
  const canonical = found.find(({ entity }) => entity.id === id) ?? found[0];
  if (!canonical) return null;
  const others = indexes.filter((index) => index !== canonical.index);
  return withTwins(
    canonical.entity,
    others.map((index) => ({ index, filter: undefined })),
    'all',
  );
}

/** What each list says for itself under each of the ids, of whatever topic. */
export function findEntries(ids: readonly string[], indexes: readonly ScreeningIndex[]): ListedEntry[][] {
  return ids.map((id) =>
    indexes.flatMap((index, place) => {
      const entity = findInIndex(index, id);
      return entity ? [{ place, entity }] : [];
    }),
  );
}
