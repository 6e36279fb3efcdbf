// Finds the records of a list by their ids in 16 bytes for each, where a set of a million ids would take a hundred.
import { GrowingArray } from './growing-array.ts';

/** 53 bits, the most that a number holds: two FNV-1a of different starts, each with a final mix. */
export function hashBytes(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let one = 0x811c9dc5;
  let two = 0x01234567;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at]!;
    one = Math.imul(one ^ byte, 0x01000193);
    two = Math.imul(two ^ byte, 0x5bd1e995);
    two ^= two >>> 15;
  }
  return mix(one) * 2 ** 21 + (mix(two ^ one) >>> 11);
}

function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** A slot that is taken holds the number of its record plus one. */
const FREE = 0;
const FIRST_SLOTS = 1 << 10;

/** Open addressing over hashes of up to 53 bits; two ids may share one, which whoever looks up must tell apart. */
export function createIdTable() {
  const hashes = new GrowingArray(Float64Array);
  let slots = new Uint32Array(FIRST_SLOTS);

  function put(record: number): void {
    let at = hashes.at(record) % slots.length;
    while (slots[at] !== FREE) at = (at + 1) % slots.length;
    slots[at] = record + 1;
  }

  return {
    /** Numbers of the records whose id has this hash: nearly always none or one. */
    *find(hash: number): Generator<number> {
      for (let at = hash % slots.length; slots[at] !== FREE; at = (at + 1) % slots.length) {
        const record = slots[at]! - 1;
        if (hashes.at(record) === hash) yield record;
      }
    },
    /** The next record, counted from 0. */
    add(hash: number): void {
      hashes.push(hash);
      if (hashes.length * 2 <= slots.length) {
        put(hashes.length - 1);
        return;
      }
      slots = new Uint32Array(slots.length * 2);
      for (let record = 0; record < hashes.length; record += 1) put(record);
    },
    /** Gives the memory back; nothing is found any more. */
    free(): void {
      hashes.free();
      slots = new Uint32Array(FIRST_SLOTS);
    },
  };
}
