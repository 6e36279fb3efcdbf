// What a camera and the screen before it are like, as far as the browser says.

import type { CaptureFacts } from '@limen/contract';
import { SCREEN_ORIENTATIONS } from '@limen/plan';

export function readCameraFacts(
  stream: Pick<MediaStream, 'getVideoTracks'>,
  screenOrientation: string | undefined,
): CaptureFacts {
  const { width, height, frameRate } = stream.getVideoTracks?.()[0]?.getSettings?.() ?? {};
  const orientation = SCREEN_ORIENTATIONS.find((known) => known === screenOrientation);
  return {
    ...within('width', width, 65_535),
    ...within('height', height, 65_535),
    ...within('rate', frameRate, 1_000),
    ...(orientation && { orientation }),
  };
}

/** Nothing where it is not known, or no number that it could be. */
function within<Name extends string>(
  name: Name,
  value: number | undefined,
  most: number,
): Partial<Record<Name, number>> {
  const whole = Math.round(value ?? 0);
  return whole >= 1 && whole <= most ? ({ [name]: whole } as Record<Name, number>) : {};
}
