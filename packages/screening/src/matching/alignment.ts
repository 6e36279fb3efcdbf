// Pairs the parts of a person's name with the parts of a listed name, each at most once, most
// similar first.
import { NAME_PARTICLES_COUNT } from '../index/entity-flags.ts';
import type { IndexSections, ScreeningIndex } from '../index/screening-index.ts';
import { MAX_PARTS } from '../names/fold-name.ts';
import { TOKEN_INITIAL, TOKEN_PATRONYMIC } from '../names/part-class.ts';
import { isCore, weightOf } from '../names/part-weight.ts';
import { INITIAL, type Likeness, NEAR, SIMILARITY, SLIP } from './likeness.ts';
import type { PartComparison } from './part-comparison.ts';
import type { KnownPart } from './part-names.ts';
import type { PartPairs } from './part-pairs.ts';
import { EXTRA_IN_LIST, NameEvidence } from './score.ts';

/** Bits of evidence from an initial, and its share of the weight of the part it abbreviates. */
const INITIAL_BITS = 4;
const INITIAL_SHARE = 0.4;
/** Bits of two or more matched parts from which a further part may be less similar. */
const BITS_FOR_LOOSE_PART = 20;
/** Bits of evidence from a part that is only similar on close inspection. */
export const SLIP_BITS = 5;
/** Minimum similarity of a matched part. Below it, omitting it would score better. */
export const LEAST_AGREEMENT = 1 - EXTRA_IN_LIST;

/** Returns whether the matched parts allow a further part to be less similar. */
export function mayBeClose(coreParts: number, bits: number): boolean {
  return coreParts >= 2 && bits >= BITS_FOR_LOOSE_PART;
}

export class Aligner {
  readonly #sections: IndexSections;
  readonly #comparison: PartComparison;
  readonly #pairs: PartPairs;
  readonly #partWeights = new Float64Array(MAX_PARTS);
  readonly #partIsCore = new Uint8Array(MAX_PARTS);
  #parts: readonly KnownPart[] = [];
  #queryCoreParts = 0;
  /** Whether particles count as parts in the query and in the listed name. */
  #queryParticles = false;
  #listedParticles = false;
  #nameFrom = 0;
  #nameTo = 0;
  #evidence = new NameEvidence();

  constructor({ sections }: ScreeningIndex, comparison: PartComparison, pairs: PartPairs) {
    this.#sections = sections;
    this.#comparison = comparison;
    this.#pairs = pairs;
  }

  /** Sets the query's parts for the following names. */
  begin(parts: readonly KnownPart[], particlesCount: boolean): void {
    this.#parts = parts;
    this.#queryCoreParts = 0;
    this.#queryParticles = particlesCount;
    for (const [at, part] of parts.entries()) {
      this.#partWeights[at] = weightOf(part.flags, part.bits, particlesCount);
      this.#partIsCore[at] = isCore(part.flags, particlesCount) ? 1 : 0;
      this.#queryCoreParts += this.#partIsCore[at]!;
    }
    this.#pairs.begin(parts, this.#partWeights, this.#partIsCore);
  }

  end(): void {
    this.#pairs.end();
  }

  /** `loosely` accepts less similar parts, for people with an equal day of birth. */
  align(name: number, loosely: boolean): NameEvidence {
    const { nameTokenOffsets, nameFlags } = this.#sections;
    const pairs = this.#pairs;
    const evidence = new NameEvidence();
    evidence.queryCoreParts = this.#queryCoreParts;
    this.#evidence = evidence;
    this.#nameFrom = nameTokenOffsets[name]!;
    this.#nameTo = nameTokenOffsets[name + 1]!;
    this.#listedParticles = (nameFlags[name]! & NAME_PARTICLES_COUNT) !== 0;
    pairs.collect(name);
    const { pairPart, pairPlace, pairSimilarity, pairLikeness, pairEvidence } = pairs;
    for (let best = pairs.best(); best >= 0; best = pairs.best()) {
      const likeness = pairLikeness[best] as Likeness;
      this.#addPair(pairPart[best]!, pairPlace[best]!, pairSimilarity[best]!, likeness, pairEvidence[best]!);
    }
    const closely = loosely || mayBeClose(evidence.coreParts, evidence.bits);
    const count = this.#parts.length;
    for (let part = 0; part < count; part += 1) {
      if (!pairs.isPartFree(part)) continue;
      this.#pairClosely(part, closely);
      if (pairs.isPartFree(part)) evidence.queryRest += this.#partWeights[part]!;
    }
    this.#addListedRest();
    // One part may be near a listed part. With more missing parts, it is another name.
    if (evidence.listedRest > 0 && evidence.queryCoreParts - evidence.coreParts === 1) {
      for (let part = 0; part < count; part += 1) if (pairs.isPartFree(part)) this.#pairNearly(part);
    }
    return evidence;
  }

  /** Adds a pair with full weight. */
  #addPair(part: number, place: number, similarity: number, likeness: Likeness, bits: number): void {
    const token = this.#sections.nameTokens[this.#nameFrom + place]!;
    const flags = this.#sections.tokenFlags[token]!;
    const weight = this.#weightOfToken(token);
    const evidence = this.#evidence;
    evidence.agreed += Math.max(similarity, LEAST_AGREEMENT) * weight;
    evidence.matched += weight;
    if (isCore(flags, this.#listedParticles)) {
      evidence.coreParts += 1;
      evidence.bits += bits;
      // Its position in the query's name is unknown. The list has it as a family name.
      if (this.#partIsCore[part] === 0) evidence.queryCoreParts += 1;
    } else if ((flags & TOKEN_INITIAL) !== 0) {
      evidence.initials += 1;
    }
    this.#pairs.choose(part, place, likeness);
  }

  /** Adds a pair of an initial and a part that starts with it. */
  #addInitial(part: number, place: number, fullWeight: number): void {
    const weight = INITIAL_SHARE * fullWeight;
    const evidence = this.#evidence;
    evidence.agreed += SIMILARITY.initial * weight;
    evidence.matched += weight;
    evidence.bits += INITIAL_BITS;
    evidence.initials += 1;
    this.#pairs.choose(part, place, INITIAL);
  }

  /** Pairs parts that no lookup key connected: initials, and parts with several typos. */
  #pairClosely(part: number, closely: boolean): void {
    const { nameTokens, tokenFlags } = this.#sections;
    const known = this.#parts[part]!;
    const letter = known.text.charCodeAt(0);
    const isInitial = (known.flags & TOKEN_INITIAL) !== 0;
    const isQueryCore = isCore(known.flags, this.#queryParticles);
    const places = this.#nameTo - this.#nameFrom;
    for (let place = 0; place < places; place += 1) {
      if (!this.#pairs.isPlaceFree(place)) continue;
      const token = nameTokens[this.#nameFrom + place]!;
      const flags = tokenFlags[token]!;
      const isListedInitial = (flags & TOKEN_INITIAL) !== 0;
      const isListedCore = isCore(flags, this.#listedParticles);
      if (isInitial !== isListedInitial && (isInitial ? isListedCore : isQueryCore)) {
        if (isInitial ? !this.#beginsWith(token, letter) : !this.#partBeginsWith(known, token)) continue;
        this.#addInitial(part, place, isInitial ? this.#weightOfToken(token) : known.weight);
        return;
      }
      if (isInitial || isListedInitial || !isListedCore || !isQueryCore) continue;
      // Keys find single typos. With more typos, the first letter must be right.
      if (!closely && !this.#beginsWith(token, letter)) continue;
      const similarity = this.#comparison.compare(known, token, closely);
      if (similarity === 0) continue;
      this.#addPair(part, place, similarity, SLIP, SLIP_BITS);
      return;
    }
  }

  /** Pairs a part with an unmatched listed part that differs in one or two letters. */
  #pairNearly(part: number): void {
    const { nameTokens, tokenFlags } = this.#sections;
    const known = this.#parts[part]!;
    if (!isCore(known.flags, this.#queryParticles)) return;
    for (let place = 0; place < this.#nameTo - this.#nameFrom; place += 1) {
      if (!this.#pairs.isPlaceFree(place)) continue;
      const token = nameTokens[this.#nameFrom + place]!;
      if (!isCore(tokenFlags[token]!, this.#listedParticles)) continue;
      const similarity = this.#comparison.nearness(known, token);
      if (similarity === 0) continue;
      const weight = this.#weightOfToken(token);
      this.#evidence.nearParts += 1;
      this.#evidence.nearAgreed += similarity * weight;
      this.#evidence.nearListed += weight;
      this.#evidence.nearQuery += this.#partWeights[part]!;
      this.#pairs.choose(part, place, NEAR);
      return;
    }
  }

  #addListedRest(): void {
    const { nameTokens, tokenFlags } = this.#sections;
    for (let place = 0; place < this.#nameTo - this.#nameFrom; place += 1) {
      const token = nameTokens[this.#nameFrom + place]!;
      if (isCore(tokenFlags[token]!, this.#listedParticles)) this.#evidence.listedCoreParts += 1;
      if (!this.#pairs.isPlaceFree(place)) continue;
      this.#evidence.listedRest += this.#weightOfToken(token);
      if ((tokenFlags[token]! & TOKEN_PATRONYMIC) !== 0) this.#evidence.missingFathers += 1;
    }
  }

  #weightOfToken(token: number): number {
    return this.#pairs.table.weightOf(token, this.#listedParticles);
  }

  #beginsWith(token: number, letter: number): boolean {
    const { tokenText, tokenTextOffsets, canonText, canonTextOffsets } = this.#sections;
    // As written or as spoken: E. also abbreviates Yevgeniy.
    return tokenText[tokenTextOffsets[token]!] === letter || canonText[canonTextOffsets[token]!] === letter;
  }

  #partBeginsWith({ codes, canonical }: KnownPart, initial: number): boolean {
    const letter = this.#sections.tokenText[this.#sections.tokenTextOffsets[initial]!];
    return codes[0] === letter || canonical[0] === letter;
  }
}
