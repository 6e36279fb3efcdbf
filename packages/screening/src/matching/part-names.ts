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
  const few: number[] = [];
  const frequent: number[] = [];
  for (const token of tokens) {
    const from = postingOffsets[token]!;
    const to = postingOffsets[token + 1]!;
    if (to - from > FEW_NAMES) frequent.push(token);
    else for (let at = from; at < to; at += 1) few.push(postings[at]!);
  }
  return { few: new Uint32Array(few).sort(), frequent: new Uint32Array(frequent) };
}
