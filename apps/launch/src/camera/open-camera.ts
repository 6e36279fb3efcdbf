// Opens the front camera, or says in one word why it cannot be had.

export type CameraObstacle = 'refused' | 'missing' | 'busy' | 'insecure';

export class CameraError extends Error {
  override readonly name = 'CameraError';
  readonly obstacle: CameraObstacle;

  constructor(obstacle: CameraObstacle, cause?: unknown) {
    super(`The camera cannot be used: ${obstacle}`, { cause });
    this.obstacle = obstacle;
  }
}

export interface Camera {
  readonly stream: MediaStream;
  /** As the browser calls it; only known once it is open. */
  readonly label: string;
  /** Once, when it is unplugged or taken away; not after `stop`. */
  onLost(callback: () => void): void;
  stop(): void;
}

/** More than this is thrown away anyway, and less than 480 lines makes small faces guesswork. */
const WANTED: MediaTrackConstraints = {
  facingMode: 'user',
  width: { ideal: 1280 },
  height: { ideal: 720 },
  frameRate: { ideal: 30 },
};

/** The browser asks the person, who may take any time over it; an answer after `signal` turns the camera off again. */
export async function openCamera(signal: AbortSignal): Promise<Camera> {
  // Only over https, or on the machine itself, is there such a thing at all.
  const { mediaDevices } = navigator as { mediaDevices?: MediaDevices };
  if (!mediaDevices?.getUserMedia) throw new CameraError('insecure');
  signal.throwIfAborted();
  const stream = await requestStream(mediaDevices);
  if (signal.aborted) {
    stopTracks(stream);
    throw signal.reason;
  }
  const [track] = stream.getVideoTracks();
  if (!track) throw new CameraError('missing');
  return {
    stream,
    label: track.label,
    onLost: (callback) => track.addEventListener('ended', callback, { once: true }),
    stop: () => stopTracks(stream),
  };
}

async function requestStream(mediaDevices: MediaDevices): Promise<MediaStream> {
  try {
    return await mediaDevices.getUserMedia({ video: WANTED, audio: false });
  } catch (error) {
    if (nameOf(error) !== 'OverconstrainedError') throw new CameraError(obstacleOf(error), error);
  }
  try {
    return await mediaDevices.getUserMedia({ video: true, audio: false });
  } catch (error) {
    throw new CameraError(obstacleOf(error), error);
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

function nameOf(error: unknown): string {
  // Not every browser makes an OverconstrainedError an Error.
  return typeof error === 'object' && error !== null && 'name' in error ? String(error.name) : '';
}

function stopTracks(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
