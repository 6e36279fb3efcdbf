// A line in front of bounded memory: strictly in order, or a large file would starve behind smaller ones.

export interface WaitingLine {
  /** Waits for room; `signal` leaves the line. */
  enter(bytes: number, signal: AbortSignal): Promise<RoomShare>;
  readonly waiting: number;
  readonly inside: number;
}

export interface RoomShare {
  /** What turned out not to be needed, or is no longer needed. */
  giveBack(bytes: number): void;
  leave(): void;
}

export function createWaitingLine(maxBytes: number): WaitingLine {
  const line: { bytes: number; enter(): void }[] = [];
  let used = 0;
  let inside = 0;

  /** Alone, even the largest may enter. */
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
    const giveBack = (given: number) => {
      const freed = Math.min(held, given);
      held -= freed;
      used -= freed;
    };
    return {
      giveBack(given) {
        giveBack(given);
        admit();
      },
      leave() {
        if (over) return;
        over = true;
        giveBack(held);
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
