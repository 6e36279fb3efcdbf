// Finds listed entities by words or by an id, in all editions.
import {
  type ConcernedFinder,
  compareFits,
  findEntity as findInIndex,
  type ListedEntity,
  type ScreeningIndex,
  type TextSearch,
  VALUE_LISTS,
} from '@limen/screening';
import { MAX_SHOWN_CHARACTERS, MAX_SHOWN_VALUES } from '../limits.ts';
import type { ConcernedPlan, EntitySearch, ListedEntry, ListPlan, SearchOutcome, SubjectEditions } from './messages.ts';
import { dropEntityTwins, plansByList, withTwins } from './twins.ts';

export function searchEntities(
  { text, fuzzy, limit }: EntitySearch,
  plan: ListPlan,
  find: (edition: number) => { index: ScreeningIndex; search: TextSearch },
): SearchOutcome {
  const { topic } = plan;
  const lists = plansByList(plan).map(({ edition, place, filter }) => ({ ...find(edition), place, filter }));
  const all = lists.map(({ search, place, filter }) => {
    const { entities, complete } = search.search(text, { fuzzy, topic, filter, limit });
    return { entities: entities.map((found) => ({ ...found, place })), complete };
  });
  // The sort is stable, so that equal fits keep the order of the lists.
  const found = all.flatMap(({ entities }) => entities).sort((a, b) => compareFits(a.fit, b.fit));
  const distinct = dropEntityTwins(found);
  const entities = distinct.slice(0, limit).map(({ entity, place: own }) =>
    withTwins(
      entity,
      lists.filter(({ place }) => place !== own),
      topic,
    ),
  );
  return { entities, complete: all.every(({ complete }) => complete) && distinct.length <= limit };
}

/** Merges the entries of all lists. A current id counts before a former one. */
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
    others.map((index) => ({ index })),
    'all',
  );
}

/** Returns for each id the entry of each list, of any topic. */
export function findEntries(ids: readonly string[], indexes: readonly ScreeningIndex[]): ListedEntry[][] {
  return ids.map((id) =>
    indexes.flatMap((index, place) => {
      const entity = findInIndex(index, id);
      return entity ? [{ place, entity }] : [];
    }),
  );
}

/** Keeps the first values of each kind within both limits. Caption and first name always stay. */
export function shortenEntity(entity: ListedEntity): ListedEntity {
  let left = MAX_SHOWN_CHARACTERS;
  const few = <Value>(values: readonly Value[], lengthOf: (value: Value) => number): Value[] =>
    values.slice(0, MAX_SHOWN_VALUES).filter((value) => {
      left -= lengthOf(value);
      return left >= 0;
    });
  const identifiers = few(entity.identifiers, ({ value }) => value.length);
  const lists = VALUE_LISTS.map((list) => [list, few(entity[list], (value) => value.length)]);
  const shown = Object.fromEntries(lists) as Pick<ListedEntity, (typeof VALUE_LISTS)[number]>;
  const names = shown.names.length > 0 ? shown.names : entity.names.slice(0, 1);
  return { ...entity, ...shown, names, identifiers };
}

/** Returns the ids of concerned subjects; null if the finder cannot search for an entity. */
export function findConcerned(
  entities: readonly ListedEntity[],
  { subjects, list }: ConcernedPlan,
  find: (subjects: SubjectEditions, list: number) => ConcernedFinder,
): string[] | null {
  const ids = new Set<string>();
  for (const editions of subjects) {
    const finder = find(editions, list);
    for (const entity of entities) {
      const found = finder.find(entity);
      if (!found) return null;
      for (const id of found) ids.add(id);
    }
  }
  return [...ids];
}
