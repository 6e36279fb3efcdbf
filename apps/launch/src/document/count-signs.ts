// Over several frames: what most of them say of a document that is shown on a screen, or copied.
import type { CopySign } from '@limen/documents';

/** More would tell no more, and take time from the reading. */
const MOST_FRAMES = 7;

export interface SignCount {
  /** `find` is called only where the frame is counted. */
  add(find: () => readonly CopySign[]): void;
  /** Those that more than half of the frames have. */
  list(): CopySign[];
}

export function createSignCount(): SignCount {
  const counts = new Map<CopySign, number>();
  let frames = 0;
  return {
    add(find) {
      if (frames >= MOST_FRAMES) return;
      frames += 1;
      for (const sign of new Set(find())) counts.set(sign, (counts.get(sign) ?? 0) + 1);
    },
    list: () => [...counts].filter(([, count]) => count * 2 > frames).map(([sign]) => sign),
  };
}
