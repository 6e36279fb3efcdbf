// Over the last frames: what most of them say of a document that is shown on a screen, or copied.
import type { CopySign } from '@limen/documents';

/** The last ones: what is before the camera now counts, not what was shown first. */
const WINDOW = 7;
/** Once the window is full, one frame in so many: more would tell no more, and take time from the reading. */
const APART = 3;

export interface SignCount {
  /** `find` is called only where the frame is counted. */
  add(find: () => readonly CopySign[]): void;
  /** Those that more than half of the frames have. */
  list(): CopySign[];
}

export function createSignCount(): SignCount {
  const frames: (readonly CopySign[])[] = [];
  let passedBy = 0;
  return {
    add(find) {
      passedBy += 1;
      if (frames.length === WINDOW && passedBy < APART) return;
      passedBy = 0;
      frames.push(find());
      if (frames.length > WINDOW) frames.shift();
    },
    list() {
      const all = new Set(frames.flat());
      return [...all].filter((sign) => frames.filter((signs) => signs.includes(sign)).length * 2 > frames.length);
    },
  };
}
