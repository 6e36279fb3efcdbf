// Pairs the parts of an organisation's name with those of one listed name: words, numbers and legal forms apart.
import { NAME_ENTITY_SHIFT } from '../index/name-flags.ts';
import { type ScreeningIndex, textOfToken } from '../index/screening-index.ts';
import { BITS_SCALE } from '../index/telling-bits.ts';
import { KIND_ORGANISATION } from '../kind.ts';
import { MAX_PARTS } from '../names/fold-name.ts';
import { type ComparedWord, isDescribed } from '../names/organisation/description.ts';
import { LEGAL_MARK } from '../names/organisation/marks.ts';
import { isNaming, isOrganisationCore, organisationWeight } from '../names/organisation/part-weight.ts';
import {
  TOKEN_ACRONYM,
  TOKEN_BUSINESS,
  TOKEN_INITIAL,
  TOKEN_LEGAL,
  TOKEN_NUMBER,
  TOKEN_PARTICLE,
  TOKEN_PLACE,
  TOKEN_TRADE,
} from '../names/part-class.ts';
import { isVowel } from '../names/spelling.ts';
import { LEGAL_FORM_WORDS } from '../names/tables/legal-forms.ts';
import { words } from '../names/tables/words.ts';
import { ACRONYM, type Likeness, NEAR, OTHER_FORM, SAME } from './likeness.ts';
import type { OrganisationEvidence } from './organisation-score.ts';
import type { KnownPart, PartLookup } from './part-lookup.ts';
import type { PartPairs } from './part-pairs.ts';

/** What a word tells that half of all organisations have, and a number. */
const TRADE_BITS = 4;
const NUMBER_BITS = 3;
const MINOR_BITS = 1;

/** Says no more than that it is a company: a state may own one. */
const ANY_COMPANY = `${LEGAL_MARK}company`;
/** Besides the words that name. */
const SAYS_WHICH = TOKEN_NUMBER | TOKEN_PLACE | TOKEN_INITIAL;
/** What is left of a legal form that was cut short: Joint Stock, Private Company. */
const PIECES_OF_FORMS = new Set([
  ...LEGAL_FORM_WORDS,
  ...words('private public joint stock open closed liability state'),
]);
const WITHOUT_OWNERS = new Set([`${LEGAL_MARK}nonprofit`, `${LEGAL_MARK}state`]);

function compareLegalForms(query: string, listed: string): OrganisationEvidence['legalForms'] {
  if (query === '' && listed === '') return 'same';
  if (query === '' || listed === '') return 'oneSided';
  if (query === ANY_COMPANY || listed === ANY_COMPANY) return 'different';
  return WITHOUT_OWNERS.has(query) || WITHOUT_OWNERS.has(listed) ? 'opposed' : 'different';
}

/** `National` is Melli, and says no more than any translation of a word of trade does. */
function isTelling(query: number, listed: number): boolean {
  return (isNaming(query) && isNaming(listed)) || (query & listed & SAYS_WHICH) !== 0 || (listed & TOKEN_ACRONYM) !== 0;
}

/** Beside the name itself: a word of trade, and a place or a number, which are counted apart. */
function mayBeLeftOut(flags: number): boolean {
  return !isOrganisationCore(flags) || (flags & (TOKEN_TRADE | TOKEN_PLACE | TOKEN_NUMBER)) !== 0;
}

export interface OrganisationAligner {
  begin(parts: readonly KnownPart[]): void;
  end(): void;
  /** The evidence is reused by the next call. */
  align(name: number): OrganisationEvidence;
}

export function createOrganisationAligner(
  { sections }: ScreeningIndex,
  lookup: PartLookup,
  pairs: PartPairs,
): OrganisationAligner {
  const { nameTokens, nameTokenOffsets, nameFlags, tokenFlags, tokenBits, tokenText, tokenTextOffsets } = sections;
  const { pairPart, pairPlace, pairSimilarity, pairLikeness, pairEvidence } = pairs;
  const partWeights = new Float64Array(MAX_PARTS);
  const partIsCore = new Uint8Array(MAX_PARTS);
  let parts: readonly KnownPart[] = [];
  let queryCore = 0;
  let nameFrom = 0;
  let nameTo = 0;
  let isOrganisation = false;

  const evidence: OrganisationEvidence = {
    agreed: 0,
    matched: 0,
    queryRest: 0,
    listedRest: 0,
    bits: 0,
    coreParts: 0,
    namingParts: 0,
    tellingParts: 0,
    isAsWritten: true,
    isTranslated: false,
    queryCoreParts: 0,
    listedCoreParts: 0,
    nearParts: 0,
    nearAgreed: 0,
    nearMatched: 0,
    byAcronym: false,
    isDescribed: false,
    isTradeLeftOut: false,
    endsOtherwise: false,
    isContinued: false,
    isTradeFurther: false,
    placeOneSided: false,
    placesDiffer: false,
    numbers: 'same',
    legalForms: 'same',
  };

  function weightOfToken(token: number): number {
    return organisationWeight(tokenFlags[token]!, tokenBits[token]! / BITS_SCALE);
  }

  function addPair(part: number, place: number, similarity: number, likeness: Likeness, bits: number): void {
    const token = nameTokens[nameFrom + place]!;
    const flags = tokenFlags[token]!;
    const weight = weightOfToken(token);
    evidence.agreed += similarity * weight;
    evidence.matched += weight;
    evidence.bits += Math.min(bits, mostBits(flags));
    if (isOrganisationCore(flags)) evidence.coreParts += 1;
    if (isNaming(flags)) evidence.namingParts += 1;
    if (isTelling(parts[part]!.flags, flags)) evidence.tellingParts += 1;
    if (likeness !== SAME) evidence.isAsWritten = false;
    if (likeness === OTHER_FORM) evidence.isTranslated = true;
    if (likeness === NEAR) {
      evidence.nearParts += 1;
      evidence.nearAgreed += similarity * weight;
      evidence.nearMatched += weight;
    }
    if (likeness === ACRONYM) evidence.byAcronym = true;
    if (!isOrganisation && likeness !== SAME && endsInOtherVowel(parts[part]!, token)) evidence.endsOtherwise = true;
    pairs.choose(part, place, likeness);
  }

  function endsInOtherVowel({ codes }: KnownPart, token: number): boolean {
    const from = tokenTextOffsets[token]!;
    const last = codes.length - 1;
    if (tokenTextOffsets[token + 1]! - from !== codes.length) return false;
    for (let at = 0; at < last; at += 1) if (codes[at] !== tokenText[from + at]) return false;
    return isVowel(codes[last]!) && isVowel(tokenText[from + last]!);
  }

  function mostBits(flags: number): number {
    if (isNaming(flags) || (flags & TOKEN_ACRONYM) !== 0) return Number.POSITIVE_INFINITY;
    if ((flags & TOKEN_NUMBER) !== 0) return NUMBER_BITS;
    return (flags & (TOKEN_LEGAL | TOKEN_PARTICLE)) !== 0 ? MINOR_BITS : TRADE_BITS;
  }

  /** A word that is left on each side and differs from the other in a letter or two. */
  function pairNearly(part: number): void {
    const known = parts[part]!;
    if (!isOrganisationCore(known.flags)) return;
    for (let place = 0; place < nameTo - nameFrom; place += 1) {
      if (!pairs.isPlaceFree(place)) continue;
      const token = nameTokens[nameFrom + place]!;
      if (!isOrganisationCore(tokenFlags[token]!)) continue;
      const similarity = lookup.nearness(known, token);
      if (similarity === 0) continue;
      if (lookup.areTwoPlaces(known, token)) {
        evidence.placesDiffer = true;
        pairs.choose(part, place, NEAR);
        return;
      }
      addPair(part, place, similarity, NEAR, 0);
      return;
    }
  }

  /** What is left over, on the side of the query and of the list. */
  function addRest(): void {
    let queryNumber: KnownPart | undefined;
    let queryLegal = '';
    let queryPlaces = 0;
    let listedPlaces = 0;
    let listedNumber = -1;
    let listedLegal = '';
    for (let part = 0; part < parts.length; part += 1) {
      if (!pairs.isPartFree(part)) continue;
      const known = parts[part]!;
      if ((known.flags & TOKEN_NUMBER) !== 0) queryNumber = known;
      else if ((known.flags & TOKEN_LEGAL) !== 0) queryLegal = known.text;
      else if ((known.flags & TOKEN_PLACE) !== 0) queryPlaces += partWeights[part]!;
      else evidence.queryRest += partWeights[part]!;
    }
    for (let place = 0; place < nameTo - nameFrom; place += 1) {
      const token = nameTokens[nameFrom + place]!;
      const flags = tokenFlags[token]!;
      if (isOrganisationCore(flags)) evidence.listedCoreParts += 1;
      if (!pairs.isPlaceFree(place)) continue;
      if ((flags & TOKEN_NUMBER) !== 0) listedNumber = token;
      else if ((flags & TOKEN_LEGAL) !== 0) listedLegal = textOfToken(sections, token);
      else if ((flags & TOKEN_PLACE) !== 0) listedPlaces += weightOfToken(token);
      else evidence.listedRest += weightOfToken(token);
    }
    // Beside another word or another place, a place contradicts it; alone it says that something else is meant.
    const isOneSided =
      (queryPlaces === 0 && evidence.queryRest === 0) || (listedPlaces === 0 && evidence.listedRest === 0);
    evidence.placeOneSided = isOneSided && queryPlaces + listedPlaces > 0;
    if (!isOneSided) {
      evidence.queryRest += queryPlaces;
      evidence.listedRest += listedPlaces;
    }
    evidence.numbers =
      queryNumber === undefined
        ? listedNumber < 0
          ? 'same'
          : 'oneSided'
        : listedNumber < 0
          ? 'oneSided'
          : isOneDigitOff(queryNumber, listedNumber)
            ? 'oneDigitOff'
            : 'different';
    evidence.legalForms = compareLegalForms(queryLegal, listedLegal);
    const isOneSidedRest = evidence.queryRest === 0 ? evidence.listedRest > 0 : evidence.listedRest === 0;
    evidence.isDescribed = isOneSidedRest && isDescribed(evidence.queryRest > 0 ? queryWords() : listedWords());
    evidence.isTradeLeftOut =
      isOrganisation &&
      isOneSidedRest &&
      evidence.namingParts > 0 &&
      (evidence.queryRest > 0 ? isQueryRestTrade() : isListedRestTrade());
    evidence.isContinued = evidence.coreParts > 0 && isContinued();
    evidence.isTradeFurther = evidence.isContinued && isTradeFurther();
  }

  function isQueryRestTrade(): boolean {
    return parts.every(({ flags }, part) => !pairs.isPartFree(part) || mayBeLeftOut(flags));
  }

  function isListedRestTrade(): boolean {
    for (let place = 0; place < nameTo - nameFrom; place += 1)
      if (pairs.isPlaceFree(place) && !mayBeLeftOut(tokenFlags[nameTokens[nameFrom + place]!]!)) return false;
    return true;
  }

  function queryWords(): ComparedWord[] {
    return parts.map(({ text, flags }, part) => ({ text, flags, isMatched: !pairs.isPartFree(part) }));
  }

  function listedWords(): ComparedWord[] {
    return Array.from(nameTokens.subarray(nameFrom, nameTo), (token, place) => ({
      text: textOfToken(sections, token),
      flags: tokenFlags[token]!,
      isMatched: !pairs.isPlaceFree(place),
    }));
  }

  /** Whether all words of one name open the other, in their order, and something else follows. */
  function isContinued(): boolean {
    const isQueryWhole = evidence.coreParts === queryCore;
    if (isQueryWhole === (evidence.coreParts === evidence.listedCoreParts)) return false;
    const paired = pairs
      .pairings()
      .filter(({ place }) => isOrganisationCore(tokenFlags[nameTokens[nameFrom + place]!]!));
    const ordered = paired.toSorted((one, other) => one.part - other.part);
    if (ordered.some(({ place }, at) => at > 0 && place < ordered[at - 1]!.place)) return false;
    const { part: lastPart, place: lastPlace } = ordered.at(-1)!;
    if (!isQueryWhole)
      return parts.every(({ flags }, part) => part > lastPart || !pairs.isPartFree(part) || !isOrganisationCore(flags));
    for (let place = 0; place < lastPlace; place += 1)
      if (pairs.isPlaceFree(place) && isOrganisationCore(tokenFlags[nameTokens[nameFrom + place]!]!)) return false;
    return true;
  }

  function isTradeFurther(): boolean {
    const further = parts.filter(({ flags }, part) => pairs.isPartFree(part) && isOrganisationCore(flags));
    const [word] = further;
    return further.length === 1 && (word!.flags & TOKEN_BUSINESS) !== 0 && !PIECES_OF_FORMS.has(word!.text);
  }

  /** As many digits, all but one the same: what a slip makes of a number. */
  function isOneDigitOff({ codes }: KnownPart, token: number): boolean {
    const from = tokenTextOffsets[token]!;
    if (tokenTextOffsets[token + 1]! - from !== codes.length) return false;
    let off = 0;
    for (let at = 0; at < codes.length; at += 1) if (codes[at] !== tokenText[from + at]) off += 1;
    return off === 1;
  }

  return {
    begin(queryParts) {
      parts = queryParts;
      queryCore = 0;
      for (const [at, { flags, bits }] of parts.entries()) {
        partWeights[at] = organisationWeight(flags, bits);
        partIsCore[at] = isOrganisationCore(flags) ? 1 : 0;
        queryCore += partIsCore[at]!;
      }
      // Of a name such as `Della` or `AL P.C.` the small words are all there is to find it by.
      if (queryCore === 0) partIsCore.fill(1, 0, parts.length);
      pairs.begin(parts, partWeights, partIsCore);
    },
    end: () => pairs.end(),
    align(name) {
      nameFrom = nameTokenOffsets[name]!;
      nameTo = nameTokenOffsets[name + 1]!;
      isOrganisation = ((nameFlags[name]! >>> NAME_ENTITY_SHIFT) & KIND_ORGANISATION) !== 0;
      pairs.collect(name);
      evidence.agreed = 0;
      evidence.matched = 0;
      evidence.queryRest = 0;
      evidence.listedRest = 0;
      evidence.bits = 0;
      evidence.coreParts = 0;
      evidence.namingParts = 0;
      evidence.tellingParts = 0;
      evidence.isAsWritten = true;
      evidence.isTranslated = false;
      evidence.queryCoreParts = queryCore;
      evidence.listedCoreParts = 0;
      evidence.nearParts = 0;
      evidence.nearAgreed = 0;
      evidence.nearMatched = 0;
      evidence.byAcronym = false;
      evidence.endsOtherwise = false;
      evidence.placesDiffer = false;
      for (let best = pairs.best(); best >= 0; best = pairs.best()) {
        const likeness = pairLikeness[best] as Likeness;
        addPair(pairPart[best]!, pairPlace[best]!, pairSimilarity[best]!, likeness, pairEvidence[best]!);
      }
      for (let part = 0; part < parts.length; part += 1) if (pairs.isPartFree(part)) pairNearly(part);
      addRest();
      return evidence;
    },
  };
}
