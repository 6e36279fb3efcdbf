// Unpacked tokens and blocks of one gallery, in places of the shared memory.
import { Q, RING_DEGREE, unpackBodyInto } from '../shared/index.ts';
import { PLACE_BYTES } from '../shared/kernel/factor.ts';
import type { ReadGuard } from './read-guard.ts';
import type { TokenMemory } from './token-memory.ts';

export interface TokenArena {
  /** Unpacks a body and returns its slot. Throws `TokenError` and `TokenMemoryFull`. */
  add(body: Uint8Array): number;
  /** Unpacks a block. `ofProbes` is its epoch's second polynomial of probes. */
  addBlock(block: Uint8Array, ofProbes: Int32Array): number;
  /** Running searches still see the token. It is wiped, and its slot reused, once none does. */
  remove(slot: number): void;
  readonly size: number;
  /** Memory of the tokens and blocks: 16,384 bytes each. */
  readonly bytes: number;
  /** Removes all of them. Running searches fail. */
  close(): void;
}

/** The evaluator's internal view. */
export interface OpenArena extends TokenArena {
  readonly isClosed: boolean;
  /** Throws `RangeError` if a slot is unused or belongs to another arena. */
  check(slots: Uint32Array): void;
}

export interface ArenaParts {
  memory: TokenMemory;
  guard: ReadGuard;
  placeBlock(block: Uint8Array, ofProbes: Int32Array, place: number): void;
  onClose(): void;
}

export function createTokenArena({ memory, guard, placeBlock, onClose }: ArenaParts): OpenArena {
  const slots = new Set<number>();
  let isClosed = false;

  function release(slot: number): void {
    slots.delete(slot);
    guard.afterReaders(() => memory.giveBack(slot));
  }

  function take(fill: (place: number) => void): number {
    if (isClosed) throw new Error('The arena is closed.');
    const place = memory.take();
    try {
      fill(place);
    } catch (error) {
      memory.giveBack(place);
      throw error;
    }
    slots.add(place);
    return place;
  }

  return {
    add: (body) => take((place) => unpackToken(body, memory.wordsOf(place))),
    addBlock: (block, ofProbes) => take((place) => placeBlock(block, ofProbes, place)),
    remove(slot) {
      if (!slots.has(slot)) throw new RangeError('The arena does not have this slot.');
      release(slot);
    },
    get size() {
      return slots.size;
    },
    get bytes() {
      return slots.size * PLACE_BYTES;
    },
    get isClosed() {
      return isClosed;
    },
    check(list) {
      if (isClosed) throw new Error('The arena is closed.');
      for (let index = 0; index < list.length; index++)
        if (!slots.has(list[index]!)) throw new RangeError('The arena does not have this slot.');
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      onClose();
      for (const slot of slots) release(slot);
    },
  };
}

/** Buffer for unpacking, because loops over unshared memory are much faster. */
const c0 = new Int32Array(RING_DEGREE);
const c1 = new Int32Array(RING_DEGREE);
const HALF = (Q - 1) / 2;

/** Both polynomials, each value as the residue nearest to zero. */
export function unpackToken(body: Uint8Array, words: Int32Array): void {
  unpackBodyInto(body, c0, c1);
  centerAll(c0);
  centerAll(c1);
  words.set(c0);
  words.set(c1, RING_DEGREE);
}

function centerAll(values: Int32Array): void {
  for (let index = 0; index < RING_DEGREE; index++) {
    const value = values[index]!;
    values[index] = value > HALF ? value - Q : value;
  }
}
