// Waits for a picture of the camera, and tells a camera that has stopped from a device that is busy.
//
// A page on a slow device hears late of frames that were there long ago: its thread was busy, or the browser was. So what
// counts is not how long nothing was heard, but what the camera's track says of itself, and whether the picture moves.

/** A track that says of itself that it gives nothing. */
const MUTED_MS = 8_000;
/** One that says nothing of the kind: a driver that hangs, or a device that is very busy. Far beyond the latter. */
const SILENT_MS = 30_000;
const LOOK_MS = 1_000;

export class CameraStalledError extends Error {
  override readonly name = 'CameraStalledError';
}

export interface Waiting {
  track: Pick<MediaStreamTrack, 'muted' | 'readyState'> | undefined;
  /** Something that changes with every picture, whether or not the page was told of it. */
  readPicture(): number;
  /** Calls back with the next picture that the page is told of, until the function that it returns is called. */
  listen(callback: () => void): () => void;
  signal: AbortSignal;
}

/** Resolves with the next picture. Rejects when the camera has stopped, or with the signal's reason. */
export function awaitPicture({ track, readPicture, listen, signal }: Waiting): Promise<void> {
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
