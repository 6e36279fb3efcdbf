// The step log of a device: what happened and when, and how much of it the service knows already.

import type { ReportRequest } from '@limen/contract';
import {
  COLOURS_PER_ATTEMPT,
  countColours,
  LOG_EVENTS,
  LOG_MAX_AT,
  LOG_MAX_ENTRIES,
  type LogEntry,
  type PlanCourse,
} from '@limen/plan';

export type StepLog = ReturnType<typeof createStepLog>;

/**
 * Whether an entry is reported when it happens: it begins an attempt, uses up an attempt's colours, or says that somebody
 * wants no more of them, and that has to outlive the page. The others go with the next call, or with the answer.
 */
function isReportedAtOnce([event, index]: LogEntry): boolean {
  if (event === 'lit') return index % COLOURS_PER_ATTEMPT === 0;
  return event === 'started' || event === 'retried' || event === 'carried' || event === 'stopped';
}

/** Throws a `TypeError` for what is no event, or names nothing in the plan: to report such a thing could end the session. */
export function checkEntry({ steps, carried = [] }: PlanCourse, event: LogEntry[0], index: number): void {
  if (!LOG_EVENTS.includes(event)) throw new TypeError(`event must be one of ${LOG_EVENTS.join(', ')}`);
  if (event === 'carried' && !carried.includes(index)) {
    throw new TypeError('index of carried must be the position of a step that the previous device finished');
  }
  const [what, count] = namedBy(event, steps);
  if (Number.isInteger(index) && index >= 0 && index < count) return;
  const range = count > 0 ? `from 0 to ${count - 1}` : 'and the plan has none';
  throw new TypeError(`index of ${event} must be the position of ${what}, ${range}`);
}

/** What the index of an event names, and how many of those there are. */
function namedBy(event: LogEntry[0], steps: PlanCourse['steps']): [what: string, count: number] {
  const [face] = steps.filter((step) => step.step === 'face');
  const challenges = face?.challenges.length ?? 0;
  if (event === 'shown' || event === 'done') return ['a challenge of the running step', challenges];
  if (event === 'asked' || event === 'answered')
    return ['the challenge of a camera request', face?.cameraRequest ? challenges : 0];
  if (event === 'lit' || event === 'stopped') {
    const drawn = face?.light ? countColours(face.light) : 0;
    return ["a colour of the running step's light", drawn];
  }
  return ["a step of the plan's", steps.length];
}

/**
 * Times are counted from now, on a clock that is never set. After a reload they go on from what was reported before, so
 * that they never run ahead of the service's clock. With `startedByClaim` the service has the first entry, and it shows
 * here once it is appended.
 */
export function createStepLog(
  monotonicNow: () => number,
  reportedBefore: readonly LogEntry[] = [],
  startedByClaim = false,
) {
  const log = startedByClaim ? [] : [...reportedBefore];
  let started = startedByClaim ? reportedBefore[0] : undefined;
  let reported = reportedBefore.length;
  const startedAt = monotonicNow() - (log.at(-1)?.[2] ?? 0);
  function draft(event: LogEntry[0], index: number): LogEntry {
    if (log.length >= LOG_MAX_ENTRIES) {
      throw new RangeError(`the log has ${LOG_MAX_ENTRIES} entries, and no more are accepted; cancel the session`);
    }
    const at = Math.round(monotonicNow() - startedAt);
    return [event, index, Math.min(Math.max(at, 0), LOG_MAX_AT)];
  }
  return {
    /** The entry that `append` would add now, which is not added: it goes with the answer alone. */
    draft,
    append(event: LogEntry[0], index: number): LogEntry {
      if (started) {
        const first = started;
        started = undefined;
        log.push(first);
        if (first[0] === event && first[1] === index) return first;
      }
      const entry = draft(event, index);
      log.push(entry);
      return entry;
    },
    /** A copy of the whole log. */
    entries: (): LogEntry[] => [...log],
    /** Whether all of these are its first entries. */
    beginsWith(start: readonly LogEntry[]): boolean {
      const whole = started ? [started, ...log] : log;
      return JSON.stringify(whole.slice(0, start.length)) === JSON.stringify(start);
    },
    /** Whether the service has taken any of it. */
    isOnRecord: (): boolean => reported > 0,
    /** Whether something of what is not reported has to be. */
    isReportDue: (): boolean => log.slice(reported).some(isReportedAtOnce),
    /** What has not been taken by the service yet; undefined when it has everything. */
    unreported: (): ReportRequest | undefined =>
      reported < log.length ? { from: reported, entries: log.slice(reported) } : undefined,
    /** The service has the log up to here. */
    markReported({ from, entries }: ReportRequest): void {
      reported = Math.max(reported, from + entries.length);
    },
    /** The service does not take these: they would hold up all that comes after them. */
    drop({ from, entries }: ReportRequest): void {
      log.splice(from, entries.length);
    },
  };
}
