// Step log of a device: events with times, and how far they were reported.

import type { ReportRequest } from '@limen/contract';
import {
  COLORS_PER_ATTEMPT,
  countColors,
  LOG_EVENTS,
  LOG_MAX_AT,
  LOG_MAX_ENTRIES,
  type LogEntry,
  type PlanCourse,
} from '@limen/plan';

export type StepLog = ReturnType<typeof createStepLog>;

/**
 * Returns whether an entry must be reported immediately so that it survives the page: it starts an
 * attempt, uses up an attempt's colors, or declines further colors. Other entries go with the next
 * call or the answer.
 */
function isReportedAtOnce([event, index]: LogEntry): boolean {
  if (event === 'lit') return index % COLORS_PER_ATTEMPT === 0;
  return event === 'started' || event === 'retried' || event === 'carried' || event === 'stopped';
}

/** Throws a `TypeError` for an unknown event or index, which could end the session. */
export function checkEntry({ steps, carried = [] }: PlanCourse, event: LogEntry[0], index: number): void {
  if (!LOG_EVENTS.includes(event)) throw new TypeError(`event must be one of ${LOG_EVENTS.join(', ')}`);
  if (event === 'carried' && !carried.includes(index)) {
    throw new TypeError('index of carried must be the position of a step that the previous device finished');
  }
  const [what, count] = describeIndex(event, steps);
  if (Number.isInteger(index) && index >= 0 && index < count) return;
  const range = count > 0 ? `from 0 to ${count - 1}` : 'but the plan has none';
  throw new TypeError(`index of ${event} must be the position of ${what}, ${range}`);
}

/** Returns what an event's index refers to, and how many of these exist. */
function describeIndex(event: LogEntry[0], steps: PlanCourse['steps']): [what: string, count: number] {
  const [face] = steps.filter((step) => step.step === 'face');
  const challenges = face?.challenges.length ?? 0;
  if (event === 'shown' || event === 'done') return ['a challenge of the running step', challenges];
  if (event === 'asked' || event === 'answered')
    return ['a challenge with a camera request', face?.cameraRequest ? challenges : 0];
  if (event === 'lit' || event === 'stopped') {
    const drawn = face?.light ? countColors(face.light) : 0;
    return ["a color of the running step's light", drawn];
  }
  return ['a step of the plan', steps.length];
}

/**
 * Times start now on a monotonic clock. After a reload they continue from the reported ones, so
 * that they never run ahead of the service's clock. With `startedByClaim` the service already has
 * the first entry, which appears here once appended.
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
      throw new RangeError(`The log already has the maximum of ${LOG_MAX_ENTRIES} entries. Cancel the session.`);
    }
    const at = Math.round(monotonicNow() - startedAt);
    return [event, index, Math.min(Math.max(at, 0), LOG_MAX_AT)];
  }
  return {
    /** Returns the entry that `append` would add, for the answer, without adding it. */
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
    /** Returns a copy of the log. */
    entries: (): LogEntry[] => [...log],
    /** Returns whether these are the log's first entries. */
    beginsWith(start: readonly LogEntry[]): boolean {
      const whole = started ? [started, ...log] : log;
      return JSON.stringify(whole.slice(0, start.length)) === JSON.stringify(start);
    },
    /** Returns whether the service has received any entry. */
    isOnRecord: (): boolean => reported > 0,
    /** Returns whether an unreported entry requires a report. */
    isReportDue: (): boolean => log.slice(reported).some(isReportedAtOnce),
    /** Returns the entries that the service does not have yet, or undefined. */
    unreported: (): ReportRequest | undefined =>
      reported < log.length ? { from: reported, entries: log.slice(reported) } : undefined,
    /** Marks entries as received by the service. */
    markReported({ from, entries }: ReportRequest): void {
      reported = Math.max(reported, from + entries.length);
    },
    /** Removes entries that the service refuses, because they would block all later ones. */
    drop({ from, entries }: ReportRequest): void {
      log.splice(from, entries.length);
    },
  };
}
