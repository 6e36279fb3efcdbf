// The limit that the threads of one search share: whichever has k hits first spares the others what is worse.
import { roundDown } from './round-outwards.ts';

const single = new Float32Array(1);
const bits = new Int32Array(single.buffer);

export type SharedLimit = ReturnType<typeof openLimit>;

/** Before anything is known. */
export function clearLimit(cells: Int32Array, at: number): void {
  Atomics.store(cells, at, toCell(-Infinity));
}

export function openLimit(cells: Int32Array, at: number) {
  return {
    /** Never above the highest that was told. */
    read: (): number => fromCell(Atomics.load(cells, at)),
    /** Says that k hits of at least this are known. */
    tell(similarity: number): void {
      const mine = toCell(roundDown(similarity));
      for (let seen = Atomics.load(cells, at); seen < mine; ) {
        const before = Atomics.compareExchange(cells, at, seen, mine);
        if (before === seen) return;
        seen = before;
      }
    },
  };
}

/** Whole numbers in the order of the single-precision numbers that they stand for: atomic operations know no others. */
function toCell(value: number): number {
  single[0] = value;
  return flip(bits[0]!);
}

function fromCell(cell: number): number {
  bits[0] = flip(cell);
  return single[0]!;
}

/** Negative numbers are stored as sign and size: the greater the size, the less they are. */
function flip(cell: number): number {
  return cell < 0 ? cell ^ 0x7fffffff : cell;
}
