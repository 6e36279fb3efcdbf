// Screens subjects against all editions. An entity of several lists counts once.
import {
  type ListedEntity,
  readSubject,
  type Screener,
  type ScreeningIndex,
  type Subject,
  type SubjectScreener,
} from '@limen/screening';
import type { MatchPlan, RankedMatch, SubjectOutcome } from './messages.ts';
import { allIds, dropEntityTwins, dropTwins, entriesElsewhere, plansByList, withTwins } from './twins.ts';

export interface Screeners {
  index: ScreeningIndex;
  names: Screener;
  subjects: SubjectScreener;
}

export type FindScreeners = (edition: number) => Screeners;

export function matchSubjects(subjects: readonly Subject[], plan: MatchPlan, find: FindScreeners): SubjectOutcome[] {
  const { topic, threshold, countFrom, limit, without, byList = false } = plan;
  const lists = plansByList(plan).map(({ edition, place, filter }) => ({ ...find(edition), place, filter }));
  const listsExcept = (own: number) => lists.filter(({ place }) => place !== own);
  const wholeIn = (own: number) => {
    if (lists.length === 1) return undefined;
    const others = listsExcept(own);
    return (entity: ListedEntity) => withTwins(entity, others, topic);
  };
  const withElsewhere = (match: RankedMatch): RankedMatch => {
    return { ...match, elsewhere: entriesElsewhere(match.entity, listsExcept(match.place), topic) };
  };
  return subjects.map((subject) => {
    const read = readSubject(subject);
    const all = lists.map(({ subjects: screener, filter, place }) => {
      const wanted = { topic, threshold, countFrom, limit, without, filter };
      const outcome = screener.screen(read, { ...wanted, whole: wholeIn(place), showsOwn: byList });
      return { ...outcome, place, matches: outcome.matches.map((match): RankedMatch => ({ ...match, place })) };
    });
    // The sort is stable, so that equal scores keep the order of the lists.
    const ranked = all.flatMap((outcome) => outcome.matches).sort((a, b) => b.score - a.score);
    const matches = dropEntityTwins(ranked, byList ? ({ id }) => [id] : allIds).slice(0, limit);
    const found = all.flatMap((outcome) => outcome.found.map((ids) => ({ ids, place: outcome.place })));
    return {
      best: Math.max(0, ...all.map(({ best }) => best)),
      found: dropTwins(found, ({ ids }) => (byList ? ids.slice(0, 1) : ids)).length,
      complete: all.every(({ complete }) => complete),
      matches: byList ? matches.map(withElsewhere) : matches,
      warnings: read.warnings,
    };
  });
}

/** Screens as many subjects as make a task, but at least one. */
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

/** Effort of a task in the unit of `Screener.spent`: a fraction of a second, and more than ordinary pieces cost */
const TASK_EFFORT = 1_000_000;

/** Returns a check whether the searches of this task have cost so much that it should end. */
export function watchEffort(editions: readonly number[], find: FindScreeners, most = TASK_EFFORT): () => boolean {
  const spent = () => editions.reduce((sum, edition) => sum + find(edition).names.spent, 0);
  const before = spent();
  return () => spent() - before >= most;
}
