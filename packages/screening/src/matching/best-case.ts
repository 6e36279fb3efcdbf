// What the comparison with a person's name can come to at best, seen from afar: most names that share parts with a query are
// turned away without aligning them.
//
// The parts that a look-up brought together are known, and so is what is left over on both sides. What is left over counts
// as paired in full wherever the letters do not rule a pair out. So no comparison scores higher (best-case.test.ts), and the
// two are the same where nothing that is left over can be paired.
import { NAME_PARTICLES_COUNT } from '../index/name-flags.ts';
import type { ScreeningIndex } from '../index/screening-index.ts';
import { countBits } from '../names/edit-cost.ts';
import { TOKEN_INITIAL, TOKEN_PATRONYMIC } from '../names/part-class.ts';
import { LEAST_AGREEMENT, mayBeClose, SLIP_BITS } from './alignment.ts';
import { MOST_BY_SLIP } from './likeness.ts';
import type { PartLookup } from './part-lookup.ts';
import type { PartPairs } from './part-pairs.ts';
import type { NameOutlook } from './score.ts';

export interface BestCase {
  /** Opens a name: which parts of the query it has something similar to, a bit each. */
  open(name: number): number;
  /** How the name that was opened compares at best, see Aligner; reused by the next call. */
  look(loosely: boolean): NameOutlook;
}

const AGREED = 0;
const MATCHED = 1;
const BITS = 2;
const SUMS = 3;

/** For the parts that the pairs have begun with. */
export function createBestCase({ sections }: ScreeningIndex, lookup: PartLookup, pairs: PartPairs): BestCase {
  const { nameTokens, nameTokenOffsets, nameFlags } = sections;
  const { entries, table } = pairs;
  const outlook: NameOutlook = {
    ...{ agreed: 0, matched: 0, likeness: 0, queryRest: 0, listedRest: 0, bits: 0 },
    ...{ tellingParts: 0, whole: false, butFathers: false, isOpen: false },
  };
  let from = 0;
  let to = 0;
  let particlesCount = false;
  /** Sums of the name that was opened: in an array, where numbers need no memory of their own. */
  const sums = new Float64Array(SUMS);
  let coreTokens = 0;
  let initials = 0;
  /** Parts that are met, and those that are certainly paired, a bit each. */
  let met = 0;
  let taken = 0;
  /** Whether each token meets one word, and no word is met more often than it is there: then all of these pairs come about. */
  let isPlain = true;
  /** Where the tokens stand that nothing was taken for, a bit each. */
  let restPlaces = 0;

  /** Whether a part and a token that are both left over may be paired: an initial with what it stands for, or by a slip. */
  function mayPair(part: number, token: number, closely: boolean): boolean {
    const known = pairs.parts[part]!;
    const partIsCore = pairs.partIsCore[part] === 1;
    const isInitial = (known.flags & TOKEN_INITIAL) !== 0;
    const tokenIsCore = table.isCore(token, particlesCount);
    if (isInitial !== table.isInitial(token)) {
      return (isInitial ? tokenIsCore : partIsCore) && lookup.mayBeginAlike(known, token);
    }
    if (!partIsCore || !tokenIsCore || isInitial) return false;
    return (closely || lookup.mayBeginAlike(known, token)) && lookup.mayBeSimilar(known, token, closely);
  }

  return {
    open(name) {
      const count = (nameFlags[name]! & NAME_PARTICLES_COUNT) !== 0;
      const first = nameTokenOffsets[name]!;
      const end = nameTokenOffsets[name + 1]!;
      let agreed = 0;
      let matched = 0;
      let bits = 0;
      let agreedBySlips = 0;
      let bitsBySlips = 0;
      let core = 0;
      let initial = 0;
      let seen = 0;
      let used = 0;
      let rest = 0;
      let plain = true;
      for (let at = first; at < end; at += 1) {
        const token = nameTokens[at]!;
        let entry = entries.firstOf(token);
        if (entry === 0) {
          rest |= 1 << (at - first);
          continue;
        }
        let similarity: number = LEAST_AGREEMENT;
        let evidence = 0;
        const twins = pairs.twins[entries.part[entry - 1]!]!;
        const stillFree = twins & ~used;
        if (stillFree === 0) plain = false;
        used |= stillFree & -stillFree;
        for (; entry !== 0; entry = entries.next[entry - 1]!) {
          const bit = 1 << entries.part[entry - 1]!;
          if ((twins & bit) === 0) plain = false;
          seen |= bit;
          if (entries.similarity[entry - 1]! > similarity) similarity = entries.similarity[entry - 1]!;
          if (entries.evidence[entry - 1]! > evidence) evidence = entries.evidence[entry - 1]!;
        }
        const weight = table.weightOf(token, count);
        agreed += similarity * weight;
        agreedBySlips += Math.max(similarity, MOST_BY_SLIP) * weight;
        matched += weight;
        if (table.isCore(token, count)) {
          core += 1;
          bits += evidence;
          bitsBySlips += Math.max(evidence, SLIP_BITS);
        } else if (table.isInitial(token)) initial += 1;
      }
      from = first;
      to = end;
      particlesCount = count;
      isPlain = plain;
      coreTokens = core;
      initials = initial;
      met = seen;
      taken = used;
      restPlaces = rest;
      // Where the pairs are not certain, any of them may be another one, by a slip.
      sums[AGREED] = plain ? agreed : agreedBySlips;
      sums[MATCHED] = matched;
      sums[BITS] = plain ? bits : bitsBySlips;
      return seen;
    },

    look(loosely) {
      let agreed = sums[AGREED]!;
      let matched = sums[MATCHED]!;
      let bits = sums[BITS]!;
      if (!isPlain) taken = 0;
      // What is left over. Where the pairs are not certain, any part may be, and any token.
      const { parts, partWeights, partIsCore } = pairs;
      const closely = loosely || mayBeClose(coreTokens, bits);
      const places = isPlain ? restPlaces : -1 >>> (32 - (to - from));
      let pairedParts = 0;
      let pairedPlaces = 0;
      let letters = 0;
      for (let part = 0; part < parts.length; part += 1)
        if ((taken & (1 << part)) === 0) letters |= parts[part]!.firstLetters;
      for (let place = 0; letters !== 0 && place < to - from; place += 1) {
        if ((places & (1 << place)) === 0) continue;
        const token = nameTokens[from + place]!;
        // Unless they are taken for the same on a close look, two that are left over must begin alike.
        if (!closely && (letters & table.firstLettersOf(token)) === 0) continue;
        for (let part = 0; part < parts.length; part += 1) {
          if ((taken & (1 << part)) !== 0 || !mayPair(part, token, closely)) continue;
          pairedParts |= 1 << part;
          pairedPlaces |= 1 << place;
        }
      }
      // Only where all other parts are met may the last one be merely near.
      if (pairs.coreParts - coreTokens - countBits(pairedParts) <= 1) {
        for (let part = 0; part < parts.length; part += 1) {
          if ((taken & (1 << part)) !== 0 || partIsCore[part] === 0) continue;
          for (let place = 0; place < to - from; place += 1) {
            const token = nameTokens[from + place]!;
            if ((places & (1 << place)) === 0 || !table.isCore(token, particlesCount)) continue;
            if (!lookup.mayBeNear(parts[part]!, token)) continue;
            pairedParts |= 1 << part;
            pairedPlaces |= 1 << place;
          }
        }
      }
      let listedRest = 0;
      let isCoreLeft = false;
      let isOtherLeft = false;
      for (let place = 0; place < to - from; place += 1) {
        if ((restPlaces & (1 << place)) === 0) continue;
        const token = nameTokens[from + place]!;
        const weight = table.weightOf(token, particlesCount);
        const tokenIsCore = table.isCore(token, particlesCount);
        if ((pairedPlaces & (1 << place)) === 0) {
          listedRest += weight;
          isCoreLeft ||= tokenIsCore;
          isOtherLeft ||= tokenIsCore && (table.flagsOf(token) & TOKEN_PATRONYMIC) === 0;
          continue;
        }
        agreed += weight;
        matched += weight;
        bits += SLIP_BITS;
        if (tokenIsCore) coreTokens += 1;
        else initials += 1;
      }
      let queryRest = 0;
      for (let part = 0; part < parts.length; part += 1) {
        if ((((isPlain ? taken : met) | pairedParts) & (1 << part)) === 0) queryRest += partWeights[part]!;
      }
      outlook.agreed = agreed;
      outlook.matched = matched;
      outlook.likeness = isPlain ? agreed / matched : 1;
      outlook.queryRest = queryRest;
      outlook.listedRest = listedRest;
      outlook.bits = bits;
      outlook.tellingParts = coreTokens + initials;
      outlook.whole = !isCoreLeft && coreTokens >= pairs.coreParts;
      outlook.butFathers = !isOtherLeft && coreTokens >= pairs.coreParts;
      outlook.isOpen = pairedParts !== 0;
      return outlook;
    },
  };
}
