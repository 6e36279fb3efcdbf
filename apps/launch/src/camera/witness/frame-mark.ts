// What a browser says of one frame of a stream, and the sums that the rules beside this share.

export interface FrameMark {
  /** The page's clock, read when it was told of the frame. */
  readAt: number;
  /** When the browser put it on the screen. These four are null where the browser does not say. */
  presentedAt: number | null;
  /** When the camera took it; of the browsers only some say so, and of the streams only those of cameras. */
  capturedAt: number | null;
  /** The stream's own time. */
  mediaMs: number | null;
  /** Frames that were put on the screen until then, also those that the page was not told of. */
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

/** The first of its clocks that the browser gives: those nearer to the camera say more. */
export function timeOf({ capturedAt, mediaMs, presentedAt, readAt }: FrameMark): number {
  return capturedAt ?? mediaMs ?? presentedAt ?? readAt;
}

/** Milliseconds per frame between marks that follow each other; frames that the page missed are counted in. */
export function listIntervals(marks: readonly FrameMark[]): number[] {
  const found: number[] = [];
  for (let i = 1; i < marks.length; i += 1) {
    const [before, after] = [marks[i - 1]!, marks[i]!];
    if (before.count === null || after.count === null || after.count <= before.count) continue;
    found.push((timeOf(after) - timeOf(before)) / (after.count - before.count));
  }
  return found;
}

/** Of numbers in any order; NaN of none. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN;
}
