// Remembers how frames looked to the last bit, as one short number each: a camera never gives the same picture twice.
import type { Frame } from '../../face/index.ts';

/** Samples on the longer and on the shorter side: enough for some in every part of a face. */
const COLUMNS = 64;
const ROWS = 48;
/** A camera that is slow in the dark shows each picture several times, and a page may take one twice: for less than this. */
const FROZEN_MS = 1_000;
const FROZEN_FRAMES = 5;
/** So many different pictures that were all there before, with others in between. */
const COMING_BACK = 3;
const APART_MS = 500;
/** Minutes of a busy page, and a few seconds of a quick one are enough for a loop. */
const MAX_REMEMBERED = 1_200;

export function createNoiseMemory() {
  /** When each was there last. */
  const seenAt = new Map<string, number>();
  const cameBack = new Set<string>();
  let last = '';
  let since = 0;
  let times = 0;
  return {
    /** Whether frames repeat by now. Only of pictures that somebody is in: a covered lens is black, and black again. */
    note(frame: Frame, timeMs: number): boolean {
      const digest = digestFrame(frame);
      if (digest === null) return false;
      if (digest === last) times += 1;
      else {
        const before = seenAt.get(digest);
        if (before !== undefined && timeMs - before >= APART_MS) cameBack.add(digest);
        [last, since, times] = [digest, timeMs, 1];
      }
      // Anew at the end, so that the first one is the oldest.
      seenAt.delete(digest);
      seenAt.set(digest, timeMs);
      if (seenAt.size > MAX_REMEMBERED) seenAt.delete(seenAt.keys().next().value!);
      return cameBack.size >= COMING_BACK || (times >= FROZEN_FRAMES && timeMs - since >= FROZEN_MS);
    },
  };
}

/** Below and above, sensors give the same number whatever noise they have. */
const DARKEST = 8;
const BRIGHTEST = 247;
const LEAST_SHARE = 0.25;

/** Of a coarse grid of pixels with all their bits; 64 bits long. Null where too little of the picture has any noise. */
export function digestFrame({ width, height, data }: Frame): string | null {
  const [columns, rows] = width >= height ? [COLUMNS, ROWS] : [ROWS, COLUMNS];
  let [one, other] = [0x811c9dc5, 0x9e3779b1];
  let alive = 0;
  for (let row = 0; row < rows; row += 1) {
    const y = Math.floor(((row + 0.5) * height) / rows);
    for (let column = 0; column < columns; column += 1) {
      const at = (y * width + Math.floor(((column + 0.5) * width) / columns)) * 4;
      const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!];
      if (green > DARKEST && green < BRIGHTEST) alive += 1;
      const pixel = (red << 16) | (green << 8) | blue;
      one = Math.imul(one ^ pixel, 0x01000193);
      one ^= one >>> 15;
      other = Math.imul(other ^ pixel, 0x85ebca6b);
      other ^= other >>> 13;
    }
  }
  return alive < columns * rows * LEAST_SHARE ? null : `${one >>> 0}.${other >>> 0}`;
}
