// The sign `request_ignored`: asked for another frame rate, a camera said yes and changed nothing, or answered as none does.
import type { FrameMark } from './frame-mark.ts';

/** Frames per second, and from how many frames over which time it is known. */
export interface Pace {
  rate: number;
  frames: number;
  spanMs: number;
}

export interface CameraAnswer {
  /** `pending`: it took longer than the page waits. */
  reply: 'agreed' | 'pending' | { refused: string };
  /** The function that was called is the browser's own. */
  isNative: boolean;
  askedRate: number;
  /** As the settings had it afterwards. */
  toldRate: number | undefined;
  before: Pace;
  after: Pace;
}

/** What a browser says of a camera that cannot, is busy, or was taken away. */
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

/** Between one rate and half of it: no camera that changed its rate is as quick as this, and none that did not is slower. */
const STILL_QUICK = 1.6;
const TOLD_SLACK = 1.1;
const SURE_FRAMES = 8;
const SURE_MS = 500;

export function isRequestIgnored({ reply, isNative, askedRate, toldRate, before, after }: CameraAnswer): boolean {
  if (!isNative) return true;
  if (reply === 'pending') return false;
  if (reply !== 'agreed') return !HONEST_REFUSALS.has(reply.refused);
  // It agreed to nothing: the rate was a wish, and the camera has no such rate.
  if (toldRate === undefined || toldRate > askedRate * TOLD_SLACK) return false;
  // Of a page or a camera that is slower than that anyway nothing can be told.
  return [before, after].every(
    ({ rate, frames, spanMs }) => frames >= SURE_FRAMES && spanMs >= SURE_MS && rate > askedRate * STILL_QUICK,
  );
}

/** The rate to ask for, or null where the camera's is too low already, or not known. */
export function chooseRate(frameRate: number | undefined): number | null {
  const wanted = Math.max(LEAST_RATE, Math.round((frameRate ?? 0) / 2));
  return frameRate !== undefined && wanted <= frameRate * LESS ? wanted : null;
}

/** Movements are read from fewer frames than this. */
const LEAST_RATE = 10;
/** Else it would be no change to speak of. */
const LESS = 0.75;

export function measurePace(marks: readonly FrameMark[], fromMs: number, toMs: number): Pace {
  const within = marks.filter(({ readAt, count }) => count !== null && readAt >= fromMs && readAt <= toMs);
  const [first, last] = [within[0], within.at(-1)];
  if (!first || !last || first === last) return { rate: 0, frames: 0, spanMs: 0 };
  const frames = last.count! - first.count!;
  const spanMs = last.readAt - first.readAt;
  return { rate: (frames * 1_000) / spanMs, frames, spanMs };
}
