// Reads properties of the camera and the screen from the browser.

import type { CaptureFacts } from '@limen/contract';
import { SCREEN_ORIENTATIONS } from '@limen/plan';

export function readCameraFacts(
  stream: Pick<MediaStream, 'getVideoTracks'>,
  screenOrientation: string | undefined,
): CaptureFacts {
  const { width, height, frameRate } = stream.getVideoTracks?.()[0]?.getSettings?.() ?? {};
  const orientation = SCREEN_ORIENTATIONS.find((known) => known === screenOrientation);
  return {
    ...roundWithin('width', width, 65_535),
    ...roundWithin('height', height, 65_535),
    ...roundWithin('rate', frameRate, 1_000),
    ...(orientation && { orientation }),
  };
}

/** Returns an empty object if the value is unknown or out of range. */
function roundWithin<Name extends string>(
  name: Name,
  value: number | undefined,
  most: number,
): Partial<Record<Name, number>> {
  const whole = Math.round(value ?? 0);
  return whole >= 1 && whole <= most ? ({ [name]: whole } as Record<Name, number>) : {};
}
