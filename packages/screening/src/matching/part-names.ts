// The names that have a part of a query, as they are read again and again: of the many tokens that few names have in one list.
import type { IndexSections } from '../index/screening-index.ts';
import type { KnownPart } from './part-lookup.ts';

/** Names of a token up to which they are put together with those of others. */
const FEW_NAMES = 64;

export interface PartNames {
  /** Names of the rare tokens, ascending. */
  few: Uint32Array;
  /** The other tokens, whose names are read where they lie. */
  frequent: Uint32Array;
}

/** Kept with the part: names repeat, and what was found for their parts is remembered. */
export function namesOf(part: KnownPart, sections: IndexSections): PartNames {
  part.names ??= gather(part, sections);
  return part.names;
}

function gather({ tokens }: KnownPart, { postings, postingOffsets }: IndexSections): PartNames {
  const countOf = (token: number) => postingOffsets[token + 1]! - postingOffsets[token]!;
  const rare = tokens.filter((token) => countOf(token) <= FEW_NAMES);
  const few = new Uint32Array(rare.reduce((sum, token) => sum + countOf(token), 0));
  let at = 0;
  for (const token of rare) {
    for (let place = postingOffsets[token]!; place < postingOffsets[token + 1]!; place += 1) {
      few[at] = postings[place]!;
      at += 1;
    }
  }
  return { few: few.sort(), frequent: tokens.filter((token) => countOf(token) > FEW_NAMES) };
}
