// The names that have a part of a query, as they are read again and again: of the many tokens that few names have in one list.
import { OTHERS_SIZE } from '../index/posting-others.ts';
import type { IndexSections } from '../index/screening-index.ts';

/** Names of a token up to which they are put together with those of others. */
const FEW_NAMES = 64;
/** Where the birth year is in conflict, only a name that is nearly the same is still a candidate. */
export const NEARLY_THE_SAME = 0.9;

/** Names in ascending order, each with what a posting says of its other parts. */
export interface NameList {
  names: Uint32Array;
  others: Uint32Array;
}

export interface PartNames {
  /** Names of the rare tokens. */
  few: NameList;
  /** The other tokens, whose names are read where they lie, the most similar first. */
  frequent: Uint32Array;
  /** The same of the tokens that are nearly the same as the part: of those that are frequent, how many. */
  closeFew: NameList;
  closeFrequent: number;
  /** Of the frequent ones, see year-places.ts; empty until a search with a date asks for them. */
  places: Uint32Array[];
}

/** A part of a query with everything that can be known about it before names are looked at. */
export interface KnownPart {
  text: string;
  vowelless: boolean;
  /** ASCII codes of the text and of its canonical spelling. */
  codes: Uint8Array;
  canonical: Uint8Array;
  flags: number;
  /** Weight in a score if the part is in only one of the names. */
  weight: number;
  bits: number;
  /** Similar tokens, the best likeness of each. */
  tokens: Uint32Array;
  similarities: Float64Array;
  likenesses: Uint8Array;
  /** Bits of evidence of a match with each token. The more equally similar tokens, the fewer. */
  evidence: Float64Array;
  /** Number of names that hold one of the tokens, some counted twice. */
  postings: number;
  /** Names that hold the tokens; undefined until `namesOf` was called. */
  names: PartNames | undefined;
  /** All letters of the text and of its canonical spelling. */
  textLetters: number;
  canonicalLetters: number;
  /** First letters of both. */
  firstLetters: number;
}

/** Kept with the part: names repeat, and what was found for their parts is remembered. */
export function namesOf(part: KnownPart, sections: IndexSections): PartNames {
  part.names ??= gather(part, sections);
  return part.names;
}

function gather({ tokens, similarities }: KnownPart, sections: IndexSections): PartNames {
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
  const all = listNames(few, sections);
  return {
    few: all,
    closeFew: close === few.length ? all : listNames(few.slice(0, close), sections),
    frequent: new Uint32Array(frequent),
    closeFrequent,
    places: [],
  };
}

/** More than one part has of them. */
const MOST_POSTINGS = 2 ** 20;

function listNames(places: readonly number[], { postings, postingOthers }: IndexSections): NameList {
  // The name and which of the places it is of in one number: numbers alone are sorted far quicker.
  const order = new Float64Array(places.length);
  for (let at = 0; at < places.length; at += 1) order[at] = postings[places[at]!]! * MOST_POSTINGS + at;
  order.sort();
  const names = new Uint32Array(places.length);
  const others = new Uint32Array(OTHERS_SIZE * places.length);
  for (let at = 0; at < places.length; at += 1) {
    const posting = places[order[at]! % MOST_POSTINGS]!;
    names[at] = postings[posting]!;
    for (let word = 0; word < OTHERS_SIZE; word += 1)
      others[OTHERS_SIZE * at + word] = postingOthers[OTHERS_SIZE * posting + word]!;
  }
  return { names, others };
}
