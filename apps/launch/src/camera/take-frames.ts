// Takes frames from the running camera, one whenever the page is ready for the next.

/** A camera that shows nothing new for so long has stopped, whatever the browser says. */
const STALLED_MS = 8_000;

export class CameraStalledError extends Error {
  override readonly name = 'CameraStalledError';
}

export interface FrameSource {
  /** One that was not taken yet: the newest, or the next. Rejects when the camera stands still. */
  next(signal: AbortSignal): Promise<ImageBitmap>;
  stop(): void;
}

/** Given up by `starting`, the element is left empty. Larger frames are made smaller, to so many pixels on their shorter side. */
export async function startVideo(
  video: HTMLVideoElement,
  stream: MediaStream,
  starting: AbortSignal,
  shorterSide: number,
): Promise<FrameSource> {
  starting.throwIfAborted();
  video.srcObject = stream;
  try {
    await untilPlaying(video, starting);
  } catch (error) {
    video.srcObject = null;
    throw error;
  }
  let isFresh = false;
  let onFresh: (() => void) | null = null;
  // It listens all the time: a frame that came while the last one was looked at is there already.
  const stop = onEachFrame(video, () => {
    isFresh = true;
    onFresh?.();
  });
  return {
    async next(signal) {
      signal.throwIfAborted();
      if (!isFresh) {
        await new Promise<void>((resolve, reject) => {
          const abort = () => finish(() => reject(signal.reason));
          const late = () => finish(() => reject(new CameraStalledError('The camera shows nothing new')));
          const stalled = setTimeout(late, STALLED_MS);
          const finish = (settle: () => void) => {
            clearTimeout(stalled);
            signal.removeEventListener('abort', abort);
            onFresh = null;
            settle();
          };
          signal.addEventListener('abort', abort, { once: true });
          onFresh = () => finish(resolve);
        });
      }
      isFresh = false;
      return createImageBitmap(video, fitFrame(video.videoWidth, video.videoHeight, shorterSide));
    },
    stop() {
      stop();
      video.srcObject = null;
    },
  };
}

/** A camera that never shows anything does not refuse to play: it leaves one waiting. */
function untilPlaying(video: HTMLVideoElement, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(stalled);
      signal.removeEventListener('abort', abort);
      settle();
    };
    const late = () => finish(() => reject(new CameraStalledError('The camera shows nothing')));
    const abort = () => finish(() => reject(signal.reason));
    const stalled = setTimeout(late, STALLED_MS);
    signal.addEventListener('abort', abort, { once: true });
    video.play().then(
      () => finish(resolve),
      (error: unknown) => finish(() => reject(error)),
    );
  });
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
function onEachFrame(video: HTMLVideoElement, callback: () => void): () => void {
  const tells = typeof (video as Partial<HTMLVideoElement>).requestVideoFrameCallback === 'function';
  let handle = 0;
  let shown = video.currentTime;
  const look = () => {
    if (tells || video.currentTime !== shown) callback();
    shown = video.currentTime;
    handle = request();
  };
  const request = () => (tells ? video.requestVideoFrameCallback(look) : requestAnimationFrame(look));
  handle = request();
  return () => (tells ? video.cancelVideoFrameCallback(handle) : cancelAnimationFrame(handle));
}
