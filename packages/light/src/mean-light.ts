// The mean light of a place in a frame, as far as a camera can tell it.
import { toLight } from './colours.ts';

/** At these and beyond, a camera no longer says how much light there is. */
const [DARKEST, BRIGHTEST] = [1, 251];
/** Of a place's pixels, no more may be there. */
const MOST_CLIPPED = 0.2;

export type Mean = ReturnType<typeof createMean>;

export function createMean() {
  let [count, clipped, red, green, blue] = [0, 0, 0, 0, 0];
  return {
    /** All of them count, or none: who picks pixels by their value sees light where only the choice has changed. */
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
