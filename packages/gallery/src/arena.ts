// The shared memory that the kernel reads. Hands out pieces and wipes returned ones.

const PAGE = 65_536;
/** 4 GiB, the limit of 32-bit WebAssembly. Only used pages are taken from the machine. */
const MAX_PAGES = 65_536;
/** Alignment of pieces to cache lines. */
const ALIGNMENT = 64;
/** Pages per growth step, because growing is a system call and large galleries grow often. */
const GROWTH_PAGES = 64;

interface Piece {
  at: number;
  bytes: number;
}

export interface ArenaViews {
  readonly bytes: Uint8Array;
  readonly ints: Int32Array;
  readonly floats: Float32Array;
}

export type Arena = ReturnType<typeof createArena>;

export function openViews({ buffer }: WebAssembly.Memory): ArenaViews {
  return { bytes: new Uint8Array(buffer), ints: new Int32Array(buffer), floats: new Float32Array(buffer) };
}

export function createArena() {
  const memory = new WebAssembly.Memory({ initial: GROWTH_PAGES, maximum: MAX_PAGES, shared: true });
  let views = openViews(memory);
  // Free pieces in order of offset. Adjacent ones are merged.
  const free: Piece[] = [{ at: 0, bytes: GROWTH_PAGES * PAGE }];
  let used = 0;

  function grow(bytes: number): void {
    const pages = memory.buffer.byteLength / PAGE;
    const wanted = Math.max(GROWTH_PAGES, Math.ceil(bytes / PAGE));
    const more = Math.min(wanted, MAX_PAGES - pages);
    try {
      if (more * PAGE < bytes) throw new RangeError('limit');
      memory.grow(more);
    } catch {
      throw new Error(
        `The face index is full: all ${used} bytes of codes are in use. Spread the people over several processes, or keep them in pgvector.`,
      );
    }
    views = openViews(memory);
    putBack({ at: pages * PAGE, bytes: more * PAGE });
  }

  function putBack({ at, bytes }: Piece): void {
    let low = 0;
    let high = free.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (free[middle]!.at < at) low = middle + 1;
      else high = middle;
    }
    const before = free[low - 1];
    const after = free[low];
    const joinsBefore = before !== undefined && before.at + before.bytes === at;
    const joinsAfter = after !== undefined && at + bytes === after.at;
    if (joinsBefore) {
      before.bytes += bytes + (joinsAfter ? after.bytes : 0);
      if (joinsAfter) free.splice(low, 1);
    } else if (joinsAfter) {
      after.at = at;
      after.bytes += bytes;
    } else free.splice(low, 0, { at, bytes });
  }

  return {
    memory,
    /** A view of the whole memory. Outdated after `allocate`. */
    get views(): ArenaViews {
      return views;
    },
    /** Number of allocated bytes. */
    get used(): number {
      return used;
    },
    /** Returns the offset of a zeroed piece. */
    allocate(bytes: number): number {
      const size = align(bytes);
      let index = free.findIndex((piece) => piece.bytes >= size);
      if (index < 0) {
        grow(size);
        index = free.findIndex((piece) => piece.bytes >= size);
      }
      const piece = free[index]!;
      const { at } = piece;
      piece.at += size;
      piece.bytes -= size;
      if (piece.bytes === 0) free.splice(index, 1);
      used += size;
      return at;
    },
    /** Wipes and frees a piece. `bytes` must equal the allocated size. */
    release(at: number, bytes: number): void {
      const size = align(bytes);
      views.bytes.fill(0, at, at + size);
      used -= size;
      putBack({ at, bytes: size });
    },
  };
}

function align(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
