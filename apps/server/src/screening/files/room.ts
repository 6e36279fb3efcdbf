// Bounds the memory of all files in progress. Files wait for room and are not rejected.
import { type KeyState, Limiter, type Slot } from '../../platform/async/limiter.ts';
import type { WorkOwner } from '../../platform/async/work-owner.ts';

/** Reserves a quarter for small files, so that large files with slow readers do not block everyone. */
export class FileMemory {
  readonly #smallBytes: number;
  readonly #small: Limiter;
  readonly #large: Limiter;

  constructor({ maxBytes, smallBytes }: { maxBytes: number; smallBytes: number }) {
    this.#smallBytes = smallBytes;
    this.#small = createPart(maxBytes / 4);
    this.#large = createPart(maxBytes - maxBytes / 4);
  }

  get waiting(): number {
    return this.#small.waiting + this.#large.waiting;
  }

  get inside(): number {
    return this.#small.running + this.#large.running;
  }

  /** Waits for room. The returned slot can shrink later. `signal` ends the wait. */
  enter(bytes: number, { id, isStranger }: WorkOwner, signal: AbortSignal): Promise<Slot> {
    const part = bytes <= this.#smallBytes ? this.#small : this.#large;
    return part.acquire({ key: `${isStranger ? STRANGER : KNOWN}${id}`, weight: bytes, signal });
  }
}

const STRANGER = 'stranger ';
const KNOWN = 'known ';

/**
 * Shares memory by owner. The next file belongs to the owner with the fewest bytes, and an owner holds at most half of what the
 * others leave. Strangers and known owners take turns, and all strangers together hold at most half.
 */
function createPart(maxBytes: number): Limiter {
  return new Limiter({
    maxWeight: maxBytes,
    chooseKey(owners, lastStarted) {
      const used = sumWeight(owners);
      const usedByStrangers = sumWeight(owners.filter(isStranger));
      const hasTurn = (owner: KeyState) => isStranger(owner) === lastStarted.startsWith(KNOWN);
      // An owner without a file in progress may take all free room. So may the first of the strangers.
      const isOverShare = (owner: KeyState, bytes: number) =>
        (owner.running > 0 && owner.weight + bytes > (maxBytes - (used - owner.weight)) / 2) ||
        (isStranger(owner) && usedByStrangers > 0 && usedByStrangers + bytes > maxBytes / 2);
      const comesBefore = (a: KeyState, b: KeyState) => (hasTurn(a) === hasTurn(b) ? a.weight < b.weight : hasTurn(a));
      let next: (typeof owners)[number] | undefined;
      for (const owner of owners) {
        const [first] = owner.waiting;
        if (first && !isOverShare(owner, first.weight) && (!next || comesBefore(owner, next))) next = owner;
      }
      return next;
    },
  });
}

function isStranger({ key }: KeyState): boolean {
  return key.startsWith(STRANGER);
}

function sumWeight(owners: readonly KeyState[]): number {
  return owners.reduce((sum, { weight }) => sum + weight, 0);
}
