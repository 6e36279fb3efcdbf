// What a worker does with subjects: screens each against all editions, an entity that several have once.
import {
  type ListedEntity,
  readSubject,
  type Screener,
  type ScreeningIndex,
  type Subject,
  type SubjectScreener,
} from '@limen/screening';
import type { FoundMatch, MatchPlan, SubjectOutcome } from './messages.ts';
import { allIds, dropTwins, entriesElsewhere, plansByList, withTwins } from './twins.ts';

/** Of one edition, made at first use. */
export interface Screeners {
  index: ScreeningIndex;
  names: Screener;
  subjects: SubjectScreener;
}

export type FindScreeners = (edition: number) => Screeners;

export function matchSubjects(subjects: readonly Subject[], plan: MatchPlan, find: FindScreeners): SubjectOutcome[] {
  const { topic, threshold, countFrom, limit, without, byList = false } = plan;
  const lists = plansByList(plan).map(({ edition, place, filter }) => ({ ...find(edition), place, filter }));
  const wholeIn = (own: number) => {
    if (lists.length === 1) return undefined;
    const others = lists.filter(({ place }) => place !== own);
    return (entity: ListedEntity) => withTwins(entity, others, topic);
  };
  const withElsewhere = (match: FoundMatch): FoundMatch => {
    const others = lists.filter(({ place }) => place !== match.place);
    return { ...match, elsewhere: entriesElsewhere(match.entity, others, topic) };
  };
  return subjects.map((subject) => {
    const read = readSubject(subject);
    const all = lists.map(({ subjects: screener, filter, place }) => {
      const wanted = { topic, threshold, countFrom, limit, without, filter };
      const one = screener.screen(read, { ...wanted, whole: wholeIn(place), showsOwn: byList });
      return { ...one, place, matches: one.matches.map((match): FoundMatch => ({ ...match, place })) };
    });
    // Stable, so that equal scores keep the order of the lists.
    const ranked = all.flatMap((one) => one.matches).sort((a, b) => b.score - a.score);
    const matches = dropTwins(
      ranked,
      ({ entity }) => (byList ? [entity.id] : allIds(entity)),
      ({ entity }) => entity,
    ).slice(0, limit);
    const found = all.flatMap((one) => one.found.map((ids) => ({ ids, place: one.place })));
    return {
      best: Math.max(0, ...all.map(({ best }) => best)),
      found: dropTwins(found, ({ ids }) => (byList ? ids.slice(0, 1) : ids)).length,
      complete: all.every(({ complete }) => complete),
      matches: byList ? matches.map(withElsewhere) : matches,
      warnings: read.warnings,
    };
  });
}

/** One at least; an outcome for each of those that had their turn. */
export function matchSome(
  subjects: readonly Subject[],
  plan: MatchPlan,
  find: FindScreeners,
  most?: number,
): SubjectOutcome[] {
  const isEnough = watchEffort(plan.editions, find, most);
  const outcomes: SubjectOutcome[] = [];
  for (const subject of subjects) {
    if (outcomes.length > 0 && isEnough()) break;
    outcomes.push(...matchSubjects([subject], plan, find));
  }
  return outcomes;
}

/** In the unit of `Screener.spent`: a fraction of a second. Ordinary rows and subjects cost less than that all together. */
const TASK_EFFORT = 1_000_000;

/** Whether the searches of this task have cost so much that others should have their turn. */
export function watchEffort(editions: readonly number[], find: FindScreeners, most = TASK_EFFORT): () => boolean {
  const spent = () => editions.reduce((sum, edition) => sum + find(edition).names.spent, 0);
  const before = spent();
  return () => spent() - before >= most;
}
