// What a worker does with changed entities of a list: says which of the subjects they may concern.
import type { ConcernedFinder, ListedEntity } from '@limen/screening';

export interface ConcernedPlan {
  /** The edition that the entities are of. */
  list: number;
  subjects: readonly SubjectEditions[];
}

/** An index of subjects, and those of its subjects whose names are written as fewer words than they have. */
export interface SubjectEditions {
  all: number;
  glued: readonly number[];
}

/** Ids of the subjects; null where an entity is none that can be looked for. */
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
