// Holds the few frames that will be examined, in memory only, and overwrites every one of them when it is done with.
import type { FaceReading, Frame } from '../../face/index.ts';

/** Enough for a median; a frame is 1.2 MB. */
export const MAX_KEPT = 5;

export interface WatchedFrame {
  frame: Frame;
  reading: FaceReading;
}

export interface KeptFrame extends WatchedFrame {
  /** Whose face it is: a frame of nobody known is not kept. */
  vector: Float32Array;
}

export type FrameStore = ReturnType<typeof createFrameStore>;

export function createFrameStore() {
  const alive = new Set<Frame>();
  let kept: KeptFrame[] = [];
  let last: { id: number; frame: Frame; reading: FaceReading | null } | undefined;

  const wipe = (frame: Frame) => {
    frame.data.fill(0);
    alive.delete(frame);
  };
  const drop = ({ frame, vector }: KeptFrame) => {
    wipe(frame);
    vector.fill(0);
  };

  const find = (id: number) =>
    last?.id === id && last.reading ? { frame: last.frame, reading: last.reading } : undefined;

  return {
    wipe,
    isWiped: (frame: Frame): boolean => !alive.has(frame),
    /** From here on the frame is this store's to overwrite. */
    begin: (frame: Frame): void => void alive.add(frame),
    /** The frame was watched; the one before is gone. */
    finish(id: number, frame: Frame, reading: FaceReading | null): void {
      const before = last?.frame;
      if (before && before !== frame) wipe(before);
      last = alive.has(frame) ? { id, frame, reading } : undefined;
    },
    /** The frame of that watch if it is the last one and shows a face. */
    find,
    /** The same, for another store: it is no more this one's to overwrite. */
    give(id: number): WatchedFrame | undefined {
      const found = find(id);
      if (!found) return undefined;
      alive.delete(found.frame);
      last = undefined;
      return found;
    },
    /** Keeps a frame that was begun and not overwritten since, with its vector. Of too many the oldest goes. */
    keep({ frame, reading }: WatchedFrame, vector: Float32Array): void {
      if (!alive.has(frame)) return void vector.fill(0);
      kept.push({ frame, reading, vector });
      if (kept.length > MAX_KEPT) drop(kept.shift()!);
    },
    /** All that was kept, for whoever examines it and then calls `wipe` and overwrites the vectors. */
    take(): KeptFrame[] {
      const taken = kept;
      kept = [];
      return taken;
    },
    /** Overwrites everything, also what is being looked at. */
    forget(): void {
      for (const one of kept) drop(one);
      for (const frame of [...alive]) wipe(frame);
      kept = [];
      last = undefined;
    },
  };
}
