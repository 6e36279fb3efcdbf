// Opens the front or the rear camera, or reports why that is not possible.

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

/** `user`: the front camera of a phone. A computer's only camera serves as both. */
export type Facing = 'user' | 'environment';

const VIDEO_CONSTRAINTS: Readonly<Record<Facing, MediaTrackConstraints>> = {
  // Larger frames would be scaled down, and below 480 lines small faces are unreliable.
  user: { facingMode: 'user', width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } },
  // 1080 pixels wide on an upright phone: a passport page across it has letters of 20 pixels (2.4
  // of 125 mm).
  environment: { facingMode: 'environment', width: { ideal: 1920 }, height: { ideal: 1080 }, frameRate: { ideal: 30 } },
};

/** Opens the camera. The prompt may stay open for any time. Turns it off if `signal` aborts. */
export async function openCamera(facing: Facing, signal: AbortSignal) {
  // `mediaDevices` exists only over https or on localhost.
  const { mediaDevices } = navigator as { mediaDevices?: MediaDevices };
  if (!mediaDevices?.getUserMedia) throw new CameraError('insecure');
  signal.throwIfAborted();
  const stream = await requestStream(mediaDevices, VIDEO_CONSTRAINTS[facing]);
  if (signal.aborted) {
    stopTracks(stream);
    throw signal.reason;
  }
  const [track] = stream.getVideoTracks();
  if (!track) throw new CameraError('missing');
  if (facing === 'environment') void keepInFocus(track);
  return {
    stream,
    /** Name given by the browser; only known once the camera is open. */
    label: track.label,
    /** Calls back once if the camera is unplugged or taken away; not after `stop`. */
    onLost: (callback: () => void): void => track.addEventListener('ended', callback, { once: true }),
    stop: (): void => stopTracks(stream),
  };
}

async function requestStream(mediaDevices: MediaDevices, video: MediaTrackConstraints): Promise<MediaStream> {
  try {
    return await mediaDevices.getUserMedia({ video, audio: false });
  } catch (error) {
    if (getErrorName(error) !== 'OverconstrainedError') throw new CameraError(toObstacle(error), error);
  }
  try {
    return await mediaDevices.getUserMedia({ video: true, audio: false });
  } catch (error) {
    throw new CameraError(toObstacle(error), error);
  }
}

/** Enables continuous focus. Some cameras otherwise keep the distance of a face. Never rejects. */
async function keepInFocus(track: MediaStreamTrack): Promise<void> {
  try {
    const { focusMode = [] } = track.getCapabilities() as { focusMode?: string[] };
    if (!focusMode.includes('continuous')) return;
    await track.applyConstraints({ advanced: [{ focusMode: 'continuous' } as MediaTrackConstraintSet] });
  } catch {
    // Optional.
  }
}

/** Returns whether the camera opens without another prompt. */
export async function isCameraAllowed(): Promise<boolean> {
  try {
    const { state } = await navigator.permissions.query({ name: 'camera' as PermissionName });
    return state === 'granted';
  } catch {
    return false; // not every browser supports this query
  }
}

function toObstacle(error: unknown): CameraObstacle {
  switch (getErrorName(error)) {
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

export function getErrorName(error: unknown): string {
  // Some browsers throw an OverconstrainedError that is not an Error.
  return typeof error === 'object' && error !== null && 'name' in error ? String(error.name) : '';
}

/** Returns the device id, or else the label, or else null. */
export function nameCamera({ stream, label }: Pick<Camera, 'stream' | 'label'>): string | null {
  const [track] = stream.getVideoTracks?.() ?? [];
  return track?.getSettings?.().deviceId || label || null;
}
