// What a posting says of the other parts of its name, right behind the name in memory: whether a name has a second part that
// is looked for is known without opening it.
//
// Each token has a mark of sixteen bits. A posting has the marks of up to four other tokens. Tokens share marks, so that what
// is told apart is certain, and what is not is seen when the name is opened.
import type { IndexSections } from './screening-index.ts';

/** Words of each posting. */
export const OTHERS_SIZE = 2;
const MOST_OTHERS = 4;
/** Instead of the first mark: a name that one part may match, and one that has more tokens, of which it says where they lie. */
export const MARK_SPARSE = 0xfffe;
export const MARK_LONG = 0xffff;
/** Marks of tokens begin behind 0, which stands for none. */
const TOKEN_MARKS = MARK_SPARSE - 1;

export function markOf(token: number): number {
  return 1 + (token % TOKEN_MARKS);
}

type NameTokens = Pick<IndexSections, 'nameTokens' | 'nameTokenOffsets'>;

/** Writes what a posting of a token says of a name. */
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
      // Once: a word that the name has twice is among its own others.
      if (!isPassed && nameTokens[place] === token) {
        isPassed = true;
        continue;
      }
      others[at + (count >>> 1)]! |= markOf(nameTokens[place]!) << (16 * (count & 1));
      count += 1;
    }
  }
}
