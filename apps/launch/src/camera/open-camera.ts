// Opens the camera that looks at the person, or the one that looks away from them, or says in one word why it cannot be had.

export type CameraObstacle = 'refused' | 'missing' | 'busy' | 'insecure';

export class CameraError extends Error {
  override readonly name = 'CameraError';
  readonly obstacle: CameraObstacle;

  constructor(obstacle: CameraObstacle, cause?: unknown) {
    super(`The camera cannot be used: ${obstacle}`, { cause });
    this.obstacle = obstacle;
  }
}

export type Camera = Awaited<ReturnType<typeof openCamera>>;

/** `user`: the front camera of a phone. A computer's only camera is both. */
export type Facing = 'user' | 'environment';

const WANTED: Readonly<Record<Facing, MediaTrackConstraints>> = {
  // More than this is thrown away anyway, and less than 480 lines makes small faces guesswork.
  user: { facingMode: 'user', width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } },
  // On a phone held upright it is 1080 pixels wide: a passport's page across it has letters of 20 pixels (2.4 of 125 mm).
  environment: { facingMode: 'environment', width: { ideal: 1920 }, height: { ideal: 1080 }, frameRate: { ideal: 30 } },
};

/** The browser asks the person, who may take any time over it; an answer after `signal` turns the camera off again. */
export async function openCamera(facing: Facing, signal: AbortSignal) {
  // Only over https, or on the machine itself, is there such a thing at all.
  const { mediaDevices } = navigator as { mediaDevices?: MediaDevices };
  if (!mediaDevices?.getUserMedia) throw new CameraError('insecure');
  signal.throwIfAborted();
  const stream = await requestStream(mediaDevices, WANTED[facing]);
  if (signal.aborted) {
    stopTracks(stream);
    throw signal.reason;
  }
  const [track] = stream.getVideoTracks();
  if (!track) throw new CameraError('missing');
  if (facing === 'environment') void keepInFocus(track);
  return {
    stream,
    /** As the browser calls it; only known once it is open. */
    label: track.label,
    /** Once, when it is unplugged or taken away; not after `stop`. */
    onLost: (callback: () => void): void => track.addEventListener('ended', callback, { once: true }),
    stop: (): void => stopTracks(stream),
  };
}

async function requestStream(mediaDevices: MediaDevices, video: MediaTrackConstraints): Promise<MediaStream> {
  try {
    return await mediaDevices.getUserMedia({ video, audio: false });
  } catch (error) {
    if (nameOf(error) !== 'OverconstrainedError') throw new CameraError(obstacleOf(error), error);
  }
  try {
    return await mediaDevices.getUserMedia({ video: true, audio: false });
  } catch (error) {
    throw new CameraError(obstacleOf(error), error);
  }
}

/** Never rejects: where the browser lets a page say so. Some cameras stay at the distance of a face otherwise. */
async function keepInFocus(track: MediaStreamTrack): Promise<void> {
  try {
    const { focusMode = [] } = track.getCapabilities() as { focusMode?: string[] };
    if (!focusMode.includes('continuous')) return;
    await track.applyConstraints({ advanced: [{ focusMode: 'continuous' } as MediaTrackConstraintSet] });
  } catch {
    // It works without.
  }
}

/** Whether the browser would open it without asking the person again. */
export async function isCameraAllowed(): Promise<boolean> {
  try {
    const { state } = await navigator.permissions.query({ name: 'camera' as PermissionName });
    return state === 'granted';
  } catch {
    return false; // not every browser can say
  }
}

function obstacleOf(error: unknown): CameraObstacle {
  switch (nameOf(error)) {
    case 'NotFoundError':
    case 'DevicesNotFoundError':
    case 'OverconstrainedError':
      return 'missing';
    case 'NotReadableError':
    case 'TrackStartError':
    case 'AbortError':
      return 'busy';
    case 'TypeError':
      return 'insecure';
    default:
      return 'refused';
  }
}

function stopTracks(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

export function nameOf(error: unknown): string {
  // Not every browser makes an OverconstrainedError an Error.
  return typeof error === 'object' && error !== null && 'name' in error ? String(error.name) : '';
}

/** What the browser knows it by; where it does not tell, what it is called. Null where it is called nothing either. */
export function nameCamera({ stream, label }: Pick<Camera, 'stream' | 'label'>): string | null {
  const [track] = stream.getVideoTracks?.() ?? [];
  return track?.getSettings?.().deviceId || label || null;
}
