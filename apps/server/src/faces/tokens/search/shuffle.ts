// Puts things in an order that nobody can guess.
import { randomFillSync } from 'node:crypto';

const DRAWN_AT_ONCE = 4_096;

/** Fisher and Yates; the bias of a 32-bit remainder is one in four billion for each thing. */
export function shuffleInPlace(things: Uint32Array): void {
  const drawn = new Uint32Array(Math.min(DRAWN_AT_ONCE, things.length));
  for (let left = things.length, at = drawn.length; left > 1; left--, at++) {
    if (at === drawn.length) {
      randomFillSync(drawn);
      at = 0;
    }
    const other = drawn[at]! % left;
    const last = things[left - 1]!;
    things[left - 1] = things[other]!;
    things[other] = last;
  }
}
