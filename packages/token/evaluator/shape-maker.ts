// Makes the shape of a body, in a work area and a place of the shared memory that no other thread uses.
import { SHAPE_BALANCE_AT, SHAPE_PROJECTIONS_AT } from '../shared/index.ts';
import { PLACE_BYTES } from '../shared/kernel/place.ts';
import type { Comparer } from './comparer.ts';
import { unpackToken } from './token-arena.ts';
import type { SharedParts } from './token-memory.ts';

export type MakeShape = (body: Uint8Array, out: Uint8Array) => void;

/** Takes the comparer's probe away, and leaves nothing of the body behind. */
export function createShapeMaker({ memory }: SharedParts, comparer: Comparer, place: number): MakeShape {
  const words = new Int32Array(memory.buffer, place * PLACE_BYTES, PLACE_BYTES / 4);
  return (body, out) => {
    try {
      unpackToken(body, words);
      comparer.setProbe(body);
      comparer.compareWithItself(place, out);
      comparer.setConjugate(body);
      comparer.compareWithItself(place, out.subarray(SHAPE_BALANCE_AT));
      comparer.project(place, out.subarray(SHAPE_PROJECTIONS_AT));
    } finally {
      words.fill(0);
      comparer.wipe();
    }
  };
}
