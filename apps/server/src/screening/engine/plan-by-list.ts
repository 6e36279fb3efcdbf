// What is asked of each list: a filter by lists is about the name that a list is loaded under as well.
import type { EntityFilter } from '@limen/screening';
import type { ListPlan } from './messages.ts';

export interface PlannedEdition {
  edition: number;
  /** In the plan. */
  place: number;
  filter: EntityFilter | undefined;
}

export function plansByList({ editions, lists, filter }: ListPlan): PlannedEdition[] {
  return editions.flatMap((edition, place) => {
    const list = lists[place] ?? '';
    if (filter?.withoutDatasets?.includes(list)) return [];
    const isWhole = filter?.datasets?.includes(list);
    return [{ edition, place, filter: isWhole ? { ...filter, datasets: undefined } : filter }];
  });
}
