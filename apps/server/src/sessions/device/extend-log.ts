// Adds a piece of the step log to what was reported before.
import { beginsWith, checkPrefix, LOG_MAX_ENTRIES, type LogEntry, type Misfit, type PlanCourse } from '@limen/plan';
import { invalid } from '../../platform/base/errors.ts';

/**
 * Entries that are there already may come again, because a reply can get lost. Other ones in their place are a conflict,
 * as two tabs of one device have it; a course that the plan cannot have is a misfit, whatever is there already.
 */
export function extendLog(
  plan: PlanCourse,
  log: readonly LogEntry[],
  from: number,
  entries: readonly LogEntry[],
): { log: readonly LogEntry[] } | { misfit: Misfit } | { conflict: true } {
  if (from > log.length) {
    throw invalid('body.from', `must be ${log.length} or less: the entries before it have not arrived`);
  }
  if (from + entries.length > LOG_MAX_ENTRIES) {
    throw invalid('body.entries', `must not make the log longer than ${LOG_MAX_ENTRIES} entries`);
  }
  const misfit = checkPrefix(plan, [...log.slice(0, from), ...entries]);
  if (misfit) return { misfit };
  const known = log.slice(from, from + entries.length);
  return beginsWith(entries, known) ? { log: [...log, ...entries.slice(known.length)] } : { conflict: true };
}
