// Remembers hashes of frames. A real camera never produces the same picture twice.
import type { Frame } from '../../face/index.ts';

/** Samples on the longer and shorter side: enough for every part of a face. */
const COLUMNS = 64;
const ROWS = 48;
/** Cameras in the dark and busy pages repeat a picture, but for less than this. */
const FROZEN_MS = 1_000;
const FROZEN_FRAMES = 5;
/** Number of distinct pictures that must return, with others in between. */
const RETURN_LIMIT = 3;
const MIN_RETURN_MS = 500;
/** Several minutes on a busy page. A few seconds suffice to detect a loop. */
const MAX_REMEMBERED = 1_200;

export function createNoiseMemory() {
  /** Time of the last occurrence of each hash. */
  const seenAt = new Map<string, number>();
  const cameBack = new Set<string>();
  let last = '';
  let since = 0;
  let times = 0;
  return {
    /**
     * Returns whether frames repeated. Only for pictures with a person: a covered lens is black.
     */
    note(frame: Frame, timeMs: number): boolean {
      const digest = digestFrame(frame);
      if (digest === null) return false;
      if (digest === last) times += 1;
      else {
        const before = seenAt.get(digest);
        if (before !== undefined && timeMs - before >= MIN_RETURN_MS) cameBack.add(digest);
        [last, since, times] = [digest, timeMs, 1];
      }
      // Reinserted at the end, so that the first entry is the oldest.
      seenAt.delete(digest);
      seenAt.set(digest, timeMs);
      if (seenAt.size > MAX_REMEMBERED) seenAt.delete(seenAt.keys().next().value!);
      return cameBack.size >= RETURN_LIMIT || (times >= FROZEN_FRAMES && timeMs - since >= FROZEN_MS);
    },
  };
}

/** Outside of this range sensors saturate and show no noise. */
const MIN_USABLE_LUMA = 8;
const MAX_USABLE_LUMA = 247;
const MIN_SHARE = 0.25;

/** Computes a 64-bit hash of a coarse grid of pixels; null if too few have noise. */
export function digestFrame({ width, height, data }: Frame): string | null {
  const [columns, rows] = width >= height ? [COLUMNS, ROWS] : [ROWS, COLUMNS];
  let [hashA, hashB] = [0x811c9dc5, 0x9e3779b1];
  let alive = 0;
  for (let row = 0; row < rows; row += 1) {
    const y = Math.floor(((row + 0.5) * height) / rows);
    for (let column = 0; column < columns; column += 1) {
      const at = (y * width + Math.floor(((column + 0.5) * width) / columns)) * 4;
      const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!];
      if (green > MIN_USABLE_LUMA && green < MAX_USABLE_LUMA) alive += 1;
      const pixel = (red << 16) | (green << 8) | blue;
      hashA = Math.imul(hashA ^ pixel, 0x01000193);
      hashA ^= hashA >>> 15;
      hashB = Math.imul(hashB ^ pixel, 0x85ebca6b);
      hashB ^= hashB >>> 13;
    }
  }
  return alive < columns * rows * MIN_SHARE ? null : `${hashA >>> 0}.${hashB >>> 0}`;
}
