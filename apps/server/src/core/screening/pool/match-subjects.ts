// What a worker does with subjects: screens each against all editions, an entity that several have once.
import { readSubject, type Screener, type Subject, type SubjectScreener } from '@limen/screening';
import { dropTwins } from './drop-twins.ts';
import { plansByList } from './plan-by-list.ts';
import type { FoundMatch, MatchPlan, SubjectOutcome } from './worker-messages.ts';

/** Of one edition, made at first use. */
export interface Screeners {
  names: Screener;
  subjects: SubjectScreener;
}

/** The screeners of an edition. */
export type FindScreeners = (edition: number) => Screeners;

export function matchSubjects(subjects: readonly Subject[], plan: MatchPlan, find: FindScreeners): SubjectOutcome[] {
  const { topic, threshold, countFrom, limit, without } = plan;
  const screeners = plansByList(plan).map(({ edition, place, filter }) => ({
    screener: find(edition).subjects,
    place,
    filter,
  }));
  return subjects.map((subject) => {
    const read = readSubject(subject);
    const all = screeners.map(({ screener, filter, place }) => {
      const one = screener.screen(read, { topic, threshold, countFrom, limit, without, filter });
      return { ...one, matches: one.matches.map((match): FoundMatch => ({ ...match, place })) };
    });
    // Stable, so that equal scores keep the order of the lists.
    const ranked = all.flatMap((one) => one.matches).sort((a, b) => b.score - a.score);
    return {
      best: Math.max(0, ...all.map(({ best }) => best)),
      found: new Set(all.flatMap(({ found }) => found)).size,
      complete: all.every(({ complete }) => complete),
      matches: dropTwins(ranked, ({ entity }) => entity.id).slice(0, limit),
      warnings: read.warnings,
    };
  });
}
