// Finds records by id with 16 bytes per record. A set of a million ids would take a hundred each.
import { GrowingArray } from './growing-array.ts';

/** Returns 53 bits: two FNV-1a hashes with different seeds and a final mix. */
export function hashBytes(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let first = 0x811c9dc5;
  let two = 0x01234567;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at]!;
    first = Math.imul(first ^ byte, 0x01000193);
    two = Math.imul(two ^ byte, 0x5bd1e995);
    two ^= two >>> 15;
  }
  return mix(first) * 2 ** 21 + (mix(two ^ first) >>> 11);
}

function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Value of a free slot. Used slots contain the record number plus one. */
const FREE = 0;
const FIRST_SLOTS = 1 << 10;

/** Open addressing over hashes of up to 53 bits. Ids may collide, so callers compare them. */
export function createIdTable() {
  const hashes = new GrowingArray(Float64Array);
  let slots = new Uint32Array(FIRST_SLOTS);

  function put(record: number): void {
    let at = hashes.at(record) % slots.length;
    while (slots[at] !== FREE) at = (at + 1) % slots.length;
    slots[at] = record + 1;
  }

  return {
    /** Yields the records whose id has this hash, nearly always none or one. */
    *find(hash: number): Generator<number> {
      for (let at = hash % slots.length; slots[at] !== FREE; at = (at + 1) % slots.length) {
        const record = slots[at]! - 1;
        if (hashes.at(record) === hash) yield record;
      }
    },
    /** Adds the next record, numbered from 0. */
    add(hash: number): void {
      hashes.push(hash);
      if (hashes.length * 2 <= slots.length) {
        put(hashes.length - 1);
        return;
      }
      slots = new Uint32Array(slots.length * 2);
      for (let record = 0; record < hashes.length; record += 1) put(record);
    },
    /** Releases the memory. Later lookups find nothing. */
    free(): void {
      hashes.free();
      slots = new Uint32Array(FIRST_SLOTS);
    },
  };
}
