// Hash table from listed parts to the query's parts that they match. With a few dozen entries it
// stays in the L1 cache while thousands of names are compared.
import type { KnownPart } from './part-names.ts';

/** Slots per entry. Most lookups fail and should reach an empty slot at once. */
const SLOTS_PER_ENTRY = 8;
const LEAST_SLOTS = 1_024;
const EMPTY = -1;
/** Multiplier that spreads tokens over the slots: 2^32 over the golden ratio. */
const SPREAD = 0x9e3779b1;

export class PairEntries {
  /** Next entry of the same token plus one, or 0. */
  next!: Uint32Array;
  part!: Uint8Array;
  similarity!: Float64Array;
  likeness!: Uint8Array;
  evidence!: Float64Array;
  #slotTokens!: Int32Array;
  #slotEntries!: Uint32Array;
  #shift = 0;
  /** Slot of each entry. */
  #taken!: Uint32Array;
  #count = 0;

  constructor() {
    this.#allocate(LEAST_SLOTS);
  }

  begin(parts: readonly KnownPart[]): void {
    let wanted = 0;
    for (const { tokens } of parts) wanted += tokens.length;
    if (wanted > this.#taken.length) this.#allocate(2 ** Math.ceil(Math.log2(wanted * SLOTS_PER_ENTRY)));
    const slotTokens = this.#slotTokens;
    const slotEntries = this.#slotEntries;
    let count = 0;
    for (let at = 0; at < parts.length; at += 1) {
      const { tokens, similarities, likenesses, evidence } = parts[at]!;
      for (let variant = 0; variant < tokens.length; variant += 1) {
        const slot = this.#find(tokens[variant]!);
        this.next[count] = slotTokens[slot] === EMPTY ? 0 : slotEntries[slot]!;
        this.part[count] = at;
        this.similarity[count] = similarities[variant]!;
        this.likeness[count] = likenesses[variant]!;
        this.evidence[count] = evidence[variant]!;
        this.#taken[count] = slot;
        count += 1;
        slotTokens[slot] = tokens[variant]!;
        slotEntries[slot] = count;
      }
    }
    this.#count = count;
  }

  end(): void {
    for (let at = 0; at < this.#count; at += 1) this.#slotTokens[this.#taken[at]!] = EMPTY;
    this.#count = 0;
  }

  /** Returns the first entry of a token plus one, or 0. */
  firstOf(token: number): number {
    const slot = this.#find(token);
    return this.#slotTokens[slot] === EMPTY ? 0 : this.#slotEntries[slot]!;
  }

  /** Returns the slot of a token, or the empty slot where it belongs. */
  #find(token: number): number {
    const slotTokens = this.#slotTokens;
    const mask = slotTokens.length - 1;
    let slot = Math.imul(token, SPREAD) >>> this.#shift;
    while (slotTokens[slot] !== EMPTY && slotTokens[slot] !== token) slot = (slot + 1) & mask;
    return slot;
  }

  #allocate(slots: number): void {
    const entries = slots / SLOTS_PER_ENTRY;
    this.#slotTokens = new Int32Array(slots).fill(EMPTY);
    this.#slotEntries = new Uint32Array(slots);
    this.#shift = Math.clz32(slots) + 1;
    this.#taken = new Uint32Array(entries);
    this.next = new Uint32Array(entries);
    this.part = new Uint8Array(entries);
    this.similarity = new Float64Array(entries);
    this.likeness = new Uint8Array(entries);
    this.evidence = new Float64Array(entries);
  }
}
