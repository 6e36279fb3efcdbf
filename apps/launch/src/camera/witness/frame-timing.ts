// The sign `frame_timing`: frames with a regularity or times that no camera has.
import { type FrameMark, getFrameTime, listIntervals } from './frame-mark.ts';

/** A newly opened camera adjusts its exposure and drops frames. */
const WARM_UP_MS = 1_000;

export function hasOddTiming(marks: readonly FrameMark[]): boolean {
  const first = marks[0]?.readAt ?? 0;
  const warm = marks.filter(({ readAt }) => readAt - first >= WARM_UP_MS);
  return isTooEven(warm) || hasTimerPace(warm) || comesFromTheFuture(warm);
}

/** Long enough for the jitter of a camera, its bus and a busy system to show. */
const EVEN_MS = 3_000;
const EVEN_MARKS = 30;
/** Chromium rounds to 0.1 ms if a page is not isolated, so an even pace stays within that. */
const EVEN_WITHIN_MS = 0.15;

/**
 * Detects frames whose clocks all fit a straight line. Media time is excluded, because drivers and
 * browsers quantize it. Real presentation times vary by one to five milliseconds, measured in an
 * idle Chromium.
 */
function isTooEven(marks: readonly FrameMark[]): boolean {
  const last = marks.slice(-EVEN_MS / 10);
  if (last.length < EVEN_MARKS || getSpanMs(last) < EVEN_MS || isCoarse(last.map(({ readAt }) => readAt))) return false;
  const clocks = (['presentedAt', 'capturedAt'] as const).filter((name) => last.some((mark) => mark[name] !== null));
  return clocks.includes('presentedAt') && clocks.every((name) => fitsLine(last, name));
}

function getSpanMs(marks: readonly FrameMark[]): number {
  return (marks.at(-1)?.readAt ?? 0) - (marks[0]?.readAt ?? 0);
}

/** Browsers that round their clocks to 1 ms or 1/60 s make any stream look even. */
const FINE_TENTHS = 5;

function isCoarse(times: readonly number[]): boolean {
  return new Set(times.map((time) => Math.round((time % 1) * 10) % 10)).size < FINE_TENTHS;
}

function fitsLine(marks: readonly FrameMark[], name: 'presentedAt' | 'capturedAt'): boolean {
  const points: [count: number, time: number][] = [];
  for (const mark of marks) {
    const time = mark[name];
    if (mark.count === null || time === null) return false;
    points.push([mark.count, time]);
  }
  const mean = (axis: 0 | 1) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [countMean, timeMean] = [mean(0), mean(1)];
  let [covered, spread] = [0, 0];
  for (const [count, time] of points) {
    covered += (count - countMean) * (time - timeMean);
    spread += (count - countMean) ** 2;
  }
  if (spread === 0) return false;
  const slope = covered / spread;
  return (
    slope > 0 &&
    points.every(([count, time]) => Math.abs(time - timeMean - slope * (count - countMean)) < EVEN_WITHIN_MS)
  );
}

const PACE_INTERVALS = 60;
const PACE_WITHIN_MS = 0.15;
const PACE_SHARE = 0.5;
/** Frame rates of cameras, also in the dark, and of television. Several have whole milliseconds. */
const CAMERA_RATES = [120, 100, 90, 60, 59.94, 50, 48, 30, 29.97, 25, 24, 23.976, 20, 15, 14.985, 12.5, 12, 10, 7.5, 5];
const SHORTEST_MS = 8;
const LONGEST_MS = 100;

/**
 * Detects the pace of a program's timer: half of the intervals are the same whole number of
 * milliseconds, such as 33 or 34 instead of 33.333, and no camera's rate. Cameras with a good clock
 * stay within a hundredth of their rate; others jitter by more than this allows.
 */
function hasTimerPace(marks: readonly FrameMark[]): boolean {
  const intervals = listIntervals(marks);
  if (intervals.length < PACE_INTERVALS || isCoarse(marks.map(getFrameTime))) return false;
  const shares = new Map<number, number>();
  for (const interval of intervals) {
    const whole = Math.round(interval);
    if (whole < SHORTEST_MS || whole > LONGEST_MS || Math.abs(interval - whole) > PACE_WITHIN_MS) continue;
    if (CAMERA_RATES.some((rate) => Math.abs(1_000 / rate - whole) < PACE_WITHIN_MS)) continue;
    shares.set(whole, (shares.get(whole) ?? 0) + 1 / intervals.length);
  }
  return [...shares.values()].some((share) => share >= PACE_SHARE);
}

const FUTURE_MS = 50;
const FUTURE_MARKS = 10;

/** A frame cannot be presented before its capture. */
function comesFromTheFuture(marks: readonly FrameMark[]): boolean {
  const early = marks.filter(
    ({ presentedAt, capturedAt }) =>
      presentedAt !== null && capturedAt !== null && capturedAt - presentedAt > FUTURE_MS,
  );
  return early.length >= FUTURE_MARKS;
}
