// Which parts of a listed name may be paired with which parts of a query: what every comparison of two names begins with.
import type { ScreeningIndex } from '../index/screening-index.ts';
import { MAX_PARTS } from '../names/fold-name.ts';
import type { Likeness } from './likeness.ts';
import { createPairEntries, type PairEntries } from './pair-entries.ts';
import type { KnownPart } from './part-lookup.ts';
import type { TokenTable } from './token-table.ts';

/** Which parts were paired, for the explanation. */
export interface Pairing {
  part: number;
  /** Place of the listed part in its name. */
  place: number;
  likeness: Likeness;
}

const MAX_CANDIDATE_PAIRS = 96;

export interface PartPairs {
  /** Parts of the query that the following names are compared with, what each weighs, and which can carry a match. */
  begin(parts: readonly KnownPart[], weights: Float64Array, isCore: Uint8Array): void;
  end(): void;
  /** What it was begun with, and how many of the parts can carry a match. */
  parts: readonly KnownPart[];
  partWeights: Float64Array;
  partIsCore: Uint8Array;
  coreParts: number;
  /** Per part all that are the same word as it is, a bit each. */
  readonly twins: Uint32Array;
  /** The tokens that each part may be taken for: those of one token are chained. */
  readonly entries: PairEntries;
  readonly table: TokenTable;
  /** Weight of the query's parts that the name has something similar to, and how many parts those are. */
  glance(name: number): void;
  glancedWeight: number;
  glancedParts: number;
  /** How many of the name's own parts are similar to one that can carry a match. */
  glancedPlaces: number;
  /** Which they are, a bit each. */
  glanced: number;
  /** Whether a name has something similar to one of these parts, a bit each. */
  hasOneOf(parts: number, name: number): boolean;
  /** Whether a token is similar to any of the parts. */
  isSimilar(token: number): boolean;
  /** Begins the comparison with a name: all pairs that a look-up brought together. */
  collect(name: number): void;
  /** The most alike of the pairs whose parts are both free, as a place in the arrays below, or -1. */
  best(): number;
  readonly pairPart: Uint8Array;
  readonly pairPlace: Uint8Array;
  readonly pairSimilarity: Float64Array;
  readonly pairLikeness: Uint8Array;
  readonly pairEvidence: Float64Array;
  /** Makes a pair of two free parts. */
  choose(part: number, place: number, likeness: Likeness): void;
  isPartFree(part: number): boolean;
  isPlaceFree(place: number): boolean;
  /** The pairs that were chosen for the last name. */
  pairings(): Pairing[];
}

export function createPartPairs({ sections }: ScreeningIndex, table: TokenTable): PartPairs {
  const { nameTokens, nameTokenOffsets } = sections;
  const entries = createPairEntries();
  const pairPart = new Uint8Array(MAX_CANDIDATE_PAIRS);
  const pairPlace = new Uint8Array(MAX_CANDIDATE_PAIRS);
  const pairSimilarity = new Float64Array(MAX_CANDIDATE_PAIRS);
  const pairLikeness = new Uint8Array(MAX_CANDIDATE_PAIRS);
  const pairEvidence = new Float64Array(MAX_CANDIDATE_PAIRS);
  let pairCount = 0;
  const chosenPart = new Uint8Array(MAX_PARTS);
  const chosenPlace = new Uint8Array(MAX_PARTS);
  const chosenLikeness = new Uint8Array(MAX_PARTS);
  let chosenCount = 0;
  let partsTaken = 0;
  let placesTaken = 0;
  const twins = new Uint32Array(MAX_PARTS);
  let partWeights: Float64Array = new Float64Array(0);
  let partIsCore: Uint8Array = new Uint8Array(0);

  return {
    parts: [],
    partWeights,
    partIsCore,
    coreParts: 0,
    twins,
    entries,
    table,
    glancedWeight: 0,
    glancedParts: 0,
    glancedPlaces: 0,
    glanced: 0,
    pairPart,
    pairPlace,
    pairSimilarity,
    pairLikeness,
    pairEvidence,
    begin(parts, weights, isCore) {
      partWeights = weights;
      partIsCore = isCore;
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
      entries.begin(parts);
    },
    end: () => entries.end(),
    glance(name) {
      let seen = 0;
      let weight = 0;
      let count = 0;
      let places = 0;
      for (let at = nameTokenOffsets[name]!; at < nameTokenOffsets[name + 1]!; at += 1) {
        let isCorePlace = 0;
        for (let entry = entries.firstOf(nameTokens[at]!); entry !== 0; entry = entries.next[entry - 1]!) {
          const part = entries.part[entry - 1]!;
          isCorePlace |= partIsCore[part]!;
          if ((seen & (1 << part)) !== 0) continue;
          seen |= 1 << part;
          weight += partWeights[part]!;
          count += partIsCore[part]!;
        }
        places += isCorePlace;
      }
      this.glancedPlaces = places;
      this.glancedWeight = weight;
      this.glancedParts = count;
      this.glanced = seen;
    },
    hasOneOf(wanted, name) {
      for (let at = nameTokenOffsets[name]!; at < nameTokenOffsets[name + 1]!; at += 1) {
        for (let entry = entries.firstOf(nameTokens[at]!); entry !== 0; entry = entries.next[entry - 1]!)
          if ((wanted & (1 << entries.part[entry - 1]!)) !== 0) return true;
      }
      return false;
    },
    isSimilar: (token) => entries.firstOf(token) !== 0,
    collect(name) {
      const from = nameTokenOffsets[name]!;
      const to = nameTokenOffsets[name + 1]!;
      pairCount = 0;
      chosenCount = 0;
      partsTaken = 0;
      placesTaken = 0;
      for (let at = from; at < to; at += 1) {
        for (let entry = entries.firstOf(nameTokens[at]!); entry !== 0 && pairCount < MAX_CANDIDATE_PAIRS; ) {
          pairPart[pairCount] = entries.part[entry - 1]!;
          pairPlace[pairCount] = at - from;
          pairSimilarity[pairCount] = entries.similarity[entry - 1]!;
          pairLikeness[pairCount] = entries.likeness[entry - 1]!;
          pairEvidence[pairCount] = entries.evidence[entry - 1]!;
          pairCount += 1;
          entry = entries.next[entry - 1]!;
        }
      }
    },
    best() {
      let best = -1;
      for (let pair = 0; pair < pairCount; pair += 1) {
        if ((partsTaken & (1 << pairPart[pair]!)) !== 0 || (placesTaken & (1 << pairPlace[pair]!)) !== 0) continue;
        if (best < 0 || pairSimilarity[pair]! > pairSimilarity[best]!) best = pair;
      }
      return best;
    },
    choose(part, place, likeness) {
      partsTaken |= 1 << part;
      placesTaken |= 1 << place;
      chosenPart[chosenCount] = part;
      chosenPlace[chosenCount] = place;
      chosenLikeness[chosenCount] = likeness;
      chosenCount += 1;
    },
    isPartFree: (part) => (partsTaken & (1 << part)) === 0,
    isPlaceFree: (place) => (placesTaken & (1 << place)) === 0,
    pairings: () =>
      Array.from({ length: chosenCount }, (_, at) => ({
        part: chosenPart[at]!,
        place: chosenPlace[at]!,
        likeness: chosenLikeness[at] as Likeness,
      })),
  };
}
