// Tells one camera from another, for as long as the page is open.
import type { Camera } from './open-camera.ts';

/** What the browser knows it by; where it does not tell, what it is called. Null where it is called nothing either. */
export function nameCamera({ stream, label }: Pick<Camera, 'stream' | 'label'>): string | null {
  const [track] = stream.getVideoTracks?.() ?? [];
  return track?.getSettings?.().deviceId || label || null;
}
