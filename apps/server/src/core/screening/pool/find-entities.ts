// What a worker does to find listed entities: by words over all editions, or by an id.
import {
  findEntity as findInIndex,
  type ListedEntity,
  mergeEntities,
  type ScreeningIndex,
  type TextSearch,
} from '@limen/screening';
import { plansByList } from './plan-by-list.ts';
import type { EntitySearch, ListPlan, SearchOutcome } from './worker-messages.ts';

export function searchEntities(
  { text, fuzzy, limit }: EntitySearch,
  plan: ListPlan,
  find: (edition: number) => TextSearch,
): SearchOutcome {
  const all = plansByList(plan).map(({ edition, filter }) =>
    find(edition).search(text, { fuzzy, topic: plan.topic, filter, limit }),
  );
  // Stable, so that what fits equally well keeps the order of the lists.
  const found = all.flatMap(({ entities }) => entities).sort((a, b) => b.share - a.share);
  const merged = new Map<string, ListedEntity>();
  for (const { entity } of found) merged.set(entity.id, join(merged.get(entity.id), entity));
  const entities = [...merged.values()];
  const complete = all.every((one) => one.complete) && entities.length <= limit;
  return { entities: entities.slice(0, limit), complete };
}

/** What all lists say of it together. One that has the id itself counts before one that had it once. */
export function findEntity(id: string, indexes: readonly ScreeningIndex[]): ListedEntity | null {
  const found = indexes.flatMap((index) => findInIndex(index, id) ?? []);
  const canonical = found.find((entity) => entity.id === id) ?? found[0];
  const parts = found.filter((entity) => entity.id === canonical?.id);
  return parts.length === 0 ? null : parts.reduce(mergeEntities);
}

function join(known: ListedEntity | undefined, entity: ListedEntity): ListedEntity {
  return known ? mergeEntities(known, entity) : entity;
}
