// The first of several subjects, as many as make a task.
import type { Subject } from '@limen/screening';
import { type FindScreeners, matchSubjects } from './match-subjects.ts';
import type { MatchPlan, SubjectOutcome } from './messages.ts';
import { watchEffort } from './task-effort.ts';

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
