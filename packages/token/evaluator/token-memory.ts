// The shared memory that the kernel reads: its tables, a work area per thread, and places for one
// unpacked token each.

import { PLACE_BYTES } from '../shared/kernel/factor.ts';
import { tabulateForward, tabulateInverse } from '../shared/kernel/kernel-tables.ts';
import { WORK_AREA_BYTES } from './work-area.ts';

const PLACE_WORDS = PLACE_BYTES / 4;
const PAGE_BYTES = 65_536;
/** 4 GiB, the limit of 32-bit WebAssembly. Only used pages are taken from the machine. */
const MAX_PAGES = 65_536;
/** Pages per growth step, because growing is a system call and large galleries grow often. */
const GROWTH_PAGES = 64;
const INVERSE_TABLE_AT = 0;

/** The memory is full. Remove tokens, or compare in parts. */
export class TokenMemoryFull extends Error {
  constructor() {
    super('The memory for tokens is full');
    this.name = 'TokenMemoryFull';
  }
}

/** Facts that a thread needs to access the memory. */
export interface SharedParts {
  memory: WebAssembly.Memory;
  inverseTableAt: number;
  forwardTableAt: number;
}

export type TokenMemory = ReturnType<typeof createTokenMemory>;

export function createTokenMemory(areaCount: number, maxBytes: number) {
  const [inverseTable, forwardTable] = [tabulateInverse(), tabulateForward()];
  const forwardTableAt = alignUp(INVERSE_TABLE_AT + inverseTable.byteLength, 64);
  const areasAt = alignUp(forwardTableAt + forwardTable.byteLength, 64);
  const areas = Array.from({ length: areaCount }, (_, index) => areasAt + index * WORK_AREA_BYTES);
  const firstPlace = Math.ceil((areasAt + areaCount * WORK_AREA_BYTES) / PLACE_BYTES);
  const fixedPages = Math.ceil((firstPlace * PLACE_BYTES) / PAGE_BYTES);
  const memory = new WebAssembly.Memory({ initial: fixedPages, maximum: MAX_PAGES, shared: true });
  new Int32Array(memory.buffer, INVERSE_TABLE_AT, inverseTable.length).set(inverseTable);
  new Int32Array(memory.buffer, forwardTableAt, forwardTable.length).set(forwardTable);
  const most = Math.min(Math.floor(maxBytes / PLACE_BYTES), (MAX_PAGES * PAGE_BYTES) / PLACE_BYTES - firstPlace);
  let begun = 0;
  const free: number[] = [];

  function grow(): void {
    const pages = memory.buffer.byteLength / PAGE_BYTES;
    try {
      memory.grow(Math.min(GROWTH_PAGES, MAX_PAGES - pages));
    } catch {
      throw new TokenMemoryFull();
    }
  }

  return {
    parts: { memory, inverseTableAt: INVERSE_TABLE_AT, forwardTableAt },
    /** Offset of the work areas. */
    areas,
    /** Returns a zeroed place. Throws `TokenMemoryFull`. */
    take(): number {
      const freed = free.pop();
      if (freed !== undefined) return freed;
      if (begun >= most) throw new TokenMemoryFull();
      const place = firstPlace + begun;
      if ((place + 1) * PLACE_BYTES > memory.buffer.byteLength) grow();
      begun += 1;
      return place;
    },
    /** Wipes and frees a place. */
    giveBack(place: number): void {
      new Int32Array(memory.buffer, place * PLACE_BYTES, PLACE_WORDS).fill(0);
      free.push(place);
    },
    /** Returns the 4,096 words of a place. */
    wordsOf: (place: number): Int32Array => new Int32Array(memory.buffer, place * PLACE_BYTES, PLACE_WORDS),
  };
}

function alignUp(bytes: number, to: number): number {
  return Math.ceil(bytes / to) * to;
}
