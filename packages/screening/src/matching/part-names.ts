// Names that contain a query's part. Names of rare tokens are merged into one list, because they
// are read repeatedly.
import { OTHERS_SIZE } from '../index/posting-others.ts';
import type { IndexSections } from '../index/screening-index.ts';

/** Maximum number of names of a token for its names to be merged. */
const FEW_NAMES = 64;
/** Minimum similarity for candidates with a conflicting birth year. */
export const NEARLY_THE_SAME = 0.9;

/** Names in ascending order, each with its posting's summary of other parts. */
export interface NameList {
  names: Uint32Array;
  others: Uint32Array;
}

export interface PartNames {
  /** Names of rare tokens. */
  few: NameList;
  /** Frequent tokens, whose names are read in place, most similar first. */
  frequent: Uint32Array;
  /** Names of rare tokens, and number of frequent tokens, that are nearly equal to the part. */
  closeFew: NameList;
  closeFrequent: number;
  /** Year positions of the frequent tokens. Empty until a search with a date needs them. */
  places: Uint32Array[];
}

/** A query's part with all facts that are independent of names. */
export interface KnownPart {
  text: string;
  vowelless: boolean;
  /** ASCII codes of the text and of its canonical spelling. */
  codes: Uint8Array;
  canonical: Uint8Array;
  flags: number;
  /** Weight in a score if only one of the names has the part. */
  weight: number;
  bits: number;
  /** Similar tokens, each with its best likeness. */
  tokens: Uint32Array;
  similarities: Float64Array;
  likenesses: Uint8Array;
  /** Bits of evidence of a match with each token. The more equally similar tokens, the fewer. */
  evidence: Float64Array;
  /** Number of names with one of the tokens, some counted twice. */
  postings: number;
  /** Names with the tokens. Undefined until `namesOf` was called. */
  names: PartNames | undefined;
  /** All letters of the text and of its canonical spelling. */
  textLetters: number;
  canonicalLetters: number;
  /** First letters of both. */
  firstLetters: number;
}

/** Cached with the part, because names repeat. */
export function getPartNames(part: KnownPart, sections: IndexSections): PartNames {
  part.names ??= gatherNames(part, sections);
  return part.names;
}

function gatherNames({ tokens, similarities }: KnownPart, sections: IndexSections): PartNames {
  const { postingOffsets } = sections;
  const few: number[] = [];
  const frequent: number[] = [];
  let [close, closeFrequent] = [0, 0];
  for (let place = 0; place < tokens.length; place += 1) {
    const token = tokens[place]!;
    const from = postingOffsets[token]!;
    const to = postingOffsets[token + 1]!;
    if (to - from > FEW_NAMES) frequent.push(token);
    else for (let at = from; at < to; at += 1) few.push(at);
    if (similarities[place]! >= NEARLY_THE_SAME) [close, closeFrequent] = [few.length, frequent.length];
  }
  const allNames = listNames(few, sections);
  return {
    few: allNames,
    closeFew: close === few.length ? allNames : listNames(few.slice(0, close), sections),
    frequent: new Uint32Array(frequent),
    closeFrequent,
    places: [],
  };
}

/** Above the number of postings of any part. */
const MOST_POSTINGS = 2 ** 20;

function listNames(places: readonly number[], { postings, postingOthers }: IndexSections): NameList {
  // Packs the name and its position into one number, because plain numbers sort much faster.
  const order = new Float64Array(places.length);
  for (let at = 0; at < places.length; at += 1) order[at] = postings[places[at]!]! * MOST_POSTINGS + at;
  order.sort();
  const names = new Uint32Array(places.length);
  const otherMarks = new Uint32Array(OTHERS_SIZE * places.length);
  for (let at = 0; at < places.length; at += 1) {
    const posting = places[order[at]! % MOST_POSTINGS]!;
    names[at] = postings[posting]!;
    for (let word = 0; word < OTHERS_SIZE; word += 1)
      otherMarks[OTHERS_SIZE * at + word] = postingOthers[OTHERS_SIZE * posting + word]!;
  }
  return { names, others: otherMarks };
}
