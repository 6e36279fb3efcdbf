// Mean light of a place in a frame, within the camera's range.
import { toLight } from './colours.ts';

/** Values at which a camera is clipped. */
const [DARKEST, BRIGHTEST] = [1, 251];
/** Maximum share of clipped pixels. */
const MOST_CLIPPED = 0.2;

export type Mean = ReturnType<typeof createMean>;

export function createMean() {
  let [count, clipped, red, green, blue] = [0, 0, 0, 0, 0];
  return {
    /** Uses all pixels or none, because selecting them by value would bias the mean. */
    add(r: number, g: number, b: number) {
      count += 1;
      if (Math.min(r, g, b) <= DARKEST || Math.max(r, g, b) >= BRIGHTEST) clipped += 1;
      red += toLight(r);
      green += toLight(g);
      blue += toLight(b);
    },
    read: () =>
      count > 0 && clipped <= count * MOST_CLIPPED ? [red / count, green / count, blue / count] : [NaN, NaN, NaN],
  };
}
