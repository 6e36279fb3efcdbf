// The names that have a part of a query, as they are read again and again: of the many tokens that few names have in one list.
import type { IndexSections } from '../index/screening-index.ts';
import type { KnownPart } from './part-lookup.ts';

/** Names of a token up to which they are put together with those of others. */
const FEW_NAMES = 64;
/** Where the birth year is in conflict, only a name that is nearly the same is still a candidate. */
export const NEARLY_THE_SAME = 0.9;

export interface PartNames {
  /** Names of the rare tokens, ascending. */
  few: Uint32Array;
  /** The other tokens, whose names are read where they lie, the most similar first. */
  frequent: Uint32Array;
  /** The same of the tokens that are nearly the same as the part: of those that are frequent, how many. */
  closeFew: Uint32Array;
  closeFrequent: number;
  /** Of the frequent ones, see year-places.ts; empty until a search with a date asks for them. */
  places: Uint32Array[];
}

/** Kept with the part: names repeat, and what was found for their parts is remembered. */
export function namesOf(part: KnownPart, sections: IndexSections): PartNames {
  part.names ??= gather(part, sections);
  return part.names;
}

function gather({ tokens, similarities }: KnownPart, { postings, postingOffsets }: IndexSections): PartNames {
  const few: number[] = [];
  const frequent: number[] = [];
  let [close, closeFrequent] = [0, 0];
  for (let place = 0; place < tokens.length; place += 1) {
    const token = tokens[place]!;
    const from = postingOffsets[token]!;
    const to = postingOffsets[token + 1]!;
    if (to - from > FEW_NAMES) frequent.push(token);
    else for (let at = from; at < to; at += 1) few.push(postings[at]!);
    if (similarities[place]! >= NEARLY_THE_SAME) [close, closeFrequent] = [few.length, frequent.length];
  }
  return {
    closeFew: new Uint32Array(few.slice(0, close)).sort(),
    few: new Uint32Array(few).sort(),
    frequent: new Uint32Array(frequent),
    closeFrequent,
    places: [],
  };
}
