// Hands out the memory of an instance: some for good, and some that is given back and used again by a later step.
import { refuse } from '../tensor.ts';

const PAGE = 65_536;
const GROWTH_PAGES = 32;
/** So that no line of the processor's cache is split. */
const ALIGNMENT = 64;
/** Far more than any model of a face takes. */
const MAX_BYTES = 2 ** 29;

export function createArena() {
  // Without a maximum, which some devices would set aside at once.
  const memory = new WebAssembly.Memory({ initial: 1 });
  let top = ALIGNMENT;
  let free: { at: number; bytes: number }[] = [];
  const taken = new Map<number, number>();
  /** All that was set aside to be taken, again and again. */
  const lent: { at: number; bytes: number }[] = [];

  function keep(wanted: number): number {
    const at = top;
    const end = at + align(wanted);
    if (!(end <= MAX_BYTES)) refuse('it needs too much memory');
    const missing = Math.ceil((end - memory.buffer.byteLength) / PAGE);
    // More than asked for: each time it grows, all views of it have to be made anew.
    if (missing > 0)
      memory.grow(Math.min(Math.max(missing, GROWTH_PAGES), (MAX_BYTES - memory.buffer.byteLength) / PAGE));
    top = end;
    return at;
  }

  return {
    memory,
    /** For good. */
    keep,
    take(wanted: number): number {
      const bytes = align(wanted);
      // The smallest that is large enough.
      const [best] = free.filter((piece) => piece.bytes >= bytes).toSorted((one, other) => one.bytes - other.bytes);
      const at = best ? best.at : keep(bytes);
      if (!best) lent.push({ at, bytes });
      else {
        free = free.filter((piece) => piece !== best);
        if (best.bytes > bytes) free.push({ at: at + bytes, bytes: best.bytes - bytes });
      }
      taken.set(at, bytes);
      return at;
    },
    giveBack(at: number): void {
      const piece = { at, bytes: taken.get(at)! };
      taken.delete(at);
      const before = free.find((one) => one.at + one.bytes === at);
      const after = free.find((one) => one.at === at + piece.bytes);
      free = free.filter((one) => one !== before && one !== after);
      free.push({
        at: before?.at ?? at,
        bytes: piece.bytes + (before?.bytes ?? 0) + (after?.bytes ?? 0),
      });
    },
    /** Overwrites everything that was ever taken with zeros, and nothing that is kept. */
    clear(): void {
      const all = new Uint8Array(memory.buffer);
      for (const { at, bytes } of lent) all.fill(0, at, at + bytes);
    },
  };
}

function align(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
