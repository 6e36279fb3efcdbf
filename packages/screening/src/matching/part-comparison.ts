// Compares a query's part with a listed part (token), by spelling and by knowledge of both as names
// or words.
import type { ScreeningIndex } from '../index/screening-index.ts';
import { editCost, mayCost } from '../names/edit-cost.ts';
import { ACRONYM_MARK } from '../names/organisation/marks.ts';
import {
  TOKEN_ACRONYM,
  TOKEN_BUSINESS,
  TOKEN_CODE,
  TOKEN_ESTABLISHED,
  TOKEN_INITIAL,
  TOKEN_LEGAL,
  TOKEN_NUMBER,
  TOKEN_PARTICLE,
  TOKEN_PLACE,
  TOKEN_VOWELLESS,
} from '../names/part-class.ts';
import { MIN_LENGTH_FOR_EDITS } from '../names/part-keys.ts';
import { areTwoNames, findOtherGender, isFeminineOf, isKnownName, isTableName, isWomanInE } from '../names/variants.ts';
import { LEAST_SIMILARITY, MOST_BY_SLIP } from './likeness.ts';
import type { ListedTokens } from './listed-tokens.ts';
import type { KnownPart } from './part-names.ts';
import type { TokenTable } from './token-table.ts';

/** Parts for which the smallest difference means another part. */
const NEVER_NEAR =
  TOKEN_VOWELLESS | TOKEN_INITIAL | TOKEN_LEGAL | TOKEN_NUMBER | TOKEN_ACRONYM | TOKEN_CODE | TOKEN_PARTICLE;

/** Share of similarity lost if a whole part is edited. */
const EDIT_WEIGHT = 0.72;
/** People rarely get the first letter wrong, and hardly ever another letter too. */
const FIRST_LETTER = 0.03;
/** Deduction for a different first letter in words that otherwise match as names do. */
const FIRST_LETTER_OF_WORD = 0.005;
const ONE_SLIP = 1.2;
/** Similarity from which pronunciation adds little. */
const CLOSE = 0.9;
/** `Maria` and `Mario`, `Jing` and `Ying` are different names. Only one vowel may differ. */
const BOTH_ESTABLISHED = 0.07;
const BOTH_ESTABLISHED_COST = 0.4;
/** Limits if other evidence matches: minimum similarity, and share of letters with typos. */
const LOOSE_SIMILARITY = 0.62;
const LOOSE_SHARE = 0.4;
/** Maximum cost, and share of differing letters, of near parts. */
const NEAR_COST = 2.2;
const NEAR_SHARE = 0.36;

/** Maximum length of an acronym. */
const MAX_ACRONYM = 6;
/** Maximum length of a short name. Known short names are never treated as typos. */
const SHORT_NAME = 5;
/** A Chinese or Korean syllable, whose romanizations vary: `pong` and `pyong`. */
const SYLLABLE =
  /^(?:[b-df-hj-np-tv-z]{1,2})[yw]?(?:[aeiou]|ae|eo|eu|ui|ai|ei|ao|ou|ia|ie|iu|ua|uo|oo|ee)(?:n|ng|k|l|m|p|t)?$/;
const E = 0x65;

export class PartComparison {
  readonly #tokens: ListedTokens;
  readonly #table: TokenTable;
  readonly #tokenText: Uint8Array;
  readonly #canonText: Uint8Array;
  readonly #lax: boolean;

  /** `lax` accepts well-known names as misspellings of others. */
  constructor({ sections }: ScreeningIndex, tokens: ListedTokens, lax: boolean) {
    this.#tokens = tokens;
    this.#table = tokens.table;
    this.#tokenText = sections.tokenText;
    this.#canonText = sections.canonText;
    this.#lax = lax;
  }

  /** Compares a pair that shares no lookup key. Returns 0 if they are not similar. */
  compare(part: KnownPart, token: number, loosely: boolean): number {
    if (part.vowelless || this.#tokens.isVowelless(token)) return 0;
    // A common name is not a bad misspelling of another.
    const isLoose = loosely && !this.#isEstablished(part);
    return this.#maySlip(part, token, isLoose) ? this.nameSimilarity(part, token, isLoose) : 0;
  }

  /** Consults name knowledge last, because most pairs are too far apart for it to matter. */
  nameSimilarity(part: KnownPart, token: number, loosely: boolean): number {
    const areEstablished = this.#areBothEstablished(part, token);
    const similarity = this.#spellingSimilarity(part, token, areEstablished, loosely);
    if (similarity === 0 || this.#areTwoGenders(part, token)) return 0;
    return !areEstablished && (this.#areShortNames(part, token) || this.#areOtherNames(part, token))
      ? this.#spellingSimilarity(part, token, true, loosely)
      : similarity;
  }

  /** Compares spelling and pronunciation, because differences in both mean another name. */
  wordSimilarity(part: KnownPart, token: number): number {
    const similarity = this.#spellingSimilarity(part, token, this.#areBothEstablished(part, token), false);
    if (similarity === 0 || this.#areTwoWords(part, token)) return 0;
    if (this.#lax) return similarity;
    const { codes } = part;
    const text = this.#tokenText;
    const from = this.#table.textFrom(token);
    const first = codes[0] === text[from] ? 0 : FIRST_LETTER_OF_WORD;
    const cost = editCost(codes, 0, codes.length, text, from, from + this.#table.textLength(token), ONE_SLIP);
    return cost === Number.POSITIVE_INFINITY ? (2 * similarity + LEAST_SIMILARITY) / 3 : similarity - first;
  }

  /** Compares by spelling alone. Returns 0 if the two are too far apart. */
  #spellingSimilarity({ codes, canonical }: KnownPart, token: number, areTwoNames: boolean, loosely: boolean): number {
    const table = this.#table;
    const text = this.#tokenText;
    const from = table.textFrom(token);
    const textLength = table.textLength(token);
    const shorter = Math.min(codes.length, textLength);
    const longer = Math.max(codes.length, textLength);
    if (shorter < MIN_LENGTH_FOR_EDITS - 1 || longer < MIN_LENGTH_FOR_EDITS) return 0;
    const limit = areTwoNames ? BOTH_ESTABLISHED_COST : slipsAllowed(shorter, loosely);
    const spokenText = this.#canonText;
    const spokenFrom = table.canonicalFrom(token);
    let cost = editCost(codes, 0, codes.length, text, from, from + textLength, limit);
    let similarity = 1 - (EDIT_WEIGHT * cost) / longer;
    if (similarity < CLOSE) {
      const spokenLength = table.canonicalLength(token);
      const spokenTo = spokenFrom + spokenLength;
      const spoken = editCost(canonical, 0, canonical.length, spokenText, spokenFrom, spokenTo, limit);
      cost = Math.min(cost, spoken);
      similarity = Math.max(similarity, 1 - (EDIT_WEIGHT * spoken) / Math.max(canonical.length, spokenLength));
    }
    if (codes[0] !== text[from] && canonical[0] !== spokenText[spokenFrom]) {
      if (cost > ONE_SLIP && !loosely) return 0;
      similarity -= FIRST_LETTER;
    }
    if (areTwoNames) similarity -= BOTH_ESTABLISHED;
    return similarity < (loosely ? LOOSE_SIMILARITY : LEAST_SIMILARITY) ? 0 : Math.min(similarity, MOST_BY_SLIP);
  }

  /** Returns how near a part is to a token that may be another name. 0 if far. */
  nearness(part: KnownPart, token: number): number {
    const { codes, vowelless, flags } = part;
    if (((flags | this.#table.flagsOf(token)) & NEVER_NEAR) !== 0 || vowelless || !this.mayBeNear(part, token))
      return 0;
    const from = this.#table.textFrom(token);
    const textLength = this.#table.textLength(token);
    const length = Math.max(codes.length, textLength);
    const limit = Math.min(NEAR_COST, NEAR_SHARE * length);
    const cost = editCost(codes, 0, codes.length, this.#tokenText, from, from + textLength, limit);
    return cost === Number.POSITIVE_INFINITY ? 0 : 1 - cost / length;
  }

  /** Returns whether the letters allow `nearness` to be above 0. */
  mayBeNear(part: KnownPart, token: number): boolean {
    return mayCost(part.textLetters, this.#table.textLettersOf(token), NEAR_COST);
  }

  mayBeginAlike({ firstLetters }: KnownPart, token: number): boolean {
    return (firstLetters & this.#table.firstLettersOf(token)) !== 0;
  }

  /** Returns whether the letters allow `compare` to be above 0. */
  mayBeSimilar(part: KnownPart, token: number, loosely: boolean): boolean {
    return this.#maySlip(part, token, loosely && !this.#isEstablished(part));
  }

  /** Stricter than `mayBeSimilar` for parts that start differently and for two common names. */
  mayBeSpelledAlike(part: KnownPart, token: number): boolean {
    const limit = this.#areBothEstablished(part, token)
      ? BOTH_ESTABLISHED_COST
      : slipsAllowed(Math.min(part.codes.length, this.#table.textLength(token)), false);
    return this.#maySpell(part, token, this.mayBeginAlike(part, token) ? limit : Math.min(limit, ONE_SLIP));
  }

  #maySlip(part: KnownPart, token: number, loosely: boolean): boolean {
    const shorter = Math.min(part.codes.length, this.#table.textLength(token));
    return this.#maySpell(part, token, slipsAllowed(shorter, loosely));
  }

  #maySpell(part: KnownPart, token: number, limit: number): boolean {
    return (
      mayCost(part.textLetters, this.#table.textLettersOf(token), limit) ||
      mayCost(part.canonicalLetters, this.#table.canonicalLettersOf(token), limit)
    );
  }

  /** Iraq is not Iran misspelled. Variants of one place were matched before. */
  areTwoPlaces({ flags }: KnownPart, token: number): boolean {
    return (flags & this.#table.flagsOf(token) & TOKEN_PLACE) !== 0;
  }

  /** NIOEC is not a typo of NIOC: each letter of an acronym counts. */
  isOtherAcronym(text: string, token: number): boolean {
    return (
      !this.#lax &&
      Math.min(text.length, this.#table.textLength(token)) <= MAX_ACRONYM &&
      (this.#isAcronym(text) || this.#isAcronym(this.#tokens.text(token)))
    );
  }

  /** Michelle is not Michael, nor Simone Simon. */
  isOtherGender(text: string, token: number): boolean {
    if (this.#lax) return false;
    const counterpart = findOtherGender(text);
    if (counterpart !== undefined && this.#tokens.hasText(token, counterpart)) return true;
    const length = this.#table.textLength(token);
    const longer = text.length - length;
    if (longer === 0 || Math.abs(longer) > 2) return false;
    if (longer > 0) return text.endsWith('e') && isWomanInE(text, this.#tokens.text(token));
    const last = this.#tokenText[this.#table.textFrom(token) + length - 1];
    return last === E && isWomanInE(this.#tokens.text(token), text);
  }

  #isEstablished({ flags }: KnownPart): boolean {
    return !this.#lax && (flags & TOKEN_ESTABLISHED) !== 0;
  }

  #areBothEstablished(part: KnownPart, token: number): boolean {
    return this.#isEstablished(part) && (this.#table.flagsOf(token) & TOKEN_ESTABLISHED) !== 0;
  }

  /** Anna is not Inna misspelled: most short names are one letter from another name. */
  #areShortNames({ text, flags }: KnownPart, token: number): boolean {
    if (this.#lax || Math.max(text.length, this.#table.textLength(token)) > SHORT_NAME) return false;
    const listed = this.#tokens.text(token);
    if (SYLLABLE.test(text) && SYLLABLE.test(listed)) return false;
    return isBorne(text, flags) && isBorne(listed, this.#table.flagsOf(token));
  }

  /** Bashar is not Bushra misspelled, if both are known names. */
  #areOtherNames({ text }: KnownPart, token: number): boolean {
    const length = Math.max(text.length, this.#table.textLength(token));
    if (this.#lax || length <= SHORT_NAME || !isTableName(text)) return false;
    return areTwoNames(text, this.#tokens.text(token));
  }

  /** Karla is not Karl misspelled, or vice versa. */
  #areTwoGenders({ text, flags, codes }: KnownPart, token: number): boolean {
    if (this.isOtherGender(text, token)) return true;
    const longer = codes.length - this.#table.textLength(token);
    if (this.#lax || Math.abs(longer) !== 1) return false;
    const masculine = longer > 0 ? this.#table.flagsOf(token) : flags;
    if ((masculine & TOKEN_ESTABLISHED) === 0) return false;
    const listed = this.#tokens.text(token);
    return longer > 0 ? isFeminineOf(text, listed) : isFeminineOf(listed, text);
  }

  /** A pharma is not a farm misspelled. */
  #areTwoWords(part: KnownPart, token: number): boolean {
    if (this.areTwoPlaces(part, token) || this.isOtherAcronym(part.text, token)) return true;
    const listed = this.#tokens.text(token);
    const areTrades = !this.#lax && (part.flags & this.#table.flagsOf(token) & TOKEN_BUSINESS) !== 0;
    return areTrades && !listed.startsWith(part.text) && !part.text.startsWith(listed);
  }

  /** Returns whether a listed name has this acronym. */
  #isAcronym(text: string): boolean {
    return text.length <= MAX_ACRONYM && this.#tokens.find(ACRONYM_MARK + text) !== undefined;
  }
}

/** One typo in a short part, two in a long one. More make another name. */
function slipsAllowed(length: number, loosely: boolean): number {
  if (loosely) return Math.min(2.2, LOOSE_SHARE * length);
  if (length >= 8) return 2.2;
  return length >= 6 ? 1.6 : 1;
}

/** Returns whether the name is in the tables or frequent in the list. */
function isBorne(text: string, flags: number): boolean {
  return (flags & TOKEN_ESTABLISHED) !== 0 || isKnownName(text);
}
