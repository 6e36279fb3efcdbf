// Takes frames from the running camera, each when the page is ready for the next.
import { type FrameMark, toFrameMark } from './witness/frame-mark.ts';

export type FrameSource = Awaited<ReturnType<typeof startVideo>>;

/**
 * Starts the stream in the element. If `starting` aborts, the element is left empty. Scales frames
 * to `shorterSide` pixels. `onMark` gets every frame that the browser reports, taken or not.
 */
export async function startVideo(
  video: HTMLVideoElement,
  stream: MediaStream,
  starting: AbortSignal,
  shorterSide: number,
  onMark: (mark: FrameMark) => void = () => {},
) {
  starting.throwIfAborted();
  video.srcObject = stream;
  try {
    await waitUntilPlaying(video, stream, starting);
  } catch (error) {
    video.srcObject = null;
    throw error;
  }
  const [track] = stream.getVideoTracks();
  let isFresh = false;
  let onFresh: (() => void) | null = null;
  const listen = (callback: () => void) => {
    onFresh = callback;
    return () => {
      onFresh = null;
    };
  };
  // Listens permanently, so a frame that arrives during the analysis of the previous one is
  // available.
  const stop = onEachFrame(video, (metadata) => {
    if (metadata) onMark(toFrameMark(performance.now(), metadata));
    isFresh = true;
    onFresh?.();
  });
  return {
    /** Returns the newest frame that was not taken yet, or the next. Rejects on a stall. */
    async next(signal: AbortSignal): Promise<ImageBitmap> {
      signal.throwIfAborted();
      if (!isFresh) await awaitPicture({ track, readPicture: () => countPictures(video), listen, signal });
      isFresh = false;
      return createImageBitmap(video, fitFrame(video.videoWidth, video.videoHeight, shorterSide));
    },
    stop(): void {
      stop();
      video.srcObject = null;
    },
  };
}

/** Waits until the video plays. Without output, a camera leaves `play` pending. */
async function waitUntilPlaying(video: HTMLVideoElement, stream: MediaStream, signal: AbortSignal): Promise<void> {
  const [track] = stream.getVideoTracks();
  signal.throwIfAborted();
  // AbortSignal.any would be shorter, but Safari supports it only since 17.4.
  const played = new AbortController();
  signal.addEventListener('abort', () => played.abort(signal.reason), { signal: played.signal });
  const begins = awaitPicture({
    track,
    readPicture: () => countPictures(video),
    listen: () => () => {},
    signal: played.signal,
  });
  try {
    await Promise.race([begins, video.play()]);
  } finally {
    played.abort();
    begins.catch(() => {});
  }
}

/** WebKit's clock runs before there is a first picture. */
function hasPicture({ readyState }: HTMLVideoElement): boolean {
  return readyState >= 2;
}

/** Counts decoded frames; without a frame count, the video's clock. */
function countPictures(video: HTMLVideoElement): number {
  if (!hasPicture(video)) return 0;
  const { getVideoPlaybackQuality } = video as Partial<HTMLVideoElement>;
  return (getVideoPlaybackQuality?.call(video).totalVideoFrames ?? 0) + video.currentTime;
}

export function fitFrame(
  width: number,
  height: number,
  shorterSide: number,
): { resizeWidth: number; resizeHeight: number } {
  const scale = Math.min(shorterSide / Math.min(width, height), 1);
  return { resizeWidth: Math.round(width * scale), resizeHeight: Math.round(height * scale) };
}

/** Calls back for each frame. Older Firefox has no frame callbacks, so this polls. */
function onEachFrame(
  video: HTMLVideoElement,
  callback: (metadata: VideoFrameCallbackMetadata | undefined) => void,
): () => void {
  const hasFrameCallback = typeof (video as Partial<HTMLVideoElement>).requestVideoFrameCallback === 'function';
  let handle = 0;
  let shown = video.currentTime;
  const onFrame = (_time?: number, metadata?: VideoFrameCallbackMetadata) => {
    if (hasPicture(video) && (hasFrameCallback || video.currentTime !== shown)) callback(metadata);
    shown = video.currentTime;
    handle = request();
  };
  const request = () => (hasFrameCallback ? video.requestVideoFrameCallback(onFrame) : requestAnimationFrame(onFrame));
  handle = request();
  return () => (hasFrameCallback ? video.cancelVideoFrameCallback(handle) : cancelAnimationFrame(handle));
}

/** Limit for a muted track. */
const MUTED_MS = 8_000;
/** Limit for a live track without frames: far longer than any delay on a busy device. */
const SILENT_MS = 30_000;
const POLL_MS = 1_000;

export class CameraStalledError extends Error {
  override readonly name = 'CameraStalledError';
}

interface PictureWait {
  track: Pick<MediaStreamTrack, 'muted' | 'readyState'> | undefined;
  /** A value that changes with every picture, even without a callback. */
  readPicture(): number;
  /** Calls back on each reported picture. Returns a function that removes the listener. */
  listen(callback: () => void): () => void;
  signal: AbortSignal;
}

/** Resolves on the next picture. Rejects if the camera has stopped, or with the signal's reason. */
function awaitPicture({ track, readPicture, listen, signal }: PictureWait): Promise<void> {
  return new Promise((resolve, reject) => {
    const before = readPicture();
    let mutedMs = 0;
    let silentMs = 0;
    const abort = () => finish(() => reject(signal.reason));
    const looking = setInterval(() => {
      if (readPicture() !== before) return finish(resolve);
      // Counts polls and not time, because there are none while the main thread is busy.
      silentMs += POLL_MS;
      mutedMs = track?.muted ? mutedMs + POLL_MS : 0;
      if (track?.readyState === 'ended' || mutedMs >= MUTED_MS || silentMs >= SILENT_MS)
        finish(() => reject(new CameraStalledError('The camera shows nothing new')));
    }, POLL_MS);
    const unlisten = listen(() => finish(resolve));
    signal.addEventListener('abort', abort, { once: true });
    function finish(settle: () => void): void {
      clearInterval(looking);
      unlisten();
      signal.removeEventListener('abort', abort);
      settle();
    }
  });
}
