// Pairs the parts of a query with the parts of one listed name, each part at most once, the most alike first.
import { NAME_PARTICLES_COUNT } from '../index/name-flags.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { BITS_SCALE } from '../index/telling-bits.ts';
import { MAX_PARTS } from '../names/fold-name.ts';
import { TOKEN_INITIAL } from '../names/part-class.ts';
import { doParticlesCount, isCore, weightOf } from '../names/part-weight.ts';
import { INITIAL, type Likeness, SIMILARITY, SLIP } from './likeness.ts';
import type { KnownPart, PartLookup } from './part-lookup.ts';
import { EXTRA_IN_LIST, type NameEvidence } from './score.ts';

/** Which parts were paired; the last alignment that was made. */
export interface Pairing {
  part: number;
  /** Place of the listed part in its name. */
  place: number;
  likeness: Likeness;
}

const MAX_CANDIDATE_PAIRS = 96;
/** What an initial adds in bits, and how much of the part it stands for it counts. */
const INITIAL_BITS = 4;
const INITIAL_SHARE = 0.4;
/** Two or more parts that tell this much together let a further part be less alike. */
const BITS_FOR_LOOSE_PART = 20;
/** What a part tells that is similar only on a close look. */
const SLIP_BITS = 5;
/** A part that counts as matched agrees at least this much, or leaving it out would score better (see score.ts). */
const LEAST_AGREEMENT = 1 - EXTRA_IN_LIST;

export interface Aligner {
  /** Parts of the query that the following names are compared with. */
  begin(parts: readonly KnownPart[]): void;
  end(): void;
  /** Weight of the query's parts that the name has something similar to, and how many parts those are. */
  glance(name: number): void;
  glancedWeight: number;
  glancedParts: number;
  /**
   * Full comparison; the evidence is reused by the next call. `loosely` also takes parts that have less in common, for
   * where the day of birth already speaks for the same person.
   */
  align(name: number, loosely: boolean): NameEvidence;
  /** The pairs of the last alignment, for the explanation. */
  pairings(): Pairing[];
}

export function createAligner({ sections, tokenCount }: ScreeningIndex, lookup: PartLookup): Aligner {
  const { nameTokens, nameTokenOffsets, nameFlags, tokenFlags, tokenBits, tokenText, tokenTextOffsets } = sections;
  const { canonText, canonTextOffsets } = sections;
  const tokenWeights = Float32Array.from(tokenFlags, (flags, token) => weightOf(flags, tokenBits[token]! / BITS_SCALE));
  /** Per token the first of its entries, plus one; entries of a token are chained. */
  const firstEntry = new Uint32Array(tokenCount);
  const entryPart: number[] = [];
  const entrySimilarity: number[] = [];
  const entryLikeness: Likeness[] = [];
  const entryEvidence: number[] = [];
  const entryNext: number[] = [];
  const touched: number[] = [];

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
  const partWeights = new Float64Array(MAX_PARTS);
  const partIsCore = new Uint8Array(MAX_PARTS);
  let parts: readonly KnownPart[] = [];
  let queryCoreParts = 0;
  /** Whether particles count as parts: in the query, in the listed name. */
  let queryParticles = false;
  let listedParticles = false;
  let nameFrom = 0;

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
  };

  function weightOfToken(token: number): number {
    return listedParticles ? weightOf(tokenFlags[token]!, tokenBits[token]! / BITS_SCALE, true) : tokenWeights[token]!;
  }

  function choose(part: number, place: number, likeness: Likeness): void {
    chosenPart[chosenCount] = part;
    chosenPlace[chosenCount] = place;
    chosenLikeness[chosenCount] = likeness;
    chosenCount += 1;
  }

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
    } else if ((flags & TOKEN_INITIAL) !== 0) {
      evidence.initials += 1;
    }
    choose(part, place, likeness);
  }

  /** A pair of an initial and a part that begins with it. */
  function addInitial(part: number, place: number, fullWeight: number): void {
    const weight = INITIAL_SHARE * fullWeight;
    evidence.agreed += SIMILARITY.initial * weight;
    evidence.matched += weight;
    evidence.bits += INITIAL_BITS;
    evidence.initials += 1;
    choose(part, place, INITIAL);
  }

  function collectPairs(from: number, to: number): void {
    pairCount = 0;
    for (let at = from; at < to; at += 1) {
      for (let entry = firstEntry[nameTokens[at]!]!; entry !== 0 && pairCount < MAX_CANDIDATE_PAIRS; ) {
        pairPart[pairCount] = entryPart[entry - 1]!;
        pairPlace[pairCount] = at - from;
        pairSimilarity[pairCount] = entrySimilarity[entry - 1]!;
        pairLikeness[pairCount] = entryLikeness[entry - 1]!;
        pairEvidence[pairCount] = entryEvidence[entry - 1]!;
        pairCount += 1;
        entry = entryNext[entry - 1]!;
      }
    }
  }

  return {
    glancedWeight: 0,
    glancedParts: 0,
    begin(queryParts) {
      parts = queryParts;
      queryCoreParts = 0;
      queryParticles = doParticlesCount(parts.map(({ flags }) => flags));
      for (const [at, part] of parts.entries()) {
        partWeights[at] = weightOf(part.flags, part.bits, queryParticles);
        partIsCore[at] = isCore(part.flags, queryParticles) ? 1 : 0;
        queryCoreParts += partIsCore[at]!;
        for (let variant = 0; variant < part.tokens.length; variant += 1) {
          const token = part.tokens[variant]!;
          entryPart.push(at);
          entrySimilarity.push(part.similarities[variant]!);
          entryLikeness.push(part.likenesses[variant]!);
          entryEvidence.push(part.evidence[variant]!);
          entryNext.push(firstEntry[token]!);
          firstEntry[token] = entryPart.length;
          touched.push(token);
        }
      }
    },
    end() {
      for (const token of touched) firstEntry[token] = 0;
      touched.length = 0;
      entryPart.length = 0;
      entrySimilarity.length = 0;
      entryLikeness.length = 0;
      entryEvidence.length = 0;
      entryNext.length = 0;
    },
    glance(name) {
      let seen = 0;
      let weight = 0;
      let count = 0;
      for (let at = nameTokenOffsets[name]!; at < nameTokenOffsets[name + 1]!; at += 1) {
        for (let entry = firstEntry[nameTokens[at]!]!; entry !== 0; entry = entryNext[entry - 1]!) {
          const part = entryPart[entry - 1]!;
          if ((seen & (1 << part)) !== 0) continue;
          seen |= 1 << part;
          weight += partWeights[part]!;
          count += partIsCore[part]!;
        }
      }
      this.glancedWeight = weight;
      this.glancedParts = count;
    },
    align(name, loosely) {
      const from = nameTokenOffsets[name]!;
      const to = nameTokenOffsets[name + 1]!;
      nameFrom = from;
      collectPairs(from, to);
      listedParticles = (nameFlags[name]! & NAME_PARTICLES_COUNT) !== 0;
      chosenCount = 0;
      evidence.agreed = 0;
      evidence.matched = 0;
      evidence.queryRest = 0;
      evidence.listedRest = 0;
      evidence.bits = 0;
      evidence.coreParts = 0;
      evidence.initials = 0;
      evidence.queryCoreParts = queryCoreParts;
      evidence.listedCoreParts = 0;
      let partsTaken = 0;
      let placesTaken = 0;
      for (;;) {
        let best = -1;
        for (let pair = 0; pair < pairCount; pair += 1) {
          if ((partsTaken & (1 << pairPart[pair]!)) !== 0 || (placesTaken & (1 << pairPlace[pair]!)) !== 0) continue;
          if (best < 0 || pairSimilarity[pair]! > pairSimilarity[best]!) best = pair;
        }
        if (best < 0) break;
        const place = pairPlace[best]!;
        partsTaken |= 1 << pairPart[best]!;
        placesTaken |= 1 << place;
        const likeness = pairLikeness[best] as Likeness;
        addPair(pairPart[best]!, place, pairSimilarity[best]!, likeness, pairEvidence[best]!);
      }
      // What no look-up key brought together: initials, and parts with several slips.
      const closely = loosely || (evidence.coreParts >= 2 && evidence.bits >= BITS_FOR_LOOSE_PART);
      for (let part = 0; part < parts.length; part += 1) {
        if ((partsTaken & (1 << part)) !== 0) continue;
        const known = parts[part]!;
        const letter = known.text.charCodeAt(0);
        const isInitial = (known.flags & TOKEN_INITIAL) !== 0;
        for (let place = 0; place < to - from; place += 1) {
          if ((placesTaken & (1 << place)) !== 0) continue;
          const token = nameTokens[from + place]!;
          const flags = tokenFlags[token]!;
          const listedInitial = (flags & TOKEN_INITIAL) !== 0;
          if (
            isInitial !== listedInitial &&
            isCore(isInitial ? flags : known.flags, isInitial ? listedParticles : queryParticles)
          ) {
            if (isInitial ? !beginsWith(token, letter) : !partBeginsWith(known, token)) continue;
            addInitial(part, place, isInitial ? weightOfToken(token) : known.weight);
          } else if (
            !isInitial &&
            !listedInitial &&
            isCore(flags, listedParticles) &&
            isCore(known.flags, queryParticles)
          ) {
            // A single slip was found by its key; with more than one the first letter must be right.
            if (!closely && !beginsWith(token, letter)) continue;
            const similarity = lookup.compare(known, token, closely);
            if (similarity === 0) continue;
            addPair(part, place, similarity, SLIP, SLIP_BITS);
          } else {
            continue;
          }
          partsTaken |= 1 << part;
          placesTaken |= 1 << place;
          break;
        }
        if ((partsTaken & (1 << part)) === 0) evidence.queryRest += partWeights[part]!;
      }
      for (let place = 0; place < to - from; place += 1) {
        const token = nameTokens[from + place]!;
        const flags = tokenFlags[token]!;
        if (isCore(flags, listedParticles)) evidence.listedCoreParts += 1;
        if ((placesTaken & (1 << place)) === 0) evidence.listedRest += weightOfToken(token);
      }
      return evidence;
    },
    pairings: () =>
      Array.from({ length: chosenCount }, (_, at) => ({
        part: chosenPart[at]!,
        place: chosenPlace[at]!,
        likeness: chosenLikeness[at] as Likeness,
      })),
  };
}
