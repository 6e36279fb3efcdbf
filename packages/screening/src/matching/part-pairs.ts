// Parts of a listed name that may be paired with the query's parts. Every comparison of two names
// starts here.
import type { ScreeningIndex } from '../index/screening-index.ts';
import { MAX_PARTS } from '../names/fold-name.ts';
import type { Likeness } from './likeness.ts';
import { PairEntries } from './pair-entries.ts';
import type { KnownPart } from './part-names.ts';
import type { TokenTable } from './token-table.ts';

/** A pair of parts, for the explanation. */
export interface Pairing {
  part: number;
  /** Position of the listed part in its name. */
  place: number;
  likeness: Likeness;
}

const MAX_CANDIDATE_PAIRS = 96;

export class PartPairs {
  /** The query's parts, their weights, and the number of parts that can carry a match. */
  parts: readonly KnownPart[] = [];
  partWeights = new Float64Array();
  partIsCore = new Uint8Array();
  coreParts = 0;
  /** For each part, a bit mask of all parts that are the same word. */
  readonly twins = new Uint32Array(MAX_PARTS);
  /** Matching tokens of each part. Entries of one token are chained. */
  readonly entries = new PairEntries();
  readonly table: TokenTable;
  /** Results of `glance`: bit mask, weight and number of the query's similar parts. */
  glanced = 0;
  glancedWeight = 0;
  glancedParts = 0;
  /** Number of the name's parts that are similar to a part that can carry a match. */
  glancedPlaces = 0;
  /** The pairs found by `collect`. */
  readonly pairPart = new Uint8Array(MAX_CANDIDATE_PAIRS);
  readonly pairPlace = new Uint8Array(MAX_CANDIDATE_PAIRS);
  readonly pairSimilarity = new Float64Array(MAX_CANDIDATE_PAIRS);
  readonly pairLikeness = new Uint8Array(MAX_CANDIDATE_PAIRS);
  readonly pairEvidence = new Float64Array(MAX_CANDIDATE_PAIRS);
  readonly #nameTokens: Uint32Array;
  readonly #nameTokenOffsets: Uint32Array;
  readonly #chosenPart = new Uint8Array(MAX_PARTS);
  readonly #chosenPlace = new Uint8Array(MAX_PARTS);
  readonly #chosenLikeness = new Uint8Array(MAX_PARTS);
  #pairCount = 0;
  #chosenCount = 0;
  #partsTaken = 0;
  #placesTaken = 0;

  constructor({ sections }: ScreeningIndex, table: TokenTable) {
    this.#nameTokens = sections.nameTokens;
    this.#nameTokenOffsets = sections.nameTokenOffsets;
    this.table = table;
  }

  /** Sets the query's parts, their weights, and which of them can carry a match. */
  begin(parts: readonly KnownPart[], weights: Float64Array<ArrayBuffer>, isCore: Uint8Array<ArrayBuffer>): void {
    const { twins } = this;
    this.parts = parts;
    this.partWeights = weights;
    this.partIsCore = isCore;
    this.coreParts = 0;
    for (let at = 0; at < parts.length; at += 1) {
      this.coreParts += isCore[at]!;
      twins[at] = 1 << at;
      for (let before = 0; before < at; before += 1) {
        if (parts[before] !== parts[at]) continue;
        twins[before]! |= 1 << at;
        twins[at]! |= 1 << before;
      }
    }
    this.entries.begin(parts);
  }

  end(): void {
    this.entries.end();
  }

  /** Finds the query's parts that are similar to something in the name. */
  glance(name: number): void {
    const { entries, partWeights, partIsCore } = this;
    let seen = 0;
    let weight = 0;
    let count = 0;
    let places = 0;
    const end = this.#nameTokenOffsets[name + 1]!;
    for (let at = this.#nameTokenOffsets[name]!; at < end; at += 1) {
      let isCorePlace = 0;
      for (let entry = entries.firstOf(this.#nameTokens[at]!); entry !== 0; entry = entries.next[entry - 1]!) {
        const part = entries.part[entry - 1]!;
        isCorePlace |= partIsCore[part]!;
        if ((seen & (1 << part)) !== 0) continue;
        seen |= 1 << part;
        weight += partWeights[part]!;
        count += partIsCore[part]!;
      }
      places += isCorePlace;
    }
    this.glanced = seen;
    this.glancedWeight = weight;
    this.glancedParts = count;
    this.glancedPlaces = places;
  }

  /** Returns whether a name has something similar to one of these parts (a bit mask). */
  hasOneOf(parts: number, name: number): boolean {
    const { entries } = this;
    const end = this.#nameTokenOffsets[name + 1]!;
    for (let at = this.#nameTokenOffsets[name]!; at < end; at += 1) {
      for (let entry = entries.firstOf(this.#nameTokens[at]!); entry !== 0; entry = entries.next[entry - 1]!)
        if ((parts & (1 << entries.part[entry - 1]!)) !== 0) return true;
    }
    return false;
  }

  /** Returns whether a token is similar to any of the parts. */
  isSimilar(token: number): boolean {
    return this.entries.firstOf(token) !== 0;
  }

  /** Starts the comparison with a name: collects all pairs found by lookup. */
  collect(name: number): void {
    const { entries, pairPart, pairPlace, pairSimilarity, pairLikeness, pairEvidence } = this;
    const from = this.#nameTokenOffsets[name]!;
    const to = this.#nameTokenOffsets[name + 1]!;
    let count = 0;
    for (let at = from; at < to; at += 1) {
      for (let entry = entries.firstOf(this.#nameTokens[at]!); entry !== 0 && count < MAX_CANDIDATE_PAIRS; ) {
        pairPart[count] = entries.part[entry - 1]!;
        pairPlace[count] = at - from;
        pairSimilarity[count] = entries.similarity[entry - 1]!;
        pairLikeness[count] = entries.likeness[entry - 1]!;
        pairEvidence[count] = entries.evidence[entry - 1]!;
        count += 1;
        entry = entries.next[entry - 1]!;
      }
    }
    this.#pairCount = count;
    this.#chosenCount = 0;
    this.#partsTaken = 0;
    this.#placesTaken = 0;
  }

  /** Returns the index of the most similar pair with both parts free, or -1. */
  best(): number {
    const { pairPart, pairPlace, pairSimilarity } = this;
    const partsTaken = this.#partsTaken;
    const placesTaken = this.#placesTaken;
    const count = this.#pairCount;
    let best = -1;
    for (let pair = 0; pair < count; pair += 1) {
      if ((partsTaken & (1 << pairPart[pair]!)) !== 0 || (placesTaken & (1 << pairPlace[pair]!)) !== 0) continue;
      if (best < 0 || pairSimilarity[pair]! > pairSimilarity[best]!) best = pair;
    }
    return best;
  }

  /** Pairs two free parts. */
  choose(part: number, place: number, likeness: Likeness): void {
    this.#partsTaken |= 1 << part;
    this.#placesTaken |= 1 << place;
    this.#chosenPart[this.#chosenCount] = part;
    this.#chosenPlace[this.#chosenCount] = place;
    this.#chosenLikeness[this.#chosenCount] = likeness;
    this.#chosenCount += 1;
  }

  isPartFree(part: number): boolean {
    return (this.#partsTaken & (1 << part)) === 0;
  }

  isPlaceFree(place: number): boolean {
    return (this.#placesTaken & (1 << place)) === 0;
  }

  /** Returns the pairs chosen for the last name. */
  pairings(): Pairing[] {
    return Array.from({ length: this.#chosenCount }, (_, at) => ({
      part: this.#chosenPart[at]!,
      place: this.#chosenPlace[at]!,
      likeness: this.#chosenLikeness[at] as Likeness,
    }));
  }
}
