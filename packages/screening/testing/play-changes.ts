// Measures which matches of individual searches the comparison of a changed list with all subjects
// misses.
import {
  createConcernedFinder,
  createScreener,
  IndexBuilder,
  indexGlued,
  type ListedEntity,
  readSubject,
  type ScreeningIndex,
  type Subject,
  SubjectScreener,
  shareGluing,
  toSubjectEntity,
} from '../src/index.ts';

export interface PlayedMatch {
  subject: Subject;
  entity: ListedEntity;
  score: number;
  isFound: boolean;
}

/** Entities that may match a subject. */
const LIMIT = 20;

export function buildIndex(entities: Iterable<ListedEntity>): ScreeningIndex {
  const builder = new IndexBuilder();
  for (const entity of entities) builder.add(entity);
  return builder.finish();
}

/** Compares the searches' matches with the entity's own lookup of subjects. */
export function playChanges(list: ScreeningIndex, subjects: readonly Subject[], threshold: number): PlayedMatch[] {
  const screener = new SubjectScreener(list, createScreener(list));
  const matches = subjects.flatMap((subject, at) =>
    screener
      .screen(readSubject(subject), { limit: LIMIT, threshold, topic: 'all' })
      .matches.map(({ entity, score }) => ({ at, subject, entity, score })),
  );
  const index = buildIndex(subjects.map((subject, at) => toSubjectEntity(String(at), subject)));
  const matched = [...new Map(matches.map(({ entity }) => [entity.id, entity])).values()];
  const glued = shareGluing(index, 2).flatMap((share) => indexGlued(index, list, share) ?? []);
  const finder = createConcernedFinder(index, list, glued);
  const found = new Map(matched.map((entity) => [entity.id, new Set(finder.find(entity))]));
  return matches.map(({ at, ...match }) => ({
    ...match,
    isFound: found.get(match.entity.id)?.has(String(at)) ?? false,
  }));
}
