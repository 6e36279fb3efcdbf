// Pairs the parts of an organization's name with those of a listed name: words, numbers and legal
// forms separately.
import { NAME_ENTITY_SHIFT } from '../index/entity-flags.ts';
import { type IndexSections, readTokenText, type ScreeningIndex } from '../index/screening-index.ts';
import { BITS_SCALE } from '../index/telling-bits.ts';
import { KIND_ORGANIZATION } from '../kind.ts';
import { MAX_PARTS } from '../names/fold-name.ts';
import { type ComparedWord, isDescribed } from '../names/organisation/description.ts';
import { LEGAL_MARK } from '../names/organisation/marks.ts';
import { isNaming, isOrganizationCore, organizationWeight } from '../names/organisation/part-weight.ts';
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
import { OrganizationEvidence } from './organisation-score.ts';
import type { PartComparison } from './part-comparison.ts';
import type { KnownPart } from './part-names.ts';
import type { PartPairs } from './part-pairs.ts';

/** Maximum bits of a word that half of all organizations have, of a number, and of a particle. */
const TRADE_BITS = 4;
const NUMBER_BITS = 3;
const MINOR_BITS = 1;

/** Legal form of any company. A state may own one. */
const ANY_COMPANY = `${LEGAL_MARK}company`;
/** Parts that identify the organization, besides its naming words. */
const SAYS_WHICH = TOKEN_NUMBER | TOKEN_PLACE | TOKEN_INITIAL;
/** Remains of truncated legal forms: Joint Stock, Private Company. */
const PIECES_OF_FORMS = new Set([
  ...LEGAL_FORM_WORDS,
  ...words('private public joint stock open closed liability state'),
]);
const WITHOUT_OWNERS = new Set([`${LEGAL_MARK}nonprofit`, `${LEGAL_MARK}state`]);

function compareLegalForms(query: string, listed: string): OrganizationEvidence['legalForms'] {
  if (query === '' && listed === '') return 'same';
  if (query === '' || listed === '') return 'oneSided';
  if (query === ANY_COMPANY || listed === ANY_COMPANY) return 'different';
  return WITHOUT_OWNERS.has(query) || WITHOUT_OWNERS.has(listed) ? 'opposed' : 'different';
}

/** `National` is Melli, and as uninformative as any translated generic word. */
function isTelling(query: number, listed: number): boolean {
  return (isNaming(query) && isNaming(listed)) || (query & listed & SAYS_WHICH) !== 0 || (listed & TOKEN_ACRONYM) !== 0;
}

/** Generic words may be omitted from a name. Places and numbers are counted separately. */
function mayBeLeftOut(flags: number): boolean {
  return !isOrganizationCore(flags) || (flags & (TOKEN_TRADE | TOKEN_PLACE | TOKEN_NUMBER)) !== 0;
}

export class OrganizationAligner {
  readonly #sections: IndexSections;
  readonly #comparison: PartComparison;
  readonly #pairs: PartPairs;
  readonly #partWeights = new Float64Array(MAX_PARTS);
  readonly #partIsCore = new Uint8Array(MAX_PARTS);
  #parts: readonly KnownPart[] = [];
  #queryCore = 0;
  #nameFrom = 0;
  #nameTo = 0;
  #isOrganisation = false;
  #evidence = new OrganizationEvidence();

  constructor({ sections }: ScreeningIndex, comparison: PartComparison, pairs: PartPairs) {
    this.#sections = sections;
    this.#comparison = comparison;
    this.#pairs = pairs;
  }

  begin(parts: readonly KnownPart[]): void {
    this.#parts = parts;
    this.#queryCore = 0;
    for (const [at, { flags, bits }] of parts.entries()) {
      this.#partWeights[at] = organizationWeight(flags, bits);
      this.#partIsCore[at] = isOrganizationCore(flags) ? 1 : 0;
      this.#queryCore += this.#partIsCore[at]!;
    }
    // Names such as `Della` or `AL P.C.` can only be found by their particles.
    if (this.#queryCore === 0) this.#partIsCore.fill(1, 0, parts.length);
    this.#pairs.begin(parts, this.#partWeights, this.#partIsCore);
  }

  end(): void {
    this.#pairs.end();
  }

  align(name: number): OrganizationEvidence {
    const { nameTokenOffsets, nameFlags } = this.#sections;
    const pairs = this.#pairs;
    this.#evidence = new OrganizationEvidence();
    this.#evidence.queryCoreParts = this.#queryCore;
    this.#nameFrom = nameTokenOffsets[name]!;
    this.#nameTo = nameTokenOffsets[name + 1]!;
    this.#isOrganisation = ((nameFlags[name]! >>> NAME_ENTITY_SHIFT) & KIND_ORGANIZATION) !== 0;
    pairs.collect(name);
    const { pairPart, pairPlace, pairSimilarity, pairLikeness, pairEvidence } = pairs;
    for (let best = pairs.best(); best >= 0; best = pairs.best()) {
      const likeness = pairLikeness[best] as Likeness;
      this.#addPair(pairPart[best]!, pairPlace[best]!, pairSimilarity[best]!, likeness, pairEvidence[best]!);
    }
    const count = this.#parts.length;
    for (let part = 0; part < count; part += 1) if (pairs.isPartFree(part)) this.#pairNearly(part);
    this.#addRest();
    this.#judgeRest();
    return this.#evidence;
  }

  #tokenAt(place: number): number {
    return this.#sections.nameTokens[this.#nameFrom + place]!;
  }

  #flagsAt(place: number): number {
    return this.#sections.tokenFlags[this.#tokenAt(place)]!;
  }

  #weightOfToken(token: number): number {
    const { tokenFlags, tokenBits } = this.#sections;
    return organizationWeight(tokenFlags[token]!, tokenBits[token]! / BITS_SCALE);
  }

  #addPair(part: number, place: number, similarity: number, likeness: Likeness, bits: number): void {
    const evidence = this.#evidence;
    const known = this.#parts[part]!;
    const token = this.#tokenAt(place);
    const flags = this.#sections.tokenFlags[token]!;
    const weight = this.#weightOfToken(token);
    evidence.agreed += similarity * weight;
    evidence.matched += weight;
    evidence.bits += Math.min(bits, mostBits(flags));
    if (isOrganizationCore(flags)) evidence.coreParts += 1;
    if (isNaming(flags)) evidence.namingParts += 1;
    if (isTelling(known.flags, flags)) evidence.tellingParts += 1;
    if (likeness !== SAME) evidence.isAsWritten = false;
    if (likeness === OTHER_FORM) evidence.isTranslated = true;
    if (likeness === NEAR) {
      evidence.nearParts += 1;
      evidence.nearAgreed += similarity * weight;
      evidence.nearMatched += weight;
    }
    if (likeness === ACRONYM) evidence.byAcronym = true;
    if (!this.#isOrganisation && likeness !== SAME && this.#endsInOtherVowel(known, token))
      evidence.endsOtherwise = true;
    this.#pairs.choose(part, place, likeness);
  }

  /** Pairs a word with an unmatched listed word that differs in one or two letters. */
  #pairNearly(part: number): void {
    const known = this.#parts[part]!;
    if (!isOrganizationCore(known.flags)) return;
    for (let place = 0; place < this.#nameTo - this.#nameFrom; place += 1) {
      if (!this.#pairs.isPlaceFree(place)) continue;
      const token = this.#tokenAt(place);
      if (!isOrganizationCore(this.#sections.tokenFlags[token]!)) continue;
      const similarity = this.#comparison.nearness(known, token);
      if (similarity === 0) continue;
      if (this.#comparison.areTwoPlaces(known, token)) {
        this.#evidence.placesDiffer = true;
        this.#pairs.choose(part, place, NEAR);
      } else this.#addPair(part, place, similarity, NEAR, 0);
      return;
    }
  }

  /** Adds the unmatched words of the query and of the list. */
  #addRest(): void {
    const evidence = this.#evidence;
    const parts = this.#parts;
    const places = this.#nameTo - this.#nameFrom;
    let queryNumber: KnownPart | undefined;
    let queryLegal = '';
    let queryPlaces = 0;
    let listedPlaces = 0;
    let listedNumber = -1;
    let listedLegal = '';
    for (let part = 0; part < parts.length; part += 1) {
      if (!this.#pairs.isPartFree(part)) continue;
      const known = parts[part]!;
      if ((known.flags & TOKEN_NUMBER) !== 0) queryNumber = known;
      else if ((known.flags & TOKEN_LEGAL) !== 0) queryLegal = known.text;
      else if ((known.flags & TOKEN_PLACE) !== 0) queryPlaces += this.#partWeights[part]!;
      else evidence.queryRest += this.#partWeights[part]!;
    }
    for (let place = 0; place < places; place += 1) {
      const token = this.#tokenAt(place);
      const flags = this.#sections.tokenFlags[token]!;
      if (isOrganizationCore(flags)) evidence.listedCoreParts += 1;
      if (!this.#pairs.isPlaceFree(place)) continue;
      if ((flags & TOKEN_NUMBER) !== 0) listedNumber = token;
      else if ((flags & TOKEN_LEGAL) !== 0) listedLegal = readTokenText(this.#sections, token);
      else if ((flags & TOKEN_PLACE) !== 0) listedPlaces += this.#weightOfToken(token);
      else evidence.listedRest += this.#weightOfToken(token);
    }
    // A place opposite another word or place contradicts it. Alone it indicates another
    // organization.
    const isOneSided =
      (queryPlaces === 0 && evidence.queryRest === 0) || (listedPlaces === 0 && evidence.listedRest === 0);
    evidence.placeOneSided = isOneSided && queryPlaces + listedPlaces > 0;
    if (!isOneSided) {
      evidence.queryRest += queryPlaces;
      evidence.listedRest += listedPlaces;
    }
    evidence.numbers = this.#compareNumbers(queryNumber, listedNumber);
    evidence.legalForms = compareLegalForms(queryLegal, listedLegal);
  }

  #compareNumbers(query: KnownPart | undefined, listed: number): OrganizationEvidence['numbers'] {
    if (query === undefined) return listed < 0 ? 'same' : 'oneSided';
    if (listed < 0) return 'oneSided';
    return this.#isOneDigitOff(query, listed) ? 'oneDigitOff' : 'different';
  }

  #judgeRest(): void {
    const evidence = this.#evidence;
    const isQueryRest = evidence.queryRest > 0;
    const isOneSided = isQueryRest ? evidence.listedRest === 0 : evidence.listedRest > 0;
    evidence.isDescribed = isOneSided && isDescribed(isQueryRest ? this.#queryWords() : this.#listedWords());
    evidence.isTradeLeftOut =
      this.#isOrganisation &&
      isOneSided &&
      evidence.namingParts > 0 &&
      (isQueryRest ? this.#isQueryRestTrade() : this.#isListedRestTrade());
    evidence.isContinued = evidence.coreParts > 0 && this.#isContinued();
    evidence.isTradeFurther = evidence.isContinued && this.#isTradeFurther();
  }

  #isQueryRestTrade(): boolean {
    return this.#parts.every(({ flags }, part) => !this.#pairs.isPartFree(part) || mayBeLeftOut(flags));
  }

  #isListedRestTrade(): boolean {
    for (let place = 0; place < this.#nameTo - this.#nameFrom; place += 1)
      if (this.#pairs.isPlaceFree(place) && !mayBeLeftOut(this.#flagsAt(place))) return false;
    return true;
  }

  #queryWords(): ComparedWord[] {
    return this.#parts.map(({ text, flags }, part) => ({ text, flags, isMatched: !this.#pairs.isPartFree(part) }));
  }

  #listedWords(): ComparedWord[] {
    const { nameTokens, tokenFlags } = this.#sections;
    return Array.from(nameTokens.subarray(this.#nameFrom, this.#nameTo), (token, place) => ({
      text: readTokenText(this.#sections, token),
      flags: tokenFlags[token]!,
      isMatched: !this.#pairs.isPlaceFree(place),
    }));
  }

  /** Returns whether one name starts with all words of the other, in order, and continues. */
  #isContinued(): boolean {
    const { coreParts, listedCoreParts } = this.#evidence;
    const isQueryWhole = coreParts === this.#queryCore;
    if (isQueryWhole === (coreParts === listedCoreParts)) return false;
    const pairs = this.#pairs;
    const paired = pairs.pairings().filter(({ place }) => isOrganizationCore(this.#flagsAt(place)));
    const ordered = paired.toSorted((a, b) => a.part - b.part);
    if (ordered.some(({ place }, at) => at > 0 && place < ordered[at - 1]!.place)) return false;
    const last = ordered.at(-1)!;
    if (!isQueryWhole)
      return this.#parts.every(
        ({ flags }, part) => part > last.part || !pairs.isPartFree(part) || !isOrganizationCore(flags),
      );
    for (let place = 0; place < last.place; place += 1)
      if (pairs.isPlaceFree(place) && isOrganizationCore(this.#flagsAt(place))) return false;
    return true;
  }

  #isTradeFurther(): boolean {
    const further = this.#parts.filter(({ flags }, part) => this.#pairs.isPartFree(part) && isOrganizationCore(flags));
    const [word] = further;
    return further.length === 1 && (word!.flags & TOKEN_BUSINESS) !== 0 && !PIECES_OF_FORMS.has(word!.text);
  }

  #endsInOtherVowel({ codes }: KnownPart, token: number): boolean {
    const { tokenText, tokenTextOffsets } = this.#sections;
    const from = tokenTextOffsets[token]!;
    const last = codes.length - 1;
    if (tokenTextOffsets[token + 1]! - from !== codes.length) return false;
    for (let at = 0; at < last; at += 1) if (codes[at] !== tokenText[from + at]) return false;
    return isVowel(codes[last]!) && isVowel(tokenText[from + last]!);
  }

  /** Returns whether two numbers differ in one digit, as by a typo. */
  #isOneDigitOff({ codes }: KnownPart, token: number): boolean {
    const { tokenText, tokenTextOffsets } = this.#sections;
    const from = tokenTextOffsets[token]!;
    if (tokenTextOffsets[token + 1]! - from !== codes.length) return false;
    let off = 0;
    for (let at = 0; at < codes.length; at += 1) if (codes[at] !== tokenText[from + at]) off += 1;
    return off === 1;
  }
}

function mostBits(flags: number): number {
  if (isNaming(flags) || (flags & TOKEN_ACRONYM) !== 0) return Number.POSITIVE_INFINITY;
  if ((flags & TOKEN_NUMBER) !== 0) return NUMBER_BITS;
  return (flags & (TOKEN_LEGAL | TOKEN_PARTICLE)) !== 0 ? MINOR_BITS : TRADE_BITS;
}
