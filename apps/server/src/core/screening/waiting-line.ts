// A line in front of bounded memory, fair among owners: the next file is of the owner with the least inside, and an owner holds at
// most half of what the others leave. Files of one owner enter strictly in order, or a large one would starve behind smaller ones.
// Strangers and the others take turns as classes, and strangers together hold at most half, however many addresses they have.
import type { WorkOwner } from '../../platform/work-owner.ts';

export interface WaitingLine {
  /** Waits for room; `signal` leaves the line. */
  enter(bytes: number, owner: WorkOwner, signal: AbortSignal): Promise<RoomShare>;
  readonly waiting: number;
  readonly inside: number;
}

export interface RoomShare {
  /** What turned out not to be needed, or is no longer needed. */
  giveBack(bytes: number): void;
  leave(): void;
}

interface Place {
  bytes: number;
  owner: WorkOwner;
  enter(): void;
}

interface Holding {
  bytes: number;
  files: number;
}

export function createWaitingLine(maxBytes: number): WaitingLine {
  const line: Place[] = [];
  const holdings = new Map<string, Holding>();
  let used = 0;
  let usedByStrangers = 0;
  let inside = 0;
  let isTurnOfStrangers = false;

  /** An owner without a file inside may take what is free, and so may strangers who have none there. */
  function isOverShare({ owner, bytes }: Place): boolean {
    const own = holdings.get(owner.id);
    if (own !== undefined && own.bytes + bytes > (maxBytes - (used - own.bytes)) / 2) return true;
    return owner.isStranger && usedByStrangers > 0 && usedByStrangers + bytes > maxBytes / 2;
  }

  function findNext(): Place | undefined {
    const firsts = new Map<string, Place>();
    for (const place of line) if (!firsts.has(place.owner.id)) firsts.set(place.owner.id, place);
    const heldBy = ({ owner }: Place) => holdings.get(owner.id)?.bytes ?? 0;
    const hasTurn = ({ owner }: Place) => owner.isStranger === isTurnOfStrangers;
    const comesBefore = (one: Place, other: Place) =>
      hasTurn(one) === hasTurn(other) ? heldBy(one) < heldBy(other) : hasTurn(one);
    let next: Place | undefined;
    for (const place of firsts.values()) if (!isOverShare(place) && (!next || comesBefore(place, next))) next = place;
    return next;
  }

  /** Alone, even the largest may enter. */
  function admit(): void {
    for (let next = findNext(); next && (inside === 0 || used + next.bytes <= maxBytes); next = findNext()) {
      line.splice(line.indexOf(next), 1);
      isTurnOfStrangers = !next.owner.isStranger;
      next.enter();
    }
  }

  function take(bytes: number, { id, isStranger }: WorkOwner): RoomShare {
    const holding = holdings.get(id) ?? { bytes: 0, files: 0 };
    holdings.set(id, holding);
    let held = 0;
    let over = false;
    const hold = (more: number) => {
      held += more;
      used += more;
      if (isStranger) usedByStrangers += more;
      holding.bytes += more;
    };
    hold(bytes);
    inside += 1;
    holding.files += 1;
    const giveBack = (given: number) => hold(-Math.min(held, given));
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
        holding.files -= 1;
        if (holding.files === 0) holdings.delete(id);
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
    enter(bytes, owner, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<RoomShare>();
      const place = { bytes, owner, enter: () => resolve(take(bytes, owner)) };
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
