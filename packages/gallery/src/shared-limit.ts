// Limit shared by the threads of a search: the first thread with k hits saves the others worse
// rows.
import { roundDown } from './round-outwards.ts';

const single = new Float32Array(1);
const bits = new Int32Array(single.buffer);

export type SharedLimit = ReturnType<typeof openLimit>;

/** Initial value. */
export function clearLimit(cells: Int32Array, at: number): void {
  Atomics.store(cells, at, toCell(-Infinity));
}

export function openLimit(cells: Int32Array, at: number) {
  return {
    /** Never above the highest reported limit. */
    read: (): number => fromCell(Atomics.load(cells, at)),
    /** Reports that k hits of at least this similarity are known. */
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

/** Integers in the order of single-precision numbers, because atomics need integers. */
function toCell(value: number): number {
  single[0] = value;
  return flip(bits[0]!);
}

function fromCell(cell: number): number {
  bits[0] = flip(cell);
  return single[0]!;
}

/** Negative numbers are stored as sign and magnitude, so their order is reversed. */
function flip(cell: number): number {
  return cell < 0 ? cell ^ 0x7fffffff : cell;
}
