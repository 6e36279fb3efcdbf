// Timing data of one frame, and the computations shared by the rules.

export interface FrameMark {
  /** Time of the page's clock when it received the frame. */
  readAt: number;
  /**
   * Time at which the browser presented the frame. The next four are null if the browser does not
   * report them.
   */
  presentedAt: number | null;
  /** Capture time. Only some browsers report it, and only for cameras. */
  capturedAt: number | null;
  mediaMs: number | null;
  /** Frames presented so far, including frames that the page missed. */
  count: number | null;
  width: number;
  height: number;
}

type Metadata = Partial<VideoFrameCallbackMetadata>;

export function toFrameMark(readAt: number, metadata: Metadata): FrameMark {
  const { presentationTime, captureTime, mediaTime, presentedFrames, width, height } = metadata;
  const seconds = toNumber(mediaTime);
  return {
    readAt,
    presentedAt: toNumber(presentationTime),
    capturedAt: toNumber(captureTime),
    mediaMs: seconds === null ? null : seconds * 1_000,
    count: toNumber(presentedFrames),
    width: toNumber(width) ?? 0,
    height: toNumber(height) ?? 0,
  };
}

function toNumber(value: number | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Returns the first available time, starting with the clocks nearest to the camera. */
export function getFrameTime({ capturedAt, mediaMs, presentedAt, readAt }: FrameMark): number {
  return capturedAt ?? mediaMs ?? presentedAt ?? readAt;
}

/** Milliseconds per frame between successive marks, corrected for missed frames. */
export function listIntervals(marks: readonly FrameMark[]): number[] {
  const found: number[] = [];
  for (let i = 1; i < marks.length; i += 1) {
    const [before, after] = [marks[i - 1]!, marks[i]!];
    if (before.count === null || after.count === null || after.count <= before.count) continue;
    found.push((getFrameTime(after) - getFrameTime(before)) / (after.count - before.count));
  }
  return found;
}

/** Sorts the values first. Returns NaN for an empty list. */
export function computeQuantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN;
}
