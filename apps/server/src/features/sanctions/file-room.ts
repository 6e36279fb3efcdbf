// Bounds what files under way take in memory together: who finds no room waits in line instead of being refused.

export interface FileRoom {
  /** Waits for room; the returned share can shrink later. `signal` leaves the line. */
  enter(bytes: number, signal: AbortSignal): Promise<RoomShare>;
  readonly waiting: number;
  readonly inside: number;
}

export interface RoomShare {
  /** Gives back what turned out not to be needed. */
  shrinkTo(bytes: number): void;
  leave(): void;
}

export function createFileRoom(maxBytes: number): FileRoom {
  const line: { bytes: number; enter(): void }[] = [];
  let used = 0;
  let inside = 0;

  /** Strictly in order, or a large file would starve behind small ones. Alone, even the largest may enter. */
  function admit(): void {
    for (let first = line[0]; first && (inside === 0 || used + first.bytes <= maxBytes); first = line[0]) {
      line.shift();
      first.enter();
    }
  }

  function take(bytes: number): RoomShare {
    let held = bytes;
    let over = false;
    used += bytes;
    inside += 1;
    const shrinkTo = (wanted: number) => {
      const freed = Math.max(0, held - wanted);
      held -= freed;
      used -= freed;
    };
    return {
      shrinkTo(wanted) {
        shrinkTo(wanted);
        admit();
      },
      leave() {
        if (over) return;
        over = true;
        shrinkTo(0);
        inside -= 1;
        admit();
      },
    };
  }

  return {
    get waiting() {
      return line.length;
    },
    get inside() {
      return inside;
    },
    enter(bytes, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<RoomShare>();
      const place = { bytes, enter: () => resolve(take(bytes)) };
      const quit = () => {
        const index = line.indexOf(place);
        if (index >= 0) line.splice(index, 1);
        reject(signal.reason);
        admit();
      };
      if (signal.aborted) return Promise.reject(signal.reason);
      line.push(place);
      signal.addEventListener('abort', quit, { once: true });
      admit();
      return promise.finally(() => signal.removeEventListener('abort', quit));
    },
  };
}
