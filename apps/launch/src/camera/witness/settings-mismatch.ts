// The sign `settings_mismatch`: what a camera says of itself does not fit its capabilities or the pictures that come.
import { attempt } from './attempt.ts';
import { type FrameMark, listIntervals, quantileOf } from './frame-mark.ts';

/** What a track says of itself. Null where the browser has no such function. */
export interface TrackFacts {
  settings: MediaTrackSettings | null;
  capabilities: MediaTrackCapabilities | null;
  /** It has what only tracks of a canvas or of a program have. */
  isMade: boolean;
}

type Track = Partial<Pick<MediaStreamTrack, 'getSettings' | 'getCapabilities'>>;

/** Never throws: there are tracks that do. */
export function readTrackFacts(track: Track): TrackFacts {
  return {
    settings: attempt(() => track.getSettings?.()),
    capabilities: attempt(() => track.getCapabilities?.()),
    // CanvasCaptureMediaStreamTrack, and MediaStreamTrackGenerator.
    isMade: 'requestFrame' in track || 'writable' in track,
  };
}

/** `light`: how bright the face is, 0 to 255, or null where it is not known. */
export function hasMismatch(facts: TrackFacts, marks: readonly FrameMark[], light: number | null): boolean {
  const { settings, capabilities, isMade } = facts;
  if (isMade) return true;
  if (!settings) return false;
  return (
    (capabilities !== null && isBeyond(settings, capabilities)) ||
    hasOtherShape(settings, marks) ||
    isFarTooSlow(settings, marks, light)
  );
}

/** Sizes are rounded, and rates are told as 30 or as 30.00003. */
const SIZE_SLACK = 2;
const RATE_SLACK = 1.1;

function isBeyond(settings: MediaTrackSettings, capabilities: MediaTrackCapabilities): boolean {
  const { facingMode, frameRate = 0, width = 0, height = 0 } = settings;
  if (facingMode && !mayLook(facingMode, capabilities)) return true;
  if (frameRate > (capabilities.frameRate?.max ?? Infinity) * RATE_SLACK) return true;
  // A phone that is held upright swaps the sides of one and maybe not of the other.
  const longest = Math.max(capabilities.width?.max ?? Infinity, capabilities.height?.max ?? Infinity);
  return Math.max(width, height) > longest + SIZE_SLACK;
}

/** Browsers that do not list the ways a camera can look say so much else of it; what says nothing at all is no camera. */
function mayLook(facingMode: string, capabilities: MediaTrackCapabilities): boolean {
  const ways = capabilities.facingMode ?? [];
  return ways.length > 0 ? ways.includes(facingMode) : Object.keys(capabilities).length > 0;
}

const SHAPE_MARKS = 30;
const SHAPE_SLACK = 0.03;

/** Browsers may make pictures smaller than the settings say, and a phone may be turned; none squeezes them. */
function hasOtherShape({ width, height }: MediaTrackSettings, marks: readonly FrameMark[]): boolean {
  const last = marks.slice(-SHAPE_MARKS);
  if (!width || !height || last.length < SHAPE_MARKS) return false;
  const shape = Math.max(width, height) / Math.min(width, height);
  return last.every((mark) => {
    const own = Math.max(mark.width, mark.height) / Math.min(mark.width, mark.height);
    return Math.abs(own / shape - 1) > SHAPE_SLACK;
  });
}

/** A camera that says less may be slow for many reasons. */
const LEAST_CLAIM = 24;
/** A quarter of the rate is what cameras go down to when it is dark. */
const SLOWER_TIMES = 4.8;
const SLOW_INTERVALS = 20;
/** Where a device is too busy for its camera, frames come when they can; what was made so slow comes evenly. */
const SLOW_SPREAD = 0.15;
/** A face as bright as this needs no long exposure. */
const BRIGHT = 100;

function isFarTooSlow({ frameRate }: MediaTrackSettings, marks: readonly FrameMark[], light: number | null): boolean {
  if (!frameRate || frameRate < LEAST_CLAIM || light === null || light < BRIGHT) return false;
  const intervals = listIntervals(marks);
  if (intervals.length < SLOW_INTERVALS) return false;
  const middle = quantileOf(intervals, 0.5);
  const spread = Math.max(quantileOf(intervals, 0.9) - middle, middle - quantileOf(intervals, 0.1));
  return middle > (1_000 / frameRate) * SLOWER_TIMES && spread < middle * SLOW_SPREAD;
}
