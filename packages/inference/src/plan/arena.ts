// Allocates the memory of an instance: permanently, or for reuse by later steps.
import { refuse } from '../tensor.ts';

const PAGE = 65_536;
const GROWTH_PAGES = 32;
/** Cache line size of the processor. */
const ALIGNMENT = 64;
/** Far more than any face model needs. */
const MAX_BYTES = 2 ** 29;

export function createArena() {
  // Without a maximum, which some devices would reserve at once.
  const memory = new WebAssembly.Memory({ initial: 1 });
  let top = ALIGNMENT;
  let free: { at: number; bytes: number }[] = [];
  const taken = new Map<number, number>();
  /** Memory that was ever allocated for reuse. */
  const lent: { at: number; bytes: number }[] = [];

  function keep(wanted: number): number {
    const at = top;
    const end = at + align(wanted);
    if (!(end <= MAX_BYTES)) refuse('it needs too much memory');
    const missing = Math.ceil((end - memory.buffer.byteLength) / PAGE);
    // Grows by more than requested, because growing invalidates all views.
    if (missing > 0)
      memory.grow(Math.min(Math.max(missing, GROWTH_PAGES), (MAX_BYTES - memory.buffer.byteLength) / PAGE));
    top = end;
    return at;
  }

  return {
    memory,
    keep,
    take(wanted: number): number {
      const bytes = align(wanted);
      // Best fit.
      const [best] = free.filter((piece) => piece.bytes >= bytes).toSorted((a, b) => a.bytes - b.bytes);
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
      const before = free.find((gap) => gap.at + gap.bytes === at);
      const after = free.find((gap) => gap.at === at + piece.bytes);
      free = free.filter((gap) => gap !== before && gap !== after);
      free.push({
        at: before?.at ?? at,
        bytes: piece.bytes + (before?.bytes ?? 0) + (after?.bytes ?? 0),
      });
    },
    /** Overwrites all reusable memory with zeros. Permanent memory stays. */
    clear(): void {
      const view = new Uint8Array(memory.buffer);
      for (const { at, bytes } of lent) view.fill(0, at, at + bytes);
    },
  };
}

function align(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
