// Finds legal forms in a name, in any spelling: `sp. z o.o.`, `S.à r.l.`, `Общество с …`, `(株)`.
import { type FoldedPart, foldName } from '../fold-name.ts';
import { LEGAL_FORM_GROUPS, type LegalGroup, ONLY_AT_THE_END, ONLY_AT_THE_ENDS } from '../tables/legal-forms.ts';
import { words } from '../tables/words.ts';
import { unifyRomanization } from './plain-romanisation.ts';

interface LegalForm {
  words: readonly string[];
  group: LegalGroup;
  /** Position in which it counts: anywhere, at either end, or only at the end. */
  place: 'anywhere' | 'ends' | 'end';
}

export interface FoundForm {
  group: LegalGroup;
  /** Number of words. */
  length: number;
}

/** Words of all forms in unifyRomanization's spelling. */
interface Tables {
  byFirstWord: Map<string, LegalForm[]>;
  /** Abbreviations without spaces and full stops: `S.à r.l.` arrives as `sa` and `rl`. */
  bySqueezed: Map<string, LegalForm>;
  slips: Map<string, string>;
  /** Misspellings of frequent short forms. They count at the end of a name. */
  misspelt: Map<string, LegalForm>;
  /** Forms that only count with their full stops. */
  dotted: Set<string>;
}

/** Minimum length from which one wrong letter is tolerated. */
const MIN_LENGTH_FOR_SLIPS = 9;
const MIN_PLAIN_LENGTH_FOR_SLIPS = 8;
/** Minimum length of a form joined from pieces this short. Otherwise initials would form one. */
const MAX_PIECE = 2;
const MIN_SQUEEZED = 3;
/** `S de R L de C V`. */
const MAX_SQUEEZED = 9;
/** Spaced two-letter forms. At the end of a name they are not initials. */
const SPACED = new Set(words('bv nv ag sa kg'));
/** Frequently misspelled forms, and misspellings of forms that are too short for a rule. */
const OFTEN_MISSPELT = words('limited company');
const SHORT_SLIPS: Readonly<Record<string, string>> = {
  ltd: 'ldt ltdd lltd lted tld',
  llc: 'lcc llcc lllc',
  gmbh: 'gmhb gbmh ghmb gmbhh',
};

const onlyAtTheEnd = new Set(words(ONLY_AT_THE_END));

let compiled: Tables | undefined;

/** Prefix for words that must not be confused with Latin ones after folding. */
const OTHER_SCRIPT = '~';
const CYRILLIC = /\p{Script=Cyrillic}/u;

/**
 * Returns the words of a name for the search for legal forms. Chinese and Korean characters,
 * vowelless consonants and ambiguous pairs of Cyrillic letters must not match words of other
 * scripts. Bracketed characters and a few initials with full stops are marked.
 */
export function legalFormTexts(parts: readonly FoldedPart[], name: string): string[] {
  return textsOf(parts, name, tables().dotted);
}

function textsOf(parts: readonly FoldedPart[], name: string, dotted: ReadonlySet<string> | undefined): string[] {
  return parts.map(({ text, syllabic, vowelless, start, end }) => {
    if (syllabic) return `${OTHER_SCRIPT}${isBracketed(name, start, end) ? `(${text})` : text}`;
    if (vowelless && /^[a-z]/.test(text)) return OTHER_SCRIPT + text;
    if (onlyAtTheEnd.has(text) && CYRILLIC.test(name.slice(start, end))) return OTHER_SCRIPT + text;
    return dotted?.has(text) && name.slice(start, end).includes('.') ? `${text}.` : text;
  });
}

/** Includes signs that combine brackets and a character. */
function isBracketed(name: string, start: number, end: number): boolean {
  const around = name.charAt(start - 1) + name.charAt(end);
  return around === '()' || around === '()' || /^[㈱㈲㈜]$/.test(name.slice(start, end));
}

/**
 * Returns the longest legal form starting at each word, and after which words only legal forms
 * follow: one entry more than words.
 */
export function findLegalForms(texts: readonly string[]): { forms: (FoundForm | undefined)[]; isTail: boolean[] } {
  const possible = texts.map((_, at) => formsAt(texts, at));
  const isTail = new Array<boolean>(texts.length + 1).fill(false);
  isTail[texts.length] = true;
  for (let at = texts.length - 1; at >= 0; at -= 1)
    isTail[at] = possible[at]!.some(({ words: { length } }) => isTail[at + length]!);
  // A name is never only its legal form: if it could be, its first word is the name.
  const isHead = new Array<boolean>(texts.length + 1).fill(false);
  isHead[0] = !isTail[0];
  const forms = texts.map((_, at) => {
    for (const { words: taken, group, place } of possible[at]!) {
      const length = taken.length;
      const isEnd = isTail[at + length]! && at > 0;
      if (!(place === 'anywhere' || isEnd || (place === 'ends' && isHead[at]!))) continue;
      if (isHead[at]) isHead[at + length] = true;
      return { group, length };
    }
    return undefined;
  });
  return { forms, isTail };
}

/** Longest first, at any position. */
function formsAt(texts: readonly string[], at: number): LegalForm[] {
  const { byFirstWord, bySqueezed, slips } = tables();
  const word = texts[at]!;
  const plain = unifyRomanization(word);
  const found: LegalForm[] = [];
  for (const form of byFirstWord.get(plain) ?? byFirstWord.get(rightSpelling(plain, slips)) ?? []) {
    const { length } = form.words;
    if (at + length > texts.length) continue;
    if (form.words.every((other, place) => place === 0 || isWord(texts[at + place]!, other, slips))) found.push(form);
  }
  const misspelt = found.length === 0 ? tables().misspelt.get(word) : undefined;
  if (misspelt) found.push({ ...misspelt, words: [word], place: 'end' });
  let squeezed = lettersOf(word);
  const sign = word.slice(0, word.length - squeezed.length);
  for (let end = at + 1; end < texts.length && lettersOf(texts[end - 1]!).length <= MAX_PIECE; end += 1) {
    const letters = lettersOf(texts[end]!);
    if (letters.length > MAX_PIECE) break;
    squeezed += letters;
    if (squeezed.length > MAX_SQUEEZED) break;
    const form = bySqueezed.get(sign + squeezed);
    if (form) found.push({ ...form, words: texts.slice(at, end + 1), ...(SPACED.has(squeezed) && { place: 'end' }) });
  }
  return found.length > 1 ? found.sort((a, b) => b.words.length - a.words.length) : found;
}

function lettersOf(text: string): string {
  return text.startsWith(OTHER_SCRIPT) ? text.slice(OTHER_SCRIPT.length) : text;
}

/** Joins several words into one, in the script of the first. */
function joinTexts(texts: readonly string[]): string {
  const sign = texts[0]!.startsWith(OTHER_SCRIPT) ? OTHER_SCRIPT : '';
  return sign + texts.map(lettersOf).join('');
}

function isWord(word: string, wanted: string, slips: Map<string, string>): boolean {
  if (word === wanted) return true;
  const plain = unifyRomanization(word);
  return plain === wanted || (wanted.length >= MIN_PLAIN_LENGTH_FOR_SLIPS && rightSpelling(plain, slips) === wanted);
}

function rightSpelling(plain: string, slips: Map<string, string>): string {
  if (plain.length < MIN_PLAIN_LENGTH_FOR_SLIPS - 1) return '';
  const known = slips.get(plain);
  if (known !== undefined) return known;
  for (let omit = 0; omit < plain.length; omit += 1) {
    const found = slips.get(plain.slice(0, omit) + plain.slice(omit + 1));
    if (found !== undefined) return found;
  }
  return '';
}

function tables(): Tables {
  compiled ??= compile(); // on first use, because not every user of the package screens
  return compiled;
}

function compile(): Tables {
  const found: Tables = {
    byFirstWord: new Map(),
    bySqueezed: new Map(),
    slips: new Map(),
    misspelt: new Map(),
    dotted: new Set(),
  };
  const foldAll = (block: string) =>
    new Set(
      words(block).map((word) =>
        foldName(word)
          .map(({ text }) => text)
          .join(''),
      ),
    );
  const atEnds = foldAll(ONLY_AT_THE_ENDS);
  const file = (texts: readonly string[], group: LegalGroup) => {
    const joined = joinTexts(texts);
    const letters = lettersOf(joined);
    const place = onlyAtTheEnd.has(letters) ? 'end' : atEnds.has(letters) ? 'ends' : 'anywhere';
    const form: LegalForm = { words: texts.map(unifyRomanization), group, place };
    const [first] = form.words;
    found.byFirstWord.set(first!, [...(found.byFirstWord.get(first!) ?? []), form]);
    const isLongEnough = letters.length >= MIN_SQUEEZED || SPACED.has(letters);
    const isShort = isLongEnough && letters.length <= MAX_SQUEEZED && /^[a-z]+$/.test(letters);
    if (isShort && texts.every((text) => lettersOf(text).length <= MAX_PIECE || texts.length === 1))
      found.bySqueezed.set(joined, found.bySqueezed.get(joined) ?? form);
  };
  for (const [group, block] of Object.entries(LEGAL_FORM_GROUPS) as [LegalGroup, string][]) {
    for (const phrase of block.split(',').map((text) => text.trim())) {
      const texts = textsOf(foldName(phrase), phrase, undefined);
      if (texts.length === 0) continue;
      const joined = joinTexts(texts);
      if (phrase.includes('.')) {
        found.dotted.add(joined);
        file([`${joined}.`], group);
        continue;
      }
      file(texts, group);
      // The initials of `S.R.L.` arrive joined, and so do those of `S.A. E.S.P.`.
      if (texts.length > 1 && texts.every((text) => lettersOf(text).length === 1)) file([joined], group);
      else if (texts.length > 1 && areAbbreviations(texts, joined)) file([joined], group);
      for (const word of texts) if (word.length >= MIN_LENGTH_FOR_SLIPS) addSlips(unifyRomanization(word), found.slips);
    }
  }
  const asMisspelt = (slips: readonly string[], right: string) => {
    const form = found.byFirstWord.get(unifyRomanization(right))?.find(({ words: { length } }) => length === 1);
    for (const slip of slips)
      if (form && !found.byFirstWord.has(unifyRomanization(slip))) found.misspelt.set(slip, form);
  };
  for (const word of OFTEN_MISSPELT) asMisspelt(slipsOf(word), word);
  for (const [word, slips] of Object.entries(SHORT_SLIPS)) asMisspelt(words(slips), word);
  return found;
}

/** A letter omitted, doubled, swapped, or a different vowel, except the first letter. */
function slipsOf(word: string): string[] {
  const places = [...word].map((letter, at) => ({ letter, before: word.slice(0, at), behind: word.slice(at + 1) }));
  return places
    .slice(1)
    .flatMap(({ letter, before, behind }) => [
      before + behind,
      before + letter + letter + behind,
      ...(behind === '' ? [] : [before + behind.charAt(0) + letter + behind.slice(1)]),
      ...('aeiouy'.includes(letter) ? [...'aeiouy'].map((vowel) => before + vowel + behind) : []),
    ]);
}

/** Joined forms that are long enough to be unambiguous: `SdnBhd`. */
function areAbbreviations(texts: readonly string[], joined: string): boolean {
  return joined.length >= 5 && texts.every(({ length }) => length <= 4);
}

function addSlips(word: string, slips: Map<string, string>): void {
  if (word.length < MIN_PLAIN_LENGTH_FOR_SLIPS) return;
  slips.set(word, word);
  for (let omit = 0; omit < word.length; omit += 1) {
    const slip = word.slice(0, omit) + word.slice(omit + 1);
    if (!slips.has(slip)) slips.set(slip, word);
  }
}

/** Minimum length of the remaining name: four letters, or five for a form of two. */
const MAX_GLUED = 11;
const MIN_BEFORE_TWO = 5;

const MIN_GLUED_IN_FRONT = 3;

/**
 * Returns the start of the name in a word that opens with a legal form: `OOOOrvelia`,
 * `PJSCOrvelprom`. Tries the longest forms first.
 */
export function namesBehindLegalForm(word: string): number[] {
  const { byFirstWord } = tables();
  const cuts: number[] = [];
  for (let cut = Math.min(word.length - 4, MAX_GLUED); cut >= MIN_GLUED_IN_FRONT; cut -= 1) {
    const isForm = byFirstWord
      .get(unifyRomanization(word.slice(0, cut)))
      ?.some(({ words: { length }, place }) => length === 1 && place !== 'end');
    if (isForm) cuts.push(cut);
  }
  return cuts;
}

/** Returns the start of an attached legal form at the end (`SiemensAG`), or 0. */
export function gluedLegalForm(word: string): number {
  for (let cut = Math.max(4, word.length - MAX_GLUED); cut <= word.length - 2; cut += 1) {
    const isLong = word.length - cut > 2 || cut >= MIN_BEFORE_TWO;
    if (isLong && isLegalWord(word.slice(cut))) return cut;
  }
  return 0;
}

/** Returns whether a word is a legal form by itself. */
export function isLegalWord(word: string): boolean {
  return (
    tables()
      .byFirstWord.get(unifyRomanization(word))
      ?.some(({ words: texts }) => texts.length === 1) ?? false
  );
}
