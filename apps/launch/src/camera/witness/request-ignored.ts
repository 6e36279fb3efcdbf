// The sign `request_ignored`: a camera accepted another frame rate and changed nothing, or answered
// as none does.
import type { FrameMark } from './frame-mark.ts';

/** Measured frames per second, and the number of frames and time it is based on. */
export interface Pace {
  rate: number;
  frames: number;
  spanMs: number;
}

export interface CameraAnswer {
  /** `pending`: no answer within the page's limit. */
  reply: 'agreed' | 'pending' | { refused: string };
  /** Whether the called function is native. */
  isNative: boolean;
  askedRate: number;
  /** Rate in the settings after the request. */
  reportedRate: number | undefined;
  before: Pace;
  after: Pace;
}

/** Errors of browsers for a camera that is incapable, busy or gone. */
const HONEST_REFUSALS = new Set([
  'OverconstrainedError',
  'ConstraintNotSatisfiedError',
  'NotSupportedError',
  'NotReadableError',
  'NotAllowedError',
  'NotFoundError',
  'InvalidStateError',
  'InvalidAccessError',
  'OperationError',
  'SecurityError',
  'AbortError',
  'UnknownError',
]);

/**
 * Ratio between an unchanged rate and half of it. A changed rate stays below it, an unchanged one
 * above.
 */
const UNCHANGED_RATIO = 1.6;
const REPORTED_SLACK = 1.1;
const SURE_FRAMES = 8;
const SURE_MS = 500;

export function isRequestIgnored({ reply, isNative, askedRate, reportedRate, before, after }: CameraAnswer): boolean {
  if (!isNative) return true;
  if (reply === 'pending') return false;
  if (reply !== 'agreed') return !HONEST_REFUSALS.has(reply.refused);
  // The rate is only a preference, and the camera does not have it.
  if (reportedRate === undefined || reportedRate > askedRate * REPORTED_SLACK) return false;
  // A page or camera that is slower anyway proves nothing.
  return [before, after].every(
    ({ rate, frames, spanMs }) => frames >= SURE_FRAMES && spanMs >= SURE_MS && rate > askedRate * UNCHANGED_RATIO,
  );
}

/** Returns the rate to request, or null if the camera's rate is unknown or already too low. */
export function chooseRate(frameRate: number | undefined): number | null {
  const wanted = Math.max(MIN_RATE, Math.round((frameRate ?? 0) / 2));
  return frameRate !== undefined && wanted <= frameRate * MAX_RATE_SHARE ? wanted : null;
}

/** Minimum rate for reading movements. */
const MIN_RATE = 10;
/** A smaller change would be too hard to detect. */
const MAX_RATE_SHARE = 0.75;

export function measurePace(marks: readonly FrameMark[], fromMs: number, toMs: number): Pace {
  const marksInRange = marks.filter(({ readAt, count }) => count !== null && readAt >= fromMs && readAt <= toMs);
  const [first, last] = [marksInRange[0], marksInRange.at(-1)];
  if (!first || !last || first === last) return { rate: 0, frames: 0, spanMs: 0 };
  const frames = last.count! - first.count!;
  const spanMs = last.readAt - first.readAt;
  return { rate: (frames * 1_000) / spanMs, frames, spanMs };
}
