// Which lists could not be shared and when each is tried again: an index of hundreds of megabytes is not brought anew every few seconds.
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../platform/clock.ts';
import { exponentialBackoff } from '../../../platform/jobs/job.ts';

const backoffMs = exponentialBackoff(5_000, 5 * 60_000);

/** What is to be done with a list, and with which versions of it; another one is tried at once. */
export interface Aim {
  step: string;
  local: string | undefined;
  shared: string | undefined;
}

interface Failure {
  aim: Aim;
  row: Uint8Array | undefined;
  tries: number;
  failedAt: number;
  waitMs: number;
  reason: string;
}

export interface FailedTries {
  /** `row` is the sealed row by which it was decided. */
  isDue(name: string, aim: Aim, row: Uint8Array | undefined): boolean;
  /** Returns whether that is news: the aim is another one, or the reason is. */
  note(name: string, aim: Aim, row: Uint8Array | undefined, reason: string): boolean;
  forget(name: string): void;
}

export function createFailedTries(clock: Clock): FailedTries {
  const failures = new Map<string, Failure>();
  const find = (name: string, aim: Aim) => {
    const failure = failures.get(name);
    return failure && isDeepStrictEqual(failure.aim, aim) ? failure : undefined;
  };
  return {
    isDue(name, aim, row) {
      const failure = find(name, aim);
      if (!failure) return true;
      // Somebody has brought its pieces again. That helps at once or, where it fails here for another reason, never: whoever has the list
      // would have to bring it every few seconds.
      const isAnswered = failure.tries === 1 && !isSame(failure.row, row);
      // A clock that was set to another time makes it due, whichever way.
      return isAnswered || Math.abs(clock.now() - failure.failedAt) >= failure.waitMs;
    },
    note(name, aim, row, reason) {
      const before = find(name, aim);
      const tries = (before?.tries ?? 0) + 1;
      failures.set(name, { aim, row, tries, failedAt: clock.now(), waitMs: backoffMs(tries), reason });
      return before?.reason !== reason;
    },
    forget: (name) => void failures.delete(name),
  };
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one && other ? Buffer.compare(one, other) === 0 : one === other;
}
