// Finds the records of a list by their ids in 16 bytes for each, where a set of a million ids would take a hundred.
import { GrowingArray } from './growing-array.ts';

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
