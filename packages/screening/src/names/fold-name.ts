// Splits a name in any script into parts of plain lower-case letters, the form in which names are
// compared.
import anyAscii from 'any-ascii';
import { foldScript } from './arabic-script.ts';

export interface FoldedPart {
  /** `a` to `z` and digits. */
  text: string;
  /** Whether the script writes few or no vowels, so that only consonants can be compared. */
  vowelless: boolean;
  /** A Chinese or Korean character, of which several sound the same. */
  syllabic: boolean;
  /** Position of the part in the original text. */
  start: number;
  end: number;
  /** Initial letters of the original words, if they differ, as in a legal form or a phrase. */
  letters?: string | undefined;
  /** A family name that looks like a title or a particle: Sheikh, Ten, Al-Cardinal. */
  isFamily?: boolean | undefined;
  /** Form in a script without vowels, if the name is known. */
  script?: string | undefined;
}

/** Maximum length of a part. Comparison time grows with it, and real parts are shorter. */
const MAX_PART_LENGTH = 48;
/** Maximum number of parts. The longest listed names have about twelve. */
export const MAX_PARTS = 24;

const APOSTROPHES = /['’‘ʼʻʹ`´ʾʿ]/;
const INVISIBLE = /\p{Cf}/u;
const LETTER_OR_DIGIT = /[\p{L}\p{M}\p{N}]/u;
const HANGUL = /\p{Script=Hangul}/u;
/** Scripts in which each character is a syllable and a separate part. */
const SYLLABIC = /[\p{Script=Han}\p{Script=Hangul}]/u;
const VOWELLESS =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
/** Scripts with separate tables and rules. */
const ARABIC_OR_HEBREW = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

export function foldName(text: string): FoldedPart[] {
  return isAscii(text) ? foldAscii(text) : foldAnyScript(text);
}

function isAscii(text: string): boolean {
  for (let position = 0; position < text.length; position += 1) {
    if (text.charCodeAt(position) > 0x7f) return false;
  }
  return true;
}

function foldAscii(text: string): FoldedPart[] {
  const parts: FoldedPart[] = [];
  const lower = text.toLowerCase();
  let start = -1;
  let apostrophes = false;
  for (let position = 0; position <= lower.length && parts.length < MAX_PARTS; position += 1) {
    const code = position < lower.length ? lower.charCodeAt(position) : 0x20;
    const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
    if (isLetter) {
      if (start < 0) start = position;
    } else if (start >= 0) {
      if (code === 0x27 || code === 0x60) {
        apostrophes = true;
        continue;
      }
      const word = lower.slice(start, Math.min(position, start + 2 * MAX_PART_LENGTH));
      const folded = (apostrophes ? word.replace(/['`]/g, '') : word).slice(0, MAX_PART_LENGTH);
      parts.push({ text: folded, vowelless: false, syllabic: false, start, end: position });
      start = -1;
      apostrophes = false;
    }
  }
  return parts;
}

/** `Đ` is Dj in Serbia and Croatia, and D in Vietnam, as nearly every name there shows. */
const VIETNAMESE = /[ăâêôơưàảãạằắẳẵặầấẩẫậèẻẽẹềếểễệìỉĩịòỏõọồốổỗộờớởỡợùủũụừứửữựỳỷỹỵ]/i;

function foldAnyScript(text: string): FoldedPart[] {
  const parts: FoldedPart[] = [];
  const isDj = /[đĐ]/.test(text) && !VIETNAMESE.test(text.normalize('NFC'));
  let word = '';
  let start = 0;
  let position = 0;
  const endWord = () => {
    if (word !== '') addWord(parts, isDj ? word.replace(/đ/gi, 'dj') : word, start, position);
    word = '';
  };
  for (const character of text) {
    if (parts.length >= MAX_PARTS) return parts;
    if (SYLLABIC.test(character)) {
      endWord();
      addWord(parts, character, position, position + character.length);
    } else if (INVISIBLE.test(character)) {
      // Soft hyphens and joiners occur within words.
    } else if (LETTER_OR_DIGIT.test(character)) {
      if (word === '') start = position;
      if (word.length < 2 * MAX_PART_LENGTH) word += character;
    } else if (!APOSTROPHES.test(character) && !isInsideCompound(text, position)) {
      endWord();
    }
    position += character.length;
  }
  endWord();
  return parts.slice(0, MAX_PARTS);
}

const OF_GOD = /^ (?:الل[هہ])(?![\p{L}\p{M}\p{N}])/u;

/** `عبد الله`, `نصر الله`: two words in Arabic script, one elsewhere. */
function isInsideCompound(text: string, position: number): boolean {
  return OF_GOD.test(text.slice(position, position + 6));
}

function addWord(parts: FoldedPart[], word: string, start: number, end: number): void {
  if (ARABIC_OR_HEBREW.test(word)) {
    for (const { text, vowelless, script, from, to } of foldScript(word)) {
      if (text === '') continue;
      const part: FoldedPart = {
        text: text.slice(0, MAX_PART_LENGTH),
        vowelless,
        syllabic: false,
        start: start + from,
        end,
      };
      if (to < word.length) part.end = start + to;
      if (script !== undefined) part.script = script;
      parts.push(part);
    }
    return;
  }
  const folded = anyAscii(word)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '')
    .slice(0, MAX_PART_LENGTH);
  const text = HANGUL.test(word) ? toUsualKorean(folded) : folded;
  if (text !== '') parts.push({ text, vowelless: VOWELLESS.test(word), syllabic: SYLLABIC.test(word), start, end });
}

/** Lists use Kim Jong Un, not the official Gim Jeong Eun. */
function toUsualKorean(syllable: string): string {
  return syllable.replace('eo', 'o').replace('eu', 'u').replace(/^g/, 'k').replace(/^b/, 'p').replace(/^d/, 't');
}

/**
 * Joins the given name of Chinese and Korean names, which are written by syllable but romanized in
 * one word: 习近平 is xi jin ping, and Xi Jinping. Returns undefined for other names. Assumes a
 * two-syllable family name if there are four.
 */
export function joinSyllables(parts: readonly FoldedPart[], name: string): FoldedPart[] | undefined {
  if (parts.length < 3 || parts.length > 4) return undefined;
  if (!parts.every(({ start, end }) => SYLLABIC.test(name.slice(start, end)))) return undefined;
  const family = parts.length - 2;
  const groups = [parts.slice(0, family), parts.slice(family)];
  return groups.map((group) => ({
    text: group.map(({ text }) => text).join(''),
    vowelless: false,
    syllabic: true,
    start: group[0]!.start,
    end: group.at(-1)!.end,
  }));
}

/**
 * Joins pairs of syllables, because words in names of Chinese and Korean organizations mostly have
 * two: 华为技术 is hua wei ji shu, and Huawei Jishu. Returns undefined for other names. Keeps anything
 * between the syllables.
 */
export function joinPairs<Part extends Pick<FoldedPart, 'syllabic'>>(
  parts: readonly Part[],
  join: (first: Part, second: Part) => Part,
): Part[] | undefined {
  const joined: Part[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const [part, next] = [parts[at]!, parts[at + 1]];
    if (part.syllabic && next?.syllabic) {
      joined.push(join(part, next));
      at += 1;
    } else joined.push(part);
  }
  return joined.length < parts.length ? joined : undefined;
}
