// The sign `settings_mismatch`: a camera's settings contradict its capabilities or its frames.
import { attempt } from './attempt.ts';
import { computeQuantile, type FrameMark, listIntervals } from './frame-mark.ts';

/** Properties reported by a track; null if the browser lacks the function. */
export interface TrackFacts {
  settings: MediaTrackSettings | null;
  capabilities: MediaTrackCapabilities | null;
  /** Whether the track has members of canvas or generator tracks. */
  isSynthetic: boolean;
}

type Track = Partial<Pick<MediaStreamTrack, 'getSettings' | 'getCapabilities'>>;

/** Never throws, although some tracks do. */
export function readTrackFacts(track: Track): TrackFacts {
  return {
    settings: attempt(() => track.getSettings?.()),
    capabilities: attempt(() => track.getCapabilities?.()),
    // CanvasCaptureMediaStreamTrack, and MediaStreamTrackGenerator.
    isSynthetic: 'requestFrame' in track || 'writable' in track,
  };
}

/** `light`: brightness of the face, 0 to 255; null if unknown. */
export function hasMismatch(facts: TrackFacts, marks: readonly FrameMark[], light: number | null): boolean {
  const { settings, capabilities, isSynthetic } = facts;
  if (isSynthetic) return true;
  if (!settings) return false;
  return (
    (capabilities !== null && isBeyond(settings, capabilities)) ||
    hasOtherShape(settings, marks) ||
    isFarTooSlow(settings, marks, light)
  );
}

/** Sizes are rounded, and rates are reported as 30 or 30.00003. */
const SIZE_SLACK = 2;
const RATE_SLACK = 1.1;

function isBeyond(settings: MediaTrackSettings, capabilities: MediaTrackCapabilities): boolean {
  const { facingMode, frameRate = 0, width = 0, height = 0 } = settings;
  if (facingMode && !mayFace(facingMode, capabilities)) return true;
  if (frameRate > (capabilities.frameRate?.max ?? Infinity) * RATE_SLACK) return true;
  // An upright phone may swap the sides in one of them only.
  const longest = Math.max(capabilities.width?.max ?? Infinity, capabilities.height?.max ?? Infinity);
  return Math.max(width, height) > longest + SIZE_SLACK;
}

/** Browsers without facing modes report other capabilities. A track without any is no camera. */
function mayFace(facingMode: string, capabilities: MediaTrackCapabilities): boolean {
  const modes = capabilities.facingMode ?? [];
  return modes.length > 0 ? modes.includes(facingMode) : Object.keys(capabilities).length > 0;
}

const SHAPE_MARKS = 30;
const SHAPE_SLACK = 0.03;

/** Neither scaling by the browser nor rotating the phone changes the aspect ratio. */
function hasOtherShape({ width, height }: MediaTrackSettings, marks: readonly FrameMark[]): boolean {
  const last = marks.slice(-SHAPE_MARKS);
  if (!width || !height || last.length < SHAPE_MARKS) return false;
  const shape = Math.max(width, height) / Math.min(width, height);
  return last.every((mark) => {
    const own = Math.max(mark.width, mark.height) / Math.min(mark.width, mark.height);
    return Math.abs(own / shape - 1) > SHAPE_SLACK;
  });
}

/** A camera with a lower claimed rate may be slow for many reasons. */
const MIN_CLAIMED_RATE = 24;
/** Cameras drop to a quarter of their rate in the dark. */
const SLOWER_TIMES = 4.8;
const SLOW_INTERVALS = 20;
/** On an overloaded device frames come irregularly. An artificially slow stream comes evenly. */
const SLOW_SPREAD = 0.15;
/** A face this bright needs no long exposure. */
const BRIGHT = 100;

function isFarTooSlow({ frameRate }: MediaTrackSettings, marks: readonly FrameMark[], light: number | null): boolean {
  if (!frameRate || frameRate < MIN_CLAIMED_RATE || light === null || light < BRIGHT) return false;
  const intervals = listIntervals(marks);
  if (intervals.length < SLOW_INTERVALS) return false;
  const middle = computeQuantile(intervals, 0.5);
  const spread = Math.max(computeQuantile(intervals, 0.9) - middle, middle - computeQuantile(intervals, 0.1));
  return middle > (1_000 / frameRate) * SLOWER_TIMES && spread < middle * SLOW_SPREAD;
}
