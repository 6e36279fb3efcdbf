// Bounds what files under way take in memory together: who finds no room waits in line instead of being refused.
import type { WorkOwner } from '../../platform/work-owner.ts';
import { createWaitingLine, type RoomShare } from './waiting-line.ts';

export interface FileRoom {
  /** Waits for room; the returned share can shrink later. `signal` leaves the line. */
  enter(bytes: number, owner: WorkOwner, signal: AbortSignal): Promise<RoomShare>;
  readonly waiting: number;
  readonly inside: number;
}

interface FileRoomOptions {
  maxBytes: number;
  /** Files that take no more than this are small. */
  smallBytes: number;
}

/**
 * A quarter is set apart for small files: a few large ones whose replies are read slowly would otherwise keep everybody
 * waiting. Neither kind may use the other's part, so that neither can starve the other.
 */
export function createFileRoom({ maxBytes, smallBytes }: FileRoomOptions): FileRoom {
  const small = createWaitingLine(maxBytes / 4);
  const large = createWaitingLine(maxBytes - maxBytes / 4);
  return {
    get waiting() {
      return small.waiting + large.waiting;
    },
    get inside() {
      return small.inside + large.inside;
    },
    enter: (bytes, owner, signal) => (bytes <= smallBytes ? small : large).enter(bytes, owner, signal),
  };
}
