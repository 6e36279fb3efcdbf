// Whether a camera tells, by how it exposes, that it is too bright for a screen to be seen on a face.
import { attempt } from './witness/attempt.ts';

/** From here on the light of a screen is lost in the room's. */
const DAYLIGHT_LUX = 3_000;
/**
 * Lux = C · N² / (t · S), as light meters are calibrated (ISO 2720): C is 250, and no front camera is known to have a wider
 * opening than f/2, so that this is the least that it can be.
 */
const LEAST_C_N_SQUARED = 250 * 2 ** 2;

/** Image Capture tells these of some cameras, mostly of phones; TypeScript does not know them. */
interface Exposure {
  /** In units of 100 microseconds. */
  exposureTime?: unknown;
  iso?: unknown;
}

/** False where the camera does not tell how it exposes. */
export function saysDaylight(stream: Pick<MediaStream, 'getVideoTracks'>): boolean {
  const settings = attempt(() => stream.getVideoTracks()[0]?.getSettings());
  const { exposureTime, iso } = (settings ?? {}) as Exposure;
  if (typeof exposureTime !== 'number' || typeof iso !== 'number') return false;
  const seconds = exposureTime / 10_000;
  return seconds > 0 && iso > 0 && LEAST_C_N_SQUARED / (seconds * iso) >= DAYLIGHT_LUX;
}
