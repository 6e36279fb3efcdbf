// Holds the few frames to examine, in memory only, and overwrites each one after use.
import type { FaceReading, Frame } from '../../face/index.ts';

/** Enough for a median. A frame has 1.2 MB. */
export const MAX_KEPT = 5;

export interface WatchedFrame {
  frame: Frame;
  reading: FaceReading;
}

export interface KeptFrame extends WatchedFrame {
  /** Embedding of the face. Only frames of a known person are kept. */
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
    /** Takes ownership of a frame, including its overwriting. */
    begin: (frame: Frame): void => void alive.add(frame),
    /** Marks a frame as watched and wipes the previous one. */
    finish(id: number, frame: Frame, reading: FaceReading | null): void {
      const before = last?.frame;
      if (before && before !== frame) wipe(before);
      last = alive.has(frame) ? { id, frame, reading } : undefined;
    },
    /** Returns the frame of that watch if it is the last one and shows a face. */
    find,
    /** Releases the frame to another store, which then has to overwrite it. */
    release(id: number): WatchedFrame | undefined {
      const found = find(id);
      if (!found) return undefined;
      alive.delete(found.frame);
      last = undefined;
      return found;
    },
    /** Keeps an owned frame with its vector. The oldest is dropped beyond the limit. */
    keep({ frame, reading }: WatchedFrame, vector: Float32Array): void {
      if (!alive.has(frame)) return void vector.fill(0);
      kept.push({ frame, reading, vector });
      if (kept.length > MAX_KEPT) drop(kept.shift()!);
    },
    /** Returns all kept frames. The caller must wipe them and their vectors. */
    take(): KeptFrame[] {
      const taken = kept;
      kept = [];
      return taken;
    },
    /** Overwrites everything, including frames in use. */
    forget(): void {
      for (const frame of kept) drop(frame);
      for (const frame of [...alive]) wipe(frame);
      kept = [];
      last = undefined;
    },
  };
}
