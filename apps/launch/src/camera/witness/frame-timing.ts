// The sign `frame_timing`: frames with a regularity, or at times, that no camera has.
import { type FrameMark, listIntervals, timeOf } from './frame-mark.ts';

/** A camera that was just opened finds its exposure first, and drops frames meanwhile. */
const WARM_UP_MS = 1_000;

export function hasOddTiming(marks: readonly FrameMark[]): boolean {
  const first = marks[0]?.readAt ?? 0;
  const warm = marks.filter(({ readAt }) => readAt - first >= WARM_UP_MS);
  return isTooEven(warm) || hasTimersPace(warm) || comesFromTheFuture(warm);
}

/** Long enough that a camera, the bus behind it and a busy system must show. */
const EVEN_MS = 3_000;
const EVEN_MARKS = 30;
/** Chromium rounds to a tenth of a millisecond where a page is not isolated: an even pace is off by no more than that. */
const EVEN_WITHIN_MS = 0.15;

/**
 * Every clock of the frames runs on a straight line through their numbers. The stream's own time does not count: drivers and
 * browsers put it on a grid of their own. When frames arrive and are shown, nobody can put on one: measured in Chromium with
 * nothing else to do, that is off by one to five milliseconds.
 */
function isTooEven(marks: readonly FrameMark[]): boolean {
  const last = marks.slice(-EVEN_MS / 10);
  if (last.length < EVEN_MARKS || spanOf(last) < EVEN_MS || isCoarse(last.map(({ readAt }) => readAt))) return false;
  const clocks = (['presentedAt', 'capturedAt'] as const).filter((name) => last.some((mark) => mark[name] !== null));
  return clocks.includes('presentedAt') && clocks.every((name) => fitsLine(last, name));
}

function spanOf(marks: readonly FrameMark[]): number {
  return (marks.at(-1)?.readAt ?? 0) - (marks[0]?.readAt ?? 0);
}

/** Browsers that round their clocks to a millisecond or to a sixtieth of a second make anything even. */
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
/** The rates that cameras have, also when it is dark, and those of television. Several are whole milliseconds. */
const CAMERA_RATES = [120, 100, 90, 60, 59.94, 50, 48, 30, 29.97, 25, 24, 23.976, 20, 15, 14.985, 12.5, 12, 10, 7.5, 5];
const SHORTEST_MS = 8;
const LONGEST_MS = 100;

/**
 * Half of the frames follow the one before by the same whole number of milliseconds, and it is that of no camera's rate: 33
 * or 34 instead of 33.333, as timers of programs have it. Cameras whose frames are counted by a good clock stay within a
 * hundredth of their rate; those that are not, jitter by more than this allows.
 */
function hasTimersPace(marks: readonly FrameMark[]): boolean {
  const intervals = listIntervals(marks);
  if (intervals.length < PACE_INTERVALS || isCoarse(marks.map(timeOf))) return false;
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

/** Nothing is shown before it was taken. */
function comesFromTheFuture(marks: readonly FrameMark[]): boolean {
  const early = marks.filter(
    ({ presentedAt, capturedAt }) =>
      presentedAt !== null && capturedAt !== null && capturedAt - presentedAt > FUTURE_MS,
  );
  return early.length >= FUTURE_MARKS;
}
