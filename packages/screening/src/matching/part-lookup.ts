// Finds the listed name parts that a part of a query may be taken for.
import { letterBit } from '../index/name-flags.ts';
import { type ScreeningIndex, textOfToken } from '../index/screening-index.ts';
import { BITS_SCALE, tellingBits } from '../index/telling-bits.ts';
import { type CyrillicReading, cyrillicReadings } from '../names/cyrillic-spellings.ts';
import { editCost, lettersOf, mayCost } from '../names/edit-cost.ts';
import { ACRONYM_MARK, isMarked } from '../names/organisation/marks.ts';
import { derivedForms, organisationFormsOf } from '../names/organisation/word-forms.ts';
import {
  classifyPart,
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
import { beginningKey, canonicalKey, exactKey, readingKey, similarKeys, skeletonKey } from '../names/part-keys.ts';
import { weightOf } from '../names/part-weight.ts';
import { readsAs } from '../names/script-reading.ts';
import { canonicalSpelling, consonantSkeleton } from '../names/spelling.ts';
import {
  areTwoNames,
  genderForms,
  isFeminineOf,
  isKnownName,
  isSpelling,
  isTableName,
  isWomanInE,
  type NameForm,
  otherFormsOf,
  otherGenderOf,
  patronymicForms,
  strokeForms,
} from '../names/variants.ts';
import {
  ACRONYM,
  BOTH_ESTABLISHED_COST,
  LEAST_SIMILARITY,
  type Likeness,
  NEAR,
  NEAR_COST,
  NICKNAME,
  nearness,
  ONE_SLIP,
  OTHER_FORM,
  OTHER_SCRIPT,
  SAME,
  SIMILARITY,
  SLIP,
  SOUND,
  SPELLING,
  slipsAllowed,
  spellingSimilarity,
} from './likeness.ts';
import { createNeighbourFinder } from './neighbours.ts';
import type { PartNames } from './part-names.ts';
import type { QueryPart } from './query.ts';
import { remember } from './remember.ts';
import { scriptSimilarity } from './script-likeness.ts';
import type { TokenTable } from './token-table.ts';
import { createCutFinder, createPieceFinder } from './word-cuts.ts';

/** A part of a query with everything that can be known of it before names are looked at. */
export interface KnownPart {
  text: string;
  vowelless: boolean;
  /** ASCII codes of the text and of its canonical spelling. */
  codes: Uint8Array;
  canonical: Uint8Array;
  flags: number;
  /** What it adds to a score when it is in one name alone. */
  weight: number;
  bits: number;
  /** Similar tokens, the best likeness of each. */
  tokens: Uint32Array;
  similarities: Float64Array;
  likenesses: Uint8Array;
  /** What meeting each of them tells: the less, the more tokens are as similar as this one. */
  evidence: Float64Array;
  /** Names that hold one of the tokens, some counted twice. */
  postings: number;
  /** Once they were asked for, see part-names.ts. */
  names: PartNames | undefined;
  /** All letters of the text and of its canonical spelling. */
  textLetters: number;
  canonicalLetters: number;
  /** The first ones of both, as in name-flags.ts. */
  firstLetters: number;
}

export interface PartLookup {
  readonly readAhead: number;
  /** In the name of a person. */
  find(part: Pick<QueryPart, 'text' | 'vowelless' | 'script'>): KnownPart;
  /** In the name of an organisation, a ship or an aircraft, where words have translations and abbreviations. */
  findWord(text: string, vowelless: boolean): KnownPart;
  /** Whether the letters leave it open that a part and a token begin alike, or that the two below find anything. */
  mayBeginAlike(part: KnownPart, token: number): boolean;
  mayBeSimilar(part: KnownPart, token: number, loosely: boolean): boolean;
  mayBeNear(part: KnownPart, token: number): boolean;
  /** How near a part is to a token that it was not taken for, 0 for far. */
  nearness(part: KnownPart, token: number): number;
  /** Whether both are countries or regions. */
  areTwoPlaces(part: KnownPart, token: number): boolean;
  /** Compares one part with one token directly, for pairs that no look-up key brings together. */
  compare(part: KnownPart, token: number, loosely: boolean): number;
  /** Whether a part is listed as it is or in another spelling; cheaper than finding all that are similar. */
  isListed(text: string): boolean;
  /** Whether a part is listed that begins alike, is about as long, and differs in vowels and doubled letters alone. */
  isSounded(text: string): boolean;
  /** Whether it is listed as it is. */
  isWritten(text: string): boolean;
  /** Where a part can be cut into two that are listed. */
  cutsOf(text: string): readonly number[];
  /** The three or more listed parts that it is made of, if it is. */
  piecesOf(text: string): readonly string[];
  /** The words that make it in the name of an organisation, a ship or an aircraft, one behind the other. */
  neighboursOf(text: string): readonly string[][];
}

const MAX_SIMILAR = 32;
/** Parts of which the smallest difference is a difference. */
const NEVER_NEAR =
  TOKEN_VOWELLESS | TOKEN_INITIAL | TOKEN_LEGAL | TOKEN_NUMBER | TOKEN_ACRONYM | TOKEN_CODE | TOKEN_PARTICLE;
/** Ends a look-up among more similar parts than any list but a crafted one has. */
const MAX_COMPARED = 4_000;
/** Tokens that are compared in one go. */
const AT_ONCE = 32;

/** Fewer consonants are in too many names. */
const MIN_SOUNDED = 3;

/** Taken off where a word begins otherwise, besides what it is for names of people. */
const FIRST_LETTER_OF_WORD = 0.005;
/** Longer words are no letters that stand for others. */
const MAX_ACRONYM = 6;

const E = 0x65;

const NO_TOKENS = new Uint32Array();
const NO_NUMBERS = new Float64Array();
const NO_LIKENESSES = new Uint8Array();
const NO_READINGS: readonly CyrillicReading[] = [];

/** Syllables such as Wu, Ho and Ng stand for so many family names that they say little. */
const SHORT_FORM = 4;
/** Names up to this long have so many neighbours that a known one is not taken for another. */
const SHORT_NAME = 5;
/** Of Chinese and Korean names, which everybody romanises otherwise: `pong` and `pyong` are one as often as two. */
const SYLLABLE =
  /^(?:[b-df-hj-np-tv-z]{1,2})[yw]?(?:[aeiou]|ae|eo|eu|ui|ai|ei|ao|ou|ia|ie|iu|ua|uo|oo|ee)(?:n|ng|k|l|m|p|t)?$/;

/** `lax` takes a part for everything that is similar, however much that is, and well-known names for misspelled ones. */
export function createPartLookup(
  index: ScreeningIndex,
  table: TokenTable,
  { lax }: { lax: boolean } = { lax: false },
): PartLookup {
  const { sections, entityCount } = index;
  const { keyOffsets, keyTokens, keyTags, tokenText, canonText, tokenBits, postingOffsets } = sections;
  const bucketMask = keyOffsets.length - 2;
  /** Tokens that were compared in this search have its number as their mark. */
  let search = 0;
  /** Tokens that wait to be compared, and where what is read ahead ends up; what nobody could ask for would not be read. */
  const waiting = new Uint32Array(AT_ONCE);
  let readAhead = 0;

  function textEquals(token: number, text: string): boolean {
    return equals(tokenText, table.textFrom(token), table.textLength(token), text);
  }
  function canonEquals(token: number, canonical: string): boolean {
    return equals(canonText, table.canonicalFrom(token), table.canonicalLength(token), canonical);
  }
  const textOf = (token: number) => textOfToken(sections, token);
  const isEstablished = ({ flags }: KnownPart) => !lax && (flags & TOKEN_ESTABLISHED) !== 0;
  const areBothEstablished = (part: KnownPart, token: number) =>
    isEstablished(part) && (table.flagsOf(token) & TOKEN_ESTABLISHED) !== 0;

  /** Anna is not Inna misspelled: of short names that people bear, most are a letter from another one. */
  function areShortNames({ text, flags }: KnownPart, token: number): boolean {
    if (lax || Math.max(text.length, table.textLength(token)) > SHORT_NAME) return false;
    const listed = textOf(token);
    if (SYLLABLE.test(text) && SYLLABLE.test(listed)) return false;
    return isBorne(text, flags) && isBorne(listed, table.flagsOf(token));
  }

  /** Nor is Bashar Bushra misspelled, where both are known to be names. Of short ones that is said above. */
  function areOtherNames({ text }: KnownPart, token: number): boolean {
    if (lax || Math.max(text.length, table.textLength(token)) <= SHORT_NAME || !isTableName(text)) return false;
    return areTwoNames(text, textOf(token));
  }

  /** What is known of the two is looked at last: most are too far from one another for it to matter. */
  function nameSimilarity(part: KnownPart, token: number, loosely: boolean): number {
    const areEstablished = areBothEstablished(part, token);
    const similarity = similarityTo(part, token, areEstablished, loosely);
    if (similarity === 0 || areTwoGenders(part, token)) return 0;
    return !areEstablished && (areShortNames(part, token) || areOtherNames(part, token))
      ? similarityTo(part, token, true, loosely)
      : similarity;
  }

  function similarityTo(
    { codes, canonical }: KnownPart,
    token: number,
    areTwoNames: boolean,
    loosely: boolean,
  ): number {
    const from = table.textFrom(token);
    const canonicalFrom = table.canonicalFrom(token);
    return spellingSimilarity(
      codes,
      canonical,
      tokenText,
      from,
      from + table.textLength(token),
      canonText,
      canonicalFrom,
      canonicalFrom + table.canonicalLength(token),
      areTwoNames,
      loosely,
    );
  }

  /** What a comparison would find out is mostly plain from the letters. */
  function mayBeSimilar(part: KnownPart, token: number, loosely: boolean): boolean {
    const length = Math.min(part.codes.length, table.textLength(token));
    return maySpell(part, token, slipsAllowed(length, loosely));
  }

  /** The same where nothing is taken loosely: what begins otherwise, and what are two names that people bear, must be closer. */
  function mayBeSpelledAlike(part: KnownPart, token: number): boolean {
    const limit = areBothEstablished(part, token)
      ? BOTH_ESTABLISHED_COST
      : slipsAllowed(Math.min(part.codes.length, table.textLength(token)), false);
    return maySpell(part, token, mayBeginAlike(part, token) ? limit : Math.min(limit, ONE_SLIP));
  }

  function mayBeginAlike({ firstLetters }: KnownPart, token: number): boolean {
    return (firstLetters & table.firstLettersOf(token)) !== 0;
  }

  function maySpell(part: KnownPart, token: number, limit: number): boolean {
    return (
      mayCost(part.textLetters, table.textLettersOf(token), limit) ||
      mayCost(part.canonicalLetters, table.canonicalLettersOf(token), limit)
    );
  }

  function forTokens(key: number, visit: (token: number) => void): void {
    const bucket = key & bucketMask;
    const end = keyOffsets[bucket + 1]!;
    for (let at = keyOffsets[bucket]!; at < end; at += 1) {
      if (keyTags[at] === key >>> 24) visit(keyTokens[at]!);
    }
  }

  /** The same for many keys, whose tokens lie all over memory: read for several side by side, as in candidates.ts. */
  function forTokensOf(keys: readonly number[], visit: (token: number) => void): void {
    let sum = 0;
    for (const key of keys) sum += keyOffsets[key & bucketMask]!;
    for (const key of keys) sum += keyTags[keyOffsets[key & bucketMask]!]! + keyTokens[keyOffsets[key & bucketMask]!]!;
    readAhead = sum;
    let waits = 0;
    const visitWaiting = () => {
      let read = 0;
      for (let at = 0; at < waits; at += 1) read += table.markOf(waiting[at]!);
      for (let at = 0; at < waits; at += 1)
        read += tokenText[table.textFrom(waiting[at]!)]! + canonText[table.canonicalFrom(waiting[at]!)]!;
      readAhead = read;
      for (let at = 0; at < waits; at += 1) visit(waiting[at]!);
      waits = 0;
    };
    for (const key of keys) {
      forTokens(key, (token) => {
        waiting[waits] = token;
        waits += 1;
        if (waits === AT_ONCE) visitWaiting();
      });
    }
    visitWaiting();
  }

  function searchFor(text: string, vowelless: boolean, formsOf: FormsOf, script?: string): KnownPart {
    search += 1;
    const codes = codesOf(text);
    const canonicalText = canonicalSpelling(text);
    const canonical = codesOf(canonicalText);
    const part: KnownPart = {
      text,
      vowelless,
      codes,
      canonical,
      flags: classifyPart(text, vowelless),
      weight: 0,
      bits: 0,
      tokens: NO_TOKENS,
      similarities: NO_NUMBERS,
      likenesses: NO_LIKENESSES,
      evidence: NO_NUMBERS,
      postings: 0,
      names: undefined,
      textLetters: lettersOf(codes),
      canonicalLetters: lettersOf(canonical),
      firstLetters: letterBit(codes[0]!) | letterBit(canonical[0]!),
    };
    const tokens: number[] = [];
    const similarities: number[] = [];
    const likenesses: Likeness[] = [];
    const add = (token: number, similarity: number, likeness: Likeness) => {
      table.setMark(token, search);
      tokens.push(token);
      similarities.push(similarity);
      likenesses.push(likeness);
    };
    const isNew = (token: number) => table.markOf(token) !== search;
    const isVowelless = (token: number) => (table.flagsOf(token) & TOKEN_VOWELLESS) !== 0;

    const addExact = (wanted: string, similarity: number, likeness: Likeness) =>
      forTokens(exactKey(wanted), (token) => {
        if (!isNew(token) || isVowelless(token) !== vowelless || !textEquals(token, wanted)) return;
        add(token, similarity, likeness);
        part.flags |= table.flagsOf(token) & TOKEN_ESTABLISHED;
      });
    if (isMarked(text)) {
      // What was shortened is looked for among words, and what may be short is looked for among what was shortened.
      if (text.startsWith(ACRONYM_MARK)) addExact(text.slice(1), SIMILARITY.acronym, ACRONYM);
      else addExact(text, 1, SAME);
      return finishPart(part, tokens, similarities, likenesses);
    }
    addExact(text, 1, SAME);
    const skeleton = consonantSkeleton(text);
    // Of subjects nobody knows in which script they were written.
    const isRead = (token: number) =>
      script === undefined ? lax && consonantSkeleton(textOf(token)) === skeleton : readsAs(script, textOf(token));
    if (!vowelless) {
      forTokens(canonicalKey(canonicalText), (token) => {
        if (!isNew(token) || isVowelless(token) || !canonEquals(token, canonicalText)) return;
        if (formsOf === formsOfWord && isOtherAcronym(text, token)) return;
        add(token, isRead(token) ? SIMILARITY.known : SIMILARITY.spelling, SPELLING);
      });
      const readings = formsOf === formsOfName ? cyrillicReadings(text) : NO_READINGS;
      for (const { canonical: read } of readings) {
        forTokens(canonicalKey(read), (token) => {
          if (isNew(token) && !isVowelless(token) && canonEquals(token, read))
            add(token, SIMILARITY.transcription, SPELLING);
        });
      }
      // What is listed may be spelled so as well.
      if (formsOf === formsOfName) {
        forTokens(readingKey(canonicalText), (token) => {
          if (isNew(token) && !isVowelless(token) && isReadAs(textOf(token), canonicalText))
            add(token, SIMILARITY.transcription, SPELLING);
        });
      }
      const addForms = (of: string, ofCanonical: string) => {
        for (const form of formsOf(of, ofCanonical)) {
          forTokens(canonicalKey(form.canonical), (token) => {
            if (!isNew(token) || isVowelless(token) || !canonEquals(token, form.canonical)) return;
            if (formsOf === formsOfName && (isOtherName(of, token, form) || isOtherGender(text, token))) return;
            const short = formsOf === formsOfName && Math.min(of.length, form.text.length) <= SHORT_FORM;
            const similarity = form.nickname
              ? SIMILARITY.nickname
              : short
                ? SIMILARITY.shortForm
                : SIMILARITY.otherForm;
            add(token, isRead(token) ? SIMILARITY.known : similarity, form.nickname ? NICKNAME : OTHER_FORM);
          });
        }
      };
      addForms(text, canonicalText);
      for (const reading of readings) addForms(reading.text, reading.canonical);
    }
    let compares = 0;
    forTokensOf(similarKeys(text, skeleton, vowelless), (token) => {
      if (!isNew(token)) return;
      table.setMark(token, search);
      if (vowelless || isVowelless(token)) {
        if (compares++ >= MAX_COMPARED) return;
        const similarity = scriptSimilarity(part, { text: textOf(token), vowelless: isVowelless(token) });
        if (similarity > 0) add(token, similarity, vowelless === isVowelless(token) ? SPELLING : OTHER_SCRIPT);
        return;
      }
      // A full part is never a misspelled particle, nor the reverse.
      if (((part.flags ^ table.flagsOf(token)) & TOKEN_PARTICLE) !== 0) return;
      if (compares++ >= MAX_COMPARED || !mayBeSpelledAlike(part, token)) return;
      const similarity = formsOf === formsOfWord ? wordSimilarity(part, token) : nameSimilarity(part, token, false);
      if (similarity > 0) {
        const alike = similarity > 0.9 && consonantSkeleton(textOf(token)) === skeleton;
        add(token, similarity, alike ? SOUND : SLIP);
      }
    });
    if (formsOf === formsOfWord && !vowelless) {
      addExact(ACRONYM_MARK + text, SIMILARITY.acronym, ACRONYM);
      addBeginnings(part, isNew, add);
    }
    return finishPart(part, tokens, similarities, likenesses);
  }

  /** Iraq is not Iran misspelled; what is the same place by its forms has been found before this is asked. */
  function areTwoPlaces({ flags }: KnownPart, token: number): boolean {
    return (flags & table.flagsOf(token) & TOKEN_PLACE) !== 0;
  }

  /** Neither is a pharma a farm, nor NIOEC a slip of NIOC: of what is short for a name each letter counts. */
  function areTwoWords(part: KnownPart, token: number): boolean {
    if (areTwoPlaces(part, token)) return true;
    if (isOtherAcronym(part.text, token)) return true;
    const listed = textOf(token);
    const areTrades = !lax && (part.flags & table.flagsOf(token) & TOKEN_BUSINESS) !== 0;
    return areTrades && !listed.startsWith(part.text) && !part.text.startsWith(listed);
  }

  function isOtherAcronym(text: string, token: number): boolean {
    return (
      !lax &&
      Math.min(text.length, table.textLength(token)) <= MAX_ACRONYM &&
      (isAcronym(text) || isAcronym(textOf(token)))
    );
  }

  /** Whether a listed name is known by these letters. */
  function isAcronym(text: string): boolean {
    return text.length <= MAX_ACRONYM && tokenOf(exactKey(ACRONYM_MARK + text), ACRONYM_MARK + text) !== undefined;
  }

  /** As written and as spoken together: what has to be spoken otherwise and misspelled as well is mostly another name. */
  function wordSimilarity(part: KnownPart, token: number): number {
    const similarity = similarityTo(part, token, areBothEstablished(part, token), false);
    if (similarity === 0 || areTwoWords(part, token)) return 0;
    if (lax) return similarity;
    const { codes } = part;
    const from = table.textFrom(token);
    const first = codes[0] === tokenText[from] ? 0 : FIRST_LETTER_OF_WORD;
    const cost = editCost(codes, 0, codes.length, tokenText, from, from + table.textLength(token), ONE_SLIP);
    return cost === Number.POSITIVE_INFINITY ? (2 * similarity + LEAST_SIMILARITY) / 3 : similarity - first;
  }

  /** Karla is not Karl misspelled, nor is Karl a slip of hers. */
  function areTwoGenders({ text, flags, codes }: KnownPart, token: number): boolean {
    if (isOtherGender(text, token)) return true;
    const longer = codes.length - table.textLength(token);
    if (lax || Math.abs(longer) !== 1) return false;
    const masculine = longer > 0 ? table.flagsOf(token) : flags;
    if ((masculine & TOKEN_ESTABLISHED) === 0) return false;
    return longer > 0 ? isFeminineOf(text, textOf(token)) : isFeminineOf(textOf(token), text);
  }

  /** Whether what sounds like another form of a name is known to be none. */
  function isOtherName(text: string, token: number, form: NameForm): boolean {
    return isOtherGender(text, token) || !isSpelling(textOf(token), form);
  }

  /** Michelle is not Michael, nor Simone Simon. */
  function isOtherGender(text: string, token: number): boolean {
    if (lax) return false;
    const other = otherGenderOf(text);
    if (other !== undefined && textEquals(token, other)) return true;
    const length = table.textLength(token);
    const longer = text.length - length;
    if (longer === 0 || Math.abs(longer) > 2) return false;
    if (longer > 0) return text.endsWith('e') && isWomanInE(text, textOf(token));
    return tokenText[table.textFrom(token) + length - 1] === E && isWomanInE(textOf(token), text);
  }

  /** Words that begin alike and differ in two letters. */
  function addBeginnings(part: KnownPart, isNew: (token: number) => boolean, add: AddToken): void {
    const key = beginningKey(part.text);
    if (key === undefined) return;
    let compares = 0;
    forTokens(key, (token) => {
      if (!isNew(token) || compares >= MAX_COMPARED || areTwoPlaces(part, token)) return;
      compares += 1;
      const similarity = nearnessOf(part, token);
      if (similarity > 0) add(token, similarity, NEAR);
    });
  }

  function nearnessOf(part: KnownPart, token: number): number {
    const { codes, vowelless, flags } = part;
    if (((flags | table.flagsOf(token)) & NEVER_NEAR) !== 0 || vowelless) return 0;
    if (!mayCost(part.textLetters, table.textLettersOf(token), NEAR_COST)) return 0;
    const from = table.textFrom(token);
    return nearness(codes, tokenText, from, from + table.textLength(token));
  }

  function finishPart(part: KnownPart, ...similar: [number[], number[], Likeness[]]): KnownPart {
    rankTokens(part, ...similar);
    part.bits = bitsOf(part);
    part.weight = weightOf(part.flags, part.bits);
    return part;
  }

  /**
   * Puts the most similar first, and leaves the farthest out: in a list of millions a short part has hundreds of
   * neighbours. What meeting a token tells is the share of all tokens that are at least as similar.
   */
  function rankTokens(part: KnownPart, tokens: number[], similarities: number[], likenesses: Likeness[]): void {
    const order = similarities.map((_, at) => at).sort((a, b) => similarities[b]! - similarities[a]!);
    const count = lax ? order.length : Math.min(order.length, MAX_SIMILAR);
    part.tokens = new Uint32Array(count);
    part.similarities = new Float64Array(count);
    part.likenesses = new Uint8Array(count);
    part.evidence = new Float64Array(count);
    let share = 0;
    for (let at = 0; at < count; at += 1) {
      const token = tokens[order[at]!]!;
      const own = 2 ** (-tokenBits[token]! / BITS_SCALE);
      // Among subjects nobody knows how many of the others a list would have: each is as telling as it can be.
      share = lax ? own : share + own;
      part.tokens[at] = token;
      part.similarities[at] = similarities[order[at]!]!;
      part.likenesses[at] = likenesses[order[at]!]!;
      part.evidence[at] = -Math.log2(Math.min(1, share));
      part.postings += postingOffsets[token + 1]! - postingOffsets[token]!;
    }
  }

  /** Of the part as it is listed, or of what it most likely stands for. */
  function bitsOf({ text, tokens }: KnownPart): number {
    const best = tokens[0];
    return (best === undefined ? tellingBits(text, 0, entityCount) : tokenBits[best]!) / BITS_SCALE;
  }

  function isListed(text: string, wellKnown = false): boolean {
    const canonical = canonicalSpelling(text);
    let found = false;
    forTokens(canonicalKey(canonical), (token) => {
      if (wellKnown && (table.flagsOf(token) & TOKEN_ESTABLISHED) === 0) return;
      found ||= canonEquals(token, canonical);
    });
    return found;
  }

  function isSounded(text: string): boolean {
    const skeleton = consonantSkeleton(text);
    const first = canonicalSpelling(text).charCodeAt(0);
    let found = isListed(text);
    if (found || skeleton.length < MIN_SOUNDED) return found;
    forTokens(skeletonKey(skeleton), (token) => {
      if (found || Math.abs(table.textLength(token) - text.length) > 1) return;
      if (canonText[table.canonicalFrom(token)] !== first || (table.flagsOf(token) & TOKEN_VOWELLESS) !== 0) return;
      found = consonantSkeleton(textOf(token)) === skeleton;
    });
    return found;
  }

  function tokenOf(key: number, text: string): number | undefined {
    let found: number | undefined;
    forTokens(key, (token) => {
      if ((table.flagsOf(token) & TOKEN_VOWELLESS) === 0 && textEquals(token, text)) found = token;
    });
    return found;
  }

  // `mhmd` in Arabic script is not the Latin word `mhmd`.
  const findVowelled = remember((text) => searchFor(text, false, formsOfName));
  const findVowelless = remember((text) => searchFor(text, true, formsOfName));
  const findRead = remember((both) => {
    const [text = '', script] = both.split(' ');
    return searchFor(text, false, formsOfName, script);
  });
  const findVowelledWord = remember((text) => searchFor(text, false, formsOfWord));
  const findVowellessWord = remember((text) => searchFor(text, true, formsOfWord));
  return {
    get readAhead() {
      return readAhead;
    },
    find: ({ text, vowelless, script }) =>
      script === undefined ? (vowelless ? findVowelless : findVowelled)(text) : findRead(`${text} ${script}`),
    findWord: (text, vowelless) => (vowelless ? findVowellessWord : findVowelledWord)(text),
    nearness: nearnessOf,
    areTwoPlaces,
    mayBeginAlike,
    mayBeSimilar: (part, token, loosely) => mayBeSimilar(part, token, loosely && !isEstablished(part)),
    mayBeNear: (part, token) => mayCost(part.textLetters, table.textLettersOf(token), NEAR_COST),
    compare(part, token, loosely) {
      if (part.vowelless || (table.flagsOf(token) & TOKEN_VOWELLESS) !== 0) return 0;
      // A name that people bear is not another one badly misspelled.
      const isLoose = loosely && !isEstablished(part);
      return mayBeSimilar(part, token, isLoose) ? nameSimilarity(part, token, isLoose) : 0;
    },
    isListed: remember((text) => isListed(text)),
    isSounded: remember(isSounded),
    isWritten(text) {
      let found = false;
      forTokens(exactKey(text), (token) => {
        found ||= textEquals(token, text);
      });
      return found;
    },
    cutsOf: createCutFinder(isListed, isSounded),
    piecesOf: createPieceFinder(isListed),
    neighboursOf: createNeighbourFinder(index, tokenOf),
  };
}

type FormsOf = (text: string, canonical: string) => readonly NameForm[];
type AddToken = (token: number, similarity: number, likeness: Likeness) => void;

function formsOfName(text: string, canonical: string): NameForm[] {
  return [...otherFormsOf(text, canonical), ...genderForms(text), ...strokeForms(text), ...patronymicForms(text)];
}

function formsOfWord(text: string, canonical: string): NameForm[] {
  const names = otherFormsOf(text, canonical).filter(({ nickname }) => !nickname);
  return [...organisationFormsOf(canonical), ...derivedForms(text), ...names];
}

/** Whether a listed word is a Cyrillic name in a spelling of which this is the English one. */
function isReadAs(listed: string, canonical: string): boolean {
  return cyrillicReadings(listed).some((reading) => reading.canonical === canonical);
}

/** A name that the tables know, or that many in the list bear. */
function isBorne(text: string, flags: number): boolean {
  return (flags & TOKEN_ESTABLISHED) !== 0 || isKnownName(text);
}

function equals(bytes: Uint8Array, from: number, length: number, text: string): boolean {
  if (length !== text.length) return false;
  for (let at = 0; at < text.length; at += 1) {
    if (bytes[from + at] !== text.charCodeAt(at)) return false;
  }
  return true;
}

/** Quicker than TextEncoder for texts this short. */
function codesOf(text: string): Uint8Array {
  const codes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) codes[at] = text.charCodeAt(at);
  return codes;
}
