// Detects from the camera's exposure whether the room is too bright to see the screen's light on a
// face.
import { attempt } from './witness/attempt.ts';

/** From this level on, the light of a screen is lost in the room's. */
const DAYLIGHT_LUX = 3_000;
/**
 * Lux = C · N² / (t · S), the calibration of light meters (ISO 2720), with C = 250. No front camera
 * is known to be faster than f/2, so this is a lower bound.
 */
const MIN_C_N_SQUARED = 250 * 2 ** 2;

/** Image Capture settings that some cameras report, mostly of phones. TypeScript lacks them. */
interface Exposure {
  /** Units of 100 microseconds. */
  exposureTime?: unknown;
  iso?: unknown;
}

/** Returns false if the camera does not report its exposure. */
export function isInDaylight(stream: Pick<MediaStream, 'getVideoTracks'>): boolean {
  const settings = attempt(() => stream.getVideoTracks()[0]?.getSettings());
  const { exposureTime, iso } = (settings ?? {}) as Exposure;
  if (typeof exposureTime !== 'number' || typeof iso !== 'number') return false;
  const seconds = exposureTime / 10_000;
  return seconds > 0 && iso > 0 && MIN_C_N_SQUARED / (seconds * iso) >= DAYLIGHT_LUX;
}
