// Takes frames from the running camera, one whenever the page is ready for the next.
import { type FrameMark, toFrameMark } from './witness/frame-mark.ts';

export type FrameSource = Awaited<ReturnType<typeof startVideo>>;

/**
 * Given up by `starting`, the element is left empty. Larger frames are made smaller, to so many pixels on their shorter side.
 * `onMark` hears of every frame that the browser tells of, taken or not.
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
    await untilPlaying(video, stream, starting);
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
  // It listens all the time: a frame that came while the last one was looked at is there already.
  const stop = onEachFrame(video, (metadata) => {
    if (metadata) onMark(toFrameMark(performance.now(), metadata));
    isFresh = true;
    onFresh?.();
  });
  return {
    /** One that was not taken yet: the newest, or the next. Rejects when the camera stands still. */
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

/** A camera that never shows anything does not refuse to play: it leaves one waiting. */
async function untilPlaying(video: HTMLVideoElement, stream: MediaStream, signal: AbortSignal): Promise<void> {
  const [track] = stream.getVideoTracks();
  signal.throwIfAborted();
  // AbortSignal.any would say it shorter, but Safari has it only since 17.4.
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

/** WebKit's clock runs before the first picture is there, and what is not there cannot be taken. */
function hasPicture({ readyState }: HTMLVideoElement): boolean {
  return readyState >= 2;
}

/** Where the browser counts no frames, the clock of the picture tells that it moves. */
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

/** Older Firefox does not tell of new frames: there, the clock of the picture does. */
function onEachFrame(
  video: HTMLVideoElement,
  callback: (metadata: VideoFrameCallbackMetadata | undefined) => void,
): () => void {
  const tells = typeof (video as Partial<HTMLVideoElement>).requestVideoFrameCallback === 'function';
  let handle = 0;
  let shown = video.currentTime;
  const look = (_time?: number, metadata?: VideoFrameCallbackMetadata) => {
    if (hasPicture(video) && (tells || video.currentTime !== shown)) callback(metadata);
    shown = video.currentTime;
    handle = request();
  };
  const request = () => (tells ? video.requestVideoFrameCallback(look) : requestAnimationFrame(look));
  handle = request();
  return () => (tells ? video.cancelVideoFrameCallback(handle) : cancelAnimationFrame(handle));
}

/** A track that says of itself that it gives nothing. */
const MUTED_MS = 8_000;
/** One that says nothing of the kind: a driver that hangs, or a device that is very busy. Far beyond the latter. */
const SILENT_MS = 30_000;
const LOOK_MS = 1_000;

export class CameraStalledError extends Error {
  override readonly name = 'CameraStalledError';
}

interface Waiting {
  track: Pick<MediaStreamTrack, 'muted' | 'readyState'> | undefined;
  /** Something that changes with every picture, whether or not the page was told of it. */
  readPicture(): number;
  /** Calls back with the next picture that the page is told of, until the function that it returns is called. */
  listen(callback: () => void): () => void;
  signal: AbortSignal;
}

/** Resolves with the next picture. Rejects when the camera has stopped, or with the signal's reason. */
function awaitPicture({ track, readPicture, listen, signal }: Waiting): Promise<void> {
  return new Promise((resolve, reject) => {
    const before = readPicture();
    let mutedMs = 0;
    let silentMs = 0;
    const abort = () => finish(() => reject(signal.reason));
    const looking = setInterval(() => {
      if (readPicture() !== before) return finish(resolve);
      // Counted in looks and not by the clock: while the page's own thread is busy there are none.
      silentMs += LOOK_MS;
      mutedMs = track?.muted ? mutedMs + LOOK_MS : 0;
      if (track?.readyState === 'ended' || mutedMs >= MUTED_MS || silentMs >= SILENT_MS)
        finish(() => reject(new CameraStalledError('The camera shows nothing new')));
    }, LOOK_MS);
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
