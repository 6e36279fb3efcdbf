// Stores next to each posting a summary of the name's other parts. A search then sees whether a
// second part matches without opening the name.
//
// Each token has a 16-bit mark, and a posting has the marks of up to four other tokens. Marks are
// shared, so a mismatch is certain and a match must be verified in the name.
import type { IndexSections } from './screening-index.ts';

/** Words per posting. */
export const OTHERS_SIZE = 2;
const MOST_OTHERS = 4;
/** Special first marks: a sparse name, and a name with more tokens and their position. */
export const MARK_SPARSE = 0xfffe;
export const MARK_LONG = 0xffff;
/** Token marks start at 1; 0 means none. */
const TOKEN_MARKS = MARK_SPARSE - 1;

export function tokenMark(token: number): number {
  return 1 + (token % TOKEN_MARKS);
}

type NameTokens = Pick<IndexSections, 'nameTokens' | 'nameTokenOffsets'>;

/** Writes a posting's summary of the name. */
export function writeOthers(
  others: Uint32Array,
  posting: number,
  { nameTokens, nameTokenOffsets }: NameTokens,
  name: number,
  token: number,
  isSparse: boolean,
): void {
  const from = nameTokenOffsets[name]!;
  const to = nameTokenOffsets[name + 1]!;
  const at = OTHERS_SIZE * posting;
  if (isSparse) {
    others[at] = MARK_SPARSE;
  } else if (to - from > 1 + MOST_OTHERS) {
    others[at] = MARK_LONG | ((to - from) << 16);
    others[at + 1] = from;
  } else {
    let isPassed = false;
    let count = 0;
    for (let place = from; place < to; place += 1) {
      // Skips the token once, because a word that occurs twice is among its own others.
      if (!isPassed && nameTokens[place] === token) {
        isPassed = true;
        continue;
      }
      others[at + (count >>> 1)]! |= tokenMark(nameTokens[place]!) << (16 * (count & 1));
      count += 1;
    }
  }
}
