// The step log: what an entry of it is, and how large it may become.
import { COLOURS_PER_ATTEMPT, LIGHT_ATTEMPTS } from './light.ts';

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
 * What happened, to which, and when. `started` and `finished` name a step of the plan by its position, `shown` and `done` a
 * movement of the running step, `asked` the movement after which the camera was asked for another frame rate, `answered` the
 * same once the camera has agreed or refused, and `lit` a colour of its light, by its position among those of all attempts, once it is wholly shown. `stopped` names the last of
 * them where the person wanted no more. `retried` names the step that begins again: the running one or one before it, and then all
 * that came after that is undone. `carried` stands for a whole step that the device before has finished, where the plan
 * says so. The time is in milliseconds since the plan came, on a clock that is never set.
 */
export type LogEntry = readonly [event: LogEvent, index: number, at: number];

/** Entries at most, over all attempts. */
export const LOG_MAX_ENTRIES = 160;
/** Milliseconds on a device's clock that an entry may carry at most: the longest life of a session. */
export const LOG_MAX_AT = 86_400_000;
/** Steps of a plan at most. */
export const PLAN_MAX_STEPS = 16;
/** Plans that are still open may be of the release before, which drew more. */
const EARLIER_ATTEMPTS = 6;
/** The highest position that an entry can name: the last colour of the last attempt. */
export const LOG_MAX_INDEX = Math.max(LIGHT_ATTEMPTS, EARLIER_ATTEMPTS) * COLOURS_PER_ATTEMPT - 1;

/** A log of the right form; what it says is another matter. */
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

/** Whether `log` begins with all of `start`. */
export function beginsWith(log: readonly LogEntry[], start: readonly LogEntry[]): boolean {
  return start.length <= log.length && start.every((entry, index) => isSameEntry(entry, log[index]!));
}

function isSameEntry(a: LogEntry, b: LogEntry): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2];
}
