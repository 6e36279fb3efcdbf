// The step log: its entries and size limits.
import { COLORS_PER_ATTEMPT, LIGHT_ATTEMPTS } from './light.ts';

export const LOG_EVENTS = [
  'started',
  'shown',
  'done',
  'asked',
  'answered',
  'lit',
  'stopped',
  'retried',
  'finished',
  'carried',
] as const;
export type LogEvent = (typeof LOG_EVENTS)[number];

/**
 * Event, index and time. `started`, `finished`: a step by position. `shown`, `done`: a movement of
 * the running step. `asked`: the movement after which another frame rate was requested; `answered`:
 * the camera agreed or refused. `lit`: a color by its position among all attempts, at full
 * intensity; `stopped`: the last one, stopped by the person. `retried`: the step that restarts,
 * which undoes everything after it. `carried`: a step that the previous device completed. The time
 * is in milliseconds since the plan arrived, on a monotonic clock.
 */
export type LogEntry = readonly [event: LogEvent, index: number, at: number];

/** Maximum entries over all attempts. */
export const LOG_MAX_ENTRIES = 160;
/** Maximum time of an entry in milliseconds: the longest session. */
export const LOG_MAX_AT = 86_400_000;
export const PLAN_MAX_STEPS = 16;
/** Open plans may come from the previous release, which drew more attempts. */
const EARLIER_ATTEMPTS = 6;
/** Highest index of an entry: the last color of the last attempt. */
export const LOG_MAX_INDEX = Math.max(LIGHT_ATTEMPTS, EARLIER_ATTEMPTS) * COLORS_PER_ATTEMPT - 1;

/** Parses a log of valid form; its content is checked elsewhere. */
export function readLog(value: unknown): LogEntry[] | undefined {
  if (!Array.isArray(value) || value.length > LOG_MAX_ENTRIES) return undefined;
  const sound = value.every(
    (entry) =>
      Array.isArray(entry) &&
      entry.length === 3 &&
      typeof entry[0] === 'string' &&
      Number.isSafeInteger(entry[1]) &&
      Number.isSafeInteger(entry[2]) &&
      entry[2] >= 0,
  );
  return sound ? (value as LogEntry[]) : undefined;
}

/** Returns whether `log` starts with all entries of `start`. */
export function beginsWith(log: readonly LogEntry[], start: readonly LogEntry[]): boolean {
  return start.length <= log.length && start.every((entry, index) => isSameEntry(entry, log[index]!));
}

function isSameEntry(a: LogEntry, b: LogEntry): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2];
}
