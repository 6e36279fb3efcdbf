// Which names have a part that very many have, a bit each: given names come again and again, and reading their postings is slow.
import type { ScreeningIndex } from '../index/screening-index.ts';
import type { KnownPart } from './part-lookup.ts';

/** Share of all names from which on a part is frequent. */
const FREQUENT = 1 / 64;
/** Parts of which the bits are kept. */
const MAX_KEPT = 64;

/** Undefined for a part that is not frequent, or that comes for the first time: reading its postings once is quicker. */
export function createFrequentParts({
  sections,
  nameCount,
}: ScreeningIndex): (part: KnownPart) => Uint32Array | undefined {
  const { postings, postingOffsets } = sections;
  /** Null for those that have come once. */
  const kept = new Map<KnownPart, Uint32Array | null>();

  function readBits({ tokens }: KnownPart): Uint32Array {
    const bits = new Uint32Array((nameCount + 31) >>> 5);
    for (const token of tokens) {
      const end = postingOffsets[token + 1]!;
      for (let at = postingOffsets[token]!; at < end; at += 1) bits[postings[at]! >>> 5]! |= 1 << (postings[at]! & 31);
    }
    return bits;
  }

  return (part) => {
    if (part.postings < FREQUENT * nameCount) return undefined;
    const known = kept.get(part);
    if (known) return known;
    if (known === undefined && kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!);
    const bits = known === null ? readBits(part) : null;
    kept.set(part, bits);
    return bits ?? undefined;
  };
}
