// Upper bound for the comparison with a person's name, which rejects most names without aligning
// them.
//
// Pairs found by lookup are known, and so are the remaining parts on both sides. Remaining parts
// count as fully paired unless their letters exclude it. No comparison can score higher
// (best-case.test.ts), and the bound is exact if nothing remains to be paired.
import { NAME_PARTICLES_COUNT } from '../index/entity-flags.ts';
import type { IndexSections, ScreeningIndex } from '../index/screening-index.ts';
import { countBits } from '../names/edit-cost.ts';
import { TOKEN_INITIAL, TOKEN_PATRONYMIC } from '../names/part-class.ts';
import { LEAST_AGREEMENT, mayBeClose, SLIP_BITS } from './alignment.ts';
import { MOST_BY_SLIP } from './likeness.ts';
import type { PartComparison } from './part-comparison.ts';
import type { PartPairs } from './part-pairs.ts';
import type { NameOutlook } from './score.ts';

const AGREED = 0;
const MATCHED = 1;
const BITS = 2;
const SUMS = 3;

/** Computes bounds for the parts with which the pairs were started. */
export class BestCase {
  readonly #sections: IndexSections;
  readonly #comparison: PartComparison;
  readonly #pairs: PartPairs;
  /** Sums for the opened name. An array, because numbers in it need no allocation. */
  readonly #sums = new Float64Array(SUMS);
  #from = 0;
  #to = 0;
  #particlesCount = false;
  #coreTokens = 0;
  #initials = 0;
  /** Bit masks of the parts with something similar in the name, and of certain pairs. */
  #met = 0;
  #taken = 0;
  /** Whether all pairs hold, because no token or word is matched more often than it occurs. */
  #isPlain = true;
  /** Bit mask of places without a pair. */
  #restPlaces = 0;
  /** Bit masks of the remaining parts and places that may be paired. */
  #pairedParts = 0;
  #pairedPlaces = 0;

  constructor({ sections }: ScreeningIndex, comparison: PartComparison, pairs: PartPairs) {
    this.#sections = sections;
    this.#comparison = comparison;
    this.#pairs = pairs;
  }

  /** Opens a name. Returns a bit mask of the query's parts that are similar to something in it. */
  open(name: number): number {
    const { nameTokens, nameTokenOffsets, nameFlags } = this.#sections;
    const { entries, table, twins } = this.#pairs;
    const particlesCount = (nameFlags[name]! & NAME_PARTICLES_COUNT) !== 0;
    const from = nameTokenOffsets[name]!;
    const to = nameTokenOffsets[name + 1]!;
    let agreed = 0;
    let matched = 0;
    let bits = 0;
    let agreedBySlips = 0;
    let bitsBySlips = 0;
    let coreTokens = 0;
    let initials = 0;
    let met = 0;
    let taken = 0;
    let restPlaces = 0;
    let isPlain = true;
    for (let at = from; at < to; at += 1) {
      const token = nameTokens[at]!;
      let entry = entries.firstOf(token);
      if (entry === 0) {
        restPlaces |= 1 << (at - from);
        continue;
      }
      let similarity: number = LEAST_AGREEMENT;
      let evidence = 0;
      const same = twins[entries.part[entry - 1]!]!;
      const free = same & ~taken;
      if (free === 0) isPlain = false;
      taken |= free & -free;
      for (; entry !== 0; entry = entries.next[entry - 1]!) {
        const bit = 1 << entries.part[entry - 1]!;
        if ((same & bit) === 0) isPlain = false;
        met |= bit;
        if (entries.similarity[entry - 1]! > similarity) similarity = entries.similarity[entry - 1]!;
        if (entries.evidence[entry - 1]! > evidence) evidence = entries.evidence[entry - 1]!;
      }
      const weight = table.weightOf(token, particlesCount);
      agreed += similarity * weight;
      agreedBySlips += Math.max(similarity, MOST_BY_SLIP) * weight;
      matched += weight;
      if (table.isCore(token, particlesCount)) {
        coreTokens += 1;
        bits += evidence;
        bitsBySlips += Math.max(evidence, SLIP_BITS);
      } else if (table.isInitial(token)) initials += 1;
    }
    this.#from = from;
    this.#to = to;
    this.#particlesCount = particlesCount;
    this.#isPlain = isPlain;
    this.#coreTokens = coreTokens;
    this.#initials = initials;
    this.#met = met;
    // If the pairs are uncertain, any part may be paired differently by a typo.
    this.#taken = isPlain ? taken : 0;
    this.#restPlaces = restPlaces;
    this.#sums[AGREED] = isPlain ? agreed : agreedBySlips;
    this.#sums[MATCHED] = matched;
    this.#sums[BITS] = isPlain ? bits : bitsBySlips;
    return met;
  }

  /** Returns the best possible comparison with the opened name. `loosely` as in Aligner. */
  look(loosely: boolean): NameOutlook {
    const { nameTokens } = this.#sections;
    const { table, partWeights, parts, coreParts } = this.#pairs;
    const from = this.#from;
    const places = this.#to - from;
    const particlesCount = this.#particlesCount;
    this.#pairRest(loosely || mayBeClose(this.#coreTokens, this.#sums[BITS]!));
    let agreed = this.#sums[AGREED]!;
    let matched = this.#sums[MATCHED]!;
    let bits = this.#sums[BITS]!;
    let coreTokens = this.#coreTokens;
    let initials = this.#initials;
    let listedRest = 0;
    let isCoreLeft = false;
    let isOtherLeft = false;
    for (let place = 0; place < places; place += 1) {
      if ((this.#restPlaces & (1 << place)) === 0) continue;
      const token = nameTokens[from + place]!;
      const weight = table.weightOf(token, particlesCount);
      const isCore = table.isCore(token, particlesCount);
      if ((this.#pairedPlaces & (1 << place)) === 0) {
        listedRest += weight;
        isCoreLeft ||= isCore;
        isOtherLeft ||= isCore && (table.flagsOf(token) & TOKEN_PATRONYMIC) === 0;
        continue;
      }
      agreed += weight;
      matched += weight;
      bits += SLIP_BITS;
      if (isCore) coreTokens += 1;
      else initials += 1;
    }
    const paired = (this.#isPlain ? this.#taken : this.#met) | this.#pairedParts;
    let queryRest = 0;
    for (let part = 0; part < parts.length; part += 1)
      if ((paired & (1 << part)) === 0) queryRest += partWeights[part]!;
    return {
      agreed,
      matched,
      likeness: this.#isPlain ? agreed / matched : 1,
      queryRest,
      listedRest,
      bits,
      tellingParts: coreTokens + initials,
      whole: !isCoreLeft && coreTokens >= coreParts,
      butFathers: !isOtherLeft && coreTokens >= coreParts,
      isOpen: this.#pairedParts !== 0,
    };
  }

  /** Finds the remaining parts and tokens that may be paired. All if pairs are uncertain. */
  #pairRest(closely: boolean): void {
    const { nameTokens } = this.#sections;
    const { parts, partIsCore, coreParts, table } = this.#pairs;
    const taken = this.#taken;
    const from = this.#from;
    const count = this.#to - from;
    const places = this.#isPlain ? this.#restPlaces : -1 >>> (32 - count);
    let pairedParts = 0;
    let pairedPlaces = 0;
    let letters = 0;
    for (let part = 0; part < parts.length; part += 1)
      if ((taken & (1 << part)) === 0) letters |= parts[part]!.firstLetters;
    for (let place = 0; letters !== 0 && place < count; place += 1) {
      if ((places & (1 << place)) === 0) continue;
      const token = nameTokens[from + place]!;
      // Unless compared closely, both must start alike.
      if (!closely && (letters & table.firstLettersOf(token)) === 0) continue;
      for (let part = 0; part < parts.length; part += 1) {
        if ((taken & (1 << part)) !== 0 || !this.#mayPair(part, token, closely)) continue;
        pairedParts |= 1 << part;
        pairedPlaces |= 1 << place;
      }
    }
    // The last part may be merely near, if all others are matched.
    const isOneLeft = coreParts - this.#coreTokens - countBits(pairedParts) <= 1;
    for (let part = 0; isOneLeft && part < parts.length; part += 1) {
      if ((taken & (1 << part)) !== 0 || partIsCore[part] === 0) continue;
      for (let place = 0; place < count; place += 1) {
        const token = nameTokens[from + place]!;
        if ((places & (1 << place)) === 0 || !table.isCore(token, this.#particlesCount)) continue;
        if (!this.#comparison.mayBeNear(parts[part]!, token)) continue;
        pairedParts |= 1 << part;
        pairedPlaces |= 1 << place;
      }
    }
    this.#pairedParts = pairedParts;
    this.#pairedPlaces = pairedPlaces;
  }

  /** Returns whether two parts may be paired: an initial with a part, or by a typo. */
  #mayPair(part: number, token: number, closely: boolean): boolean {
    const { parts, partIsCore, table } = this.#pairs;
    const comparison = this.#comparison;
    const known = parts[part]!;
    const isPartCore = partIsCore[part] === 1;
    const isInitial = (known.flags & TOKEN_INITIAL) !== 0;
    const isTokenCore = table.isCore(token, this.#particlesCount);
    if (isInitial !== table.isInitial(token))
      return (isInitial ? isTokenCore : isPartCore) && comparison.mayBeginAlike(known, token);
    if (!isPartCore || !isTokenCore || isInitial) return false;
    return (closely || comparison.mayBeginAlike(known, token)) && comparison.mayBeSimilar(known, token, closely);
  }
}
