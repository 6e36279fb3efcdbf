// Which listed parts the parts of a query may be taken for, found by the listed part. There are some dozens of them, so that
// the table stays in the fastest cache while thousands of names are held against it.
import type { KnownPart } from './part-lookup.ts';

/** Slots per entry: most look-ups are for parts that are not there, and should meet an empty slot at once. */
const SLOTS_PER_ENTRY = 8;
const LEAST_SLOTS = 1_024;
const EMPTY = -1;
/** Spreads tokens over the slots: 2^32 over the golden ratio. */
const SPREAD = 0x9e3779b1;

export interface PairEntries {
  begin(parts: readonly KnownPart[]): void;
  end(): void;
  /** The first entry of a token, plus one, or 0. */
  firstOf(token: number): number;
  /** Per entry the next of the same token, plus one, or 0. */
  readonly next: Uint32Array;
  readonly part: Uint8Array;
  readonly similarity: Float64Array;
  readonly likeness: Uint8Array;
  readonly evidence: Float64Array;
}

export function createPairEntries(): PairEntries {
  let slotTokens = new Int32Array(LEAST_SLOTS).fill(EMPTY);
  let slotEntries = new Uint32Array(LEAST_SLOTS);
  let shift = Math.clz32(LEAST_SLOTS) + 1;
  let taken = new Uint32Array(LEAST_SLOTS / SLOTS_PER_ENTRY);
  let count = 0;

  const slotOf = (token: number) => Math.imul(token, SPREAD) >>> shift;

  /** The slot of a token, or the empty one where it would be. */
  function find(token: number): number {
    const mask = slotTokens.length - 1;
    let slot = slotOf(token);
    while (slotTokens[slot] !== EMPTY && slotTokens[slot] !== token) slot = (slot + 1) & mask;
    return slot;
  }

  function makeRoom(entries: PairEntriesInUse, wanted: number): void {
    if (wanted <= taken.length) return;
    const slots = 2 ** Math.ceil(Math.log2(wanted * SLOTS_PER_ENTRY));
    slotTokens = new Int32Array(slots).fill(EMPTY);
    slotEntries = new Uint32Array(slots);
    shift = Math.clz32(slots) + 1;
    taken = new Uint32Array(slots / SLOTS_PER_ENTRY);
    Object.assign(entries, arraysOf(taken.length));
  }

  return {
    ...arraysOf(taken.length),
    begin(parts) {
      let wanted = 0;
      for (const { tokens } of parts) wanted += tokens.length;
      makeRoom(this, wanted);
      count = 0;
      for (let at = 0; at < parts.length; at += 1) {
        const { tokens, similarities, likenesses, evidence } = parts[at]!;
        for (let variant = 0; variant < tokens.length; variant += 1) {
          const slot = find(tokens[variant]!);
          this.next[count] = slotTokens[slot] === EMPTY ? 0 : slotEntries[slot]!;
          this.part[count] = at;
          this.similarity[count] = similarities[variant]!;
          this.likeness[count] = likenesses[variant]!;
          this.evidence[count] = evidence[variant]!;
          taken[count] = slot;
          count += 1;
          slotTokens[slot] = tokens[variant]!;
          slotEntries[slot] = count;
        }
      }
    },
    end() {
      for (let at = 0; at < count; at += 1) slotTokens[taken[at]!] = EMPTY;
      count = 0;
    },
    firstOf(token) {
      const slot = find(token);
      return slotTokens[slot] === EMPTY ? 0 : slotEntries[slot]!;
    },
  };
}

type PairEntriesInUse = Pick<PairEntries, 'next' | 'part' | 'similarity' | 'likeness' | 'evidence'>;

function arraysOf(length: number): PairEntriesInUse {
  return {
    next: new Uint32Array(length),
    part: new Uint8Array(length),
    similarity: new Float64Array(length),
    likeness: new Uint8Array(length),
    evidence: new Float64Array(length),
  };
}
