// Pairs the parts of a person's name with the parts of one listed name, each part at most once, the most alike first.
import { NAME_PARTICLES_COUNT } from '../index/name-flags.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { MAX_PARTS } from '../names/fold-name.ts';
import { TOKEN_INITIAL, TOKEN_PATRONYMIC } from '../names/part-class.ts';
import { isCore, weightOf } from '../names/part-weight.ts';
import { INITIAL, type Likeness, NEAR, SIMILARITY, SLIP } from './likeness.ts';
import type { KnownPart, PartLookup } from './part-lookup.ts';
import type { PartPairs } from './part-pairs.ts';
import { EXTRA_IN_LIST, type NameEvidence } from './score.ts';

/** What an initial adds in bits, and how much of the part it stands for it counts. */
const INITIAL_BITS = 4;
const INITIAL_SHARE = 0.4;
/** Two or more parts that tell this much together let a further part be less alike. */
const BITS_FOR_LOOSE_PART = 20;
/** What a part tells that is similar only on a close look. */
export const SLIP_BITS = 5;
/** A part that counts as matched agrees at least this much, or leaving it out would score better (see score.ts). */
export const LEAST_AGREEMENT = 1 - EXTRA_IN_LIST;

/** Whether what agrees tells enough for a further part to be less alike. */
export function mayBeClose(coreParts: number, bits: number): boolean {
  return coreParts >= 2 && bits >= BITS_FOR_LOOSE_PART;
}

export interface Aligner {
  /** Parts of the query that the following names are compared with. */
  begin(parts: readonly KnownPart[], particlesCount: boolean): void;
  end(): void;
  /**
   * Full comparison; the evidence is reused by the next call. `loosely` also takes parts that have less in common, for
   * where the day of birth already speaks for the same person.
   */
  align(name: number, loosely: boolean): NameEvidence;
}

export function createAligner({ sections }: ScreeningIndex, lookup: PartLookup, pairs: PartPairs): Aligner {
  const { nameTokens, nameTokenOffsets, nameFlags, tokenFlags, tokenText, tokenTextOffsets } = sections;
  const { canonText, canonTextOffsets } = sections;
  const { pairPart, pairPlace, pairSimilarity, pairLikeness, pairEvidence } = pairs;
  const partWeights = new Float64Array(MAX_PARTS);
  const partIsCore = new Uint8Array(MAX_PARTS);
  let parts: readonly KnownPart[] = [];
  let queryCoreParts = 0;
  /** Whether particles count as parts: in the query, in the listed name. */
  let queryParticles = false;
  let listedParticles = false;
  let nameFrom = 0;
  let nameTo = 0;

  const evidence: NameEvidence = {
    agreed: 0,
    matched: 0,
    queryRest: 0,
    listedRest: 0,
    bits: 0,
    coreParts: 0,
    initials: 0,
    queryCoreParts: 0,
    listedCoreParts: 0,
    missingFathers: 0,
    nearParts: 0,
    nearAgreed: 0,
    nearQuery: 0,
    nearListed: 0,
  };

  const weightOfToken = (token: number) => pairs.table.weightOf(token, listedParticles);

  function beginsWith(token: number, letter: number): boolean {
    // As written or as spoken: E. is Yevgeniy, too.
    return tokenText[tokenTextOffsets[token]!] === letter || canonText[canonTextOffsets[token]!] === letter;
  }

  function partBeginsWith({ codes, canonical }: KnownPart, initial: number): boolean {
    const letter = tokenText[tokenTextOffsets[initial]!];
    return codes[0] === letter || canonical[0] === letter;
  }

  /** A pair that counts in full. */
  function addPair(part: number, place: number, similarity: number, likeness: Likeness, bits: number): void {
    const token = nameTokens[nameFrom + place]!;
    const flags = tokenFlags[token]!;
    const weight = weightOfToken(token);
    evidence.agreed += Math.max(similarity, LEAST_AGREEMENT) * weight;
    evidence.matched += weight;
    if (isCore(flags, listedParticles)) {
      evidence.coreParts += 1;
      evidence.bits += bits;
      // Where it stood in the name that is asked for, nobody knows: the list has it as a family name.
      if (partIsCore[part] === 0) evidence.queryCoreParts += 1;
    } else if ((flags & TOKEN_INITIAL) !== 0) {
      evidence.initials += 1;
    }
    pairs.choose(part, place, likeness);
  }

  /** A pair of an initial and a part that begins with it. */
  function addInitial(part: number, place: number, fullWeight: number): void {
    const weight = INITIAL_SHARE * fullWeight;
    evidence.agreed += SIMILARITY.initial * weight;
    evidence.matched += weight;
    evidence.bits += INITIAL_BITS;
    evidence.initials += 1;
    pairs.choose(part, place, INITIAL);
  }

  /** What no look-up key brought together: initials, and parts with several slips. */
  function pairClosely(part: number, closely: boolean): void {
    const known = parts[part]!;
    const letter = known.text.charCodeAt(0);
    const isInitial = (known.flags & TOKEN_INITIAL) !== 0;
    for (let place = 0; place < nameTo - nameFrom; place += 1) {
      if (!pairs.isPlaceFree(place)) continue;
      const token = nameTokens[nameFrom + place]!;
      const flags = tokenFlags[token]!;
      const listedInitial = (flags & TOKEN_INITIAL) !== 0;
      if (
        isInitial !== listedInitial &&
        isCore(isInitial ? flags : known.flags, isInitial ? listedParticles : queryParticles)
      ) {
        if (isInitial ? !beginsWith(token, letter) : !partBeginsWith(known, token)) continue;
        addInitial(part, place, isInitial ? weightOfToken(token) : known.weight);
        return;
      }
      if (isInitial || listedInitial || !isCore(flags, listedParticles) || !isCore(known.flags, queryParticles))
        continue;
      // A single slip was found by its key; with more than one the first letter must be right.
      if (!closely && !beginsWith(token, letter)) continue;
      const similarity = lookup.compare(known, token, closely);
      if (similarity === 0) continue;
      addPair(part, place, similarity, SLIP, SLIP_BITS);
      return;
    }
  }

  /** A part that is left on each side and differs from the other in a letter or two. */
  function pairNearly(part: number): void {
    const known = parts[part]!;
    if (!isCore(known.flags, queryParticles)) return;
    for (let place = 0; place < nameTo - nameFrom; place += 1) {
      if (!pairs.isPlaceFree(place)) continue;
      const token = nameTokens[nameFrom + place]!;
      if (!isCore(tokenFlags[token]!, listedParticles)) continue;
      const similarity = lookup.nearness(known, token);
      if (similarity === 0) continue;
      const weight = weightOfToken(token);
      evidence.nearParts += 1;
      evidence.nearAgreed += similarity * weight;
      evidence.nearListed += weight;
      evidence.nearQuery += partWeights[part]!;
      pairs.choose(part, place, NEAR);
      return;
    }
  }

  return {
    begin(queryParts, particlesCount) {
      parts = queryParts;
      queryCoreParts = 0;
      queryParticles = particlesCount;
      for (const [at, part] of parts.entries()) {
        partWeights[at] = weightOf(part.flags, part.bits, queryParticles);
        partIsCore[at] = isCore(part.flags, queryParticles) ? 1 : 0;
        queryCoreParts += partIsCore[at]!;
      }
      pairs.begin(parts, partWeights, partIsCore);
    },
    end: () => pairs.end(),
    align(name, loosely) {
      nameFrom = nameTokenOffsets[name]!;
      nameTo = nameTokenOffsets[name + 1]!;
      pairs.collect(name);
      listedParticles = (nameFlags[name]! & NAME_PARTICLES_COUNT) !== 0;
      evidence.agreed = 0;
      evidence.matched = 0;
      evidence.queryRest = 0;
      evidence.listedRest = 0;
      evidence.bits = 0;
      evidence.coreParts = 0;
      evidence.initials = 0;
      evidence.queryCoreParts = queryCoreParts;
      evidence.listedCoreParts = 0;
      evidence.missingFathers = 0;
      evidence.nearParts = 0;
      evidence.nearAgreed = 0;
      evidence.nearQuery = 0;
      evidence.nearListed = 0;
      for (let best = pairs.best(); best >= 0; best = pairs.best()) {
        const likeness = pairLikeness[best] as Likeness;
        addPair(pairPart[best]!, pairPlace[best]!, pairSimilarity[best]!, likeness, pairEvidence[best]!);
      }
      const closely = loosely || mayBeClose(evidence.coreParts, evidence.bits);
      for (let part = 0; part < parts.length; part += 1) {
        if (!pairs.isPartFree(part)) continue;
        pairClosely(part, closely);
        if (pairs.isPartFree(part)) evidence.queryRest += partWeights[part]!;
      }
      for (let place = 0; place < nameTo - nameFrom; place += 1) {
        const token = nameTokens[nameFrom + place]!;
        if (isCore(tokenFlags[token]!, listedParticles)) evidence.listedCoreParts += 1;
        if (!pairs.isPlaceFree(place)) continue;
        evidence.listedRest += weightOfToken(token);
        if ((tokenFlags[token]! & TOKEN_PATRONYMIC) !== 0) evidence.missingFathers += 1;
      }
      // One part may be near what is listed; where more are missing, it is another name.
      if (evidence.listedRest > 0 && evidence.queryCoreParts - evidence.coreParts === 1) {
        for (let part = 0; part < parts.length; part += 1) if (pairs.isPartFree(part)) pairNearly(part);
      }
      return evidence;
    },
  };
}
