// The step log of a device: what happened and when, and how much of it the service knows already.
import type { LogEntry, ReportRequest } from '@limen/contract';

/** The contract's; a test compares them. */
export const LOG_MAX_ENTRIES = 80;
const LOG_MAX_AT = 86_400_000;

export interface StepLog {
  append(event: LogEntry[0], index: number): void;
  /** A copy of the whole log. */
  entries(): LogEntry[];
  /** What has not been taken by the service yet; undefined when it has everything. */
  unreported(): ReportRequest | undefined;
  /** Whether all of these are its first entries. */
  beginsWith(start: readonly LogEntry[]): boolean;
  /** The service has the log up to here. */
  markReported(report: ReportRequest): void;
}

/**
 * Times are counted from now, on a clock that is never set. After a reload they go on from what was reported before, so
 * that they never run ahead of the service's clock.
 */
export function createStepLog(monotonicNow: () => number, reportedBefore: readonly LogEntry[] = []): StepLog {
  const log = [...reportedBefore];
  let reported = log.length;
  const startedAt = monotonicNow() - (log.at(-1)?.[2] ?? 0);
  return {
    append(event, index) {
      if (log.length >= LOG_MAX_ENTRIES) {
        throw new RangeError(`the log has ${LOG_MAX_ENTRIES} entries, and no more are taken; cancel the session`);
      }
      const at = Math.round(monotonicNow() - startedAt);
      log.push([event, index, Math.min(Math.max(at, 0), LOG_MAX_AT)]);
    },
    entries: () => [...log],
    beginsWith: (start) => JSON.stringify(log.slice(0, start.length)) === JSON.stringify(start),
    unreported: () => (reported < log.length ? { from: reported, entries: log.slice(reported) } : undefined),
    markReported({ from, entries }) {
      reported = Math.max(reported, from + entries.length);
    },
  };
}
