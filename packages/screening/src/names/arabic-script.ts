// Romanizes words in Arabic and Hebrew script: known names in their usual spelling, other words
// letter by letter.
import anyAscii from 'any-ascii';
import { NAMES_IN_ARABIC_SCRIPT } from './tables/arabic-names.ts';
import { words } from './tables/words.ts';

/** A word, or a piece of one that is written as a separate word in Latin script. */
export interface ScriptPiece {
  text: string;
  /** Whether the reading is a plain transliteration. */
  vowelless: boolean;
  /** Transliteration, if the word is a known name. */
  script?: string | undefined;
  /** Position in the word. */
  from: number;
  to: number;
}

const ARABIC = /\p{Script=Arabic}/u;
/** Hebrew words with at most one consonant, which consonants alone cannot distinguish. */
const SHORT_HEBREW_WORDS = new Map([
  ['אל', 'al'],
  ['עלי', 'ali'],
  ['יחיא', 'yahya'],
]);

/** Prefixes: the article, `for the`, `father of`, `servant of the`. */
const PREFIXES: readonly (readonly [written: RegExp, texts: readonly string[]])[] = [
  [attached('عبدال', 3), ['abd', 'al']],
  [attached('ال', 3), ['al']],
  // The preposition replaces the article's first letter: `للتجارة`, for trade.
  [attached('لل', 3), ['lil']],
  [attached('[اأ]بو', 3), ['abu']],
];
/** Persian and Urdu write `سراج‌الدین` as one word. */
const SUFFIX = /(?<=.{2})ال(?:د[يی]ن|رحم[اٰ]?ن|حق|اسلام|إسلام)$/u;

let known: Map<string, string> | undefined;

export function foldScript(word: string): ScriptPiece[] {
  return ARABIC.test(word) ? foldArabic(word, 0) : [foldHebrew(word)];
}

function foldArabic(word: string, from: number): ScriptPiece[] {
  const to = from + word.length;
  const plain = unifyArabic(word);
  known ??= knownNames(); // on first use, because most users of the package need no such words
  const name = known.get(plain);
  if (name !== undefined) return [{ text: name, vowelless: false, script: spellArabic(plain), from, to }];
  const suffix = SUFFIX.exec(word)?.index;
  if (suffix !== undefined)
    return [...foldArabic(word.slice(0, suffix), from), ...foldArabic(word.slice(suffix), from + suffix)];
  for (const [written, texts] of PREFIXES) {
    const length = written.exec(word)?.[0].length;
    if (length === undefined) continue;
    const pieces = texts.map((text) => ({ text, vowelless: false, from, to: from + length }));
    return [...pieces, ...foldArabic(word.slice(length), from + length)];
  }
  const cut = cutJoined(plain, known);
  // Vowel signs shift the positions of the letters.
  if (cut > 0 && plain.length === word.length)
    return [...foldArabic(word.slice(0, cut), from), ...foldArabic(word.slice(cut), from + cut)];
  return [{ text: spellArabic(plain), vowelless: true, from, to }];
}

/** Minimum length. Shorter ones are particles and the ends of too many words. */
const MIN_JOINED_NAME = 3;

/** Returns the start of the second of two joined known names (`محمدعلي`), or 0. */
function cutJoined(plain: string, names: ReadonlyMap<string, string>): number {
  for (let cut = plain.length - MIN_JOINED_NAME; cut >= MIN_JOINED_NAME; cut -= 1)
    if (names.has(plain.slice(0, cut)) && names.has(plain.slice(cut))) return cut;
  return 0;
}

/** Matches a prefix with any vowel signs, followed by a minimum number of letters. */
function attached(letters: string, before: number): RegExp {
  const marked = letters.replaceAll(/\[.+?\]|./gu, (letter) => `${letter}\\p{M}*`);
  return new RegExp(`^${marked}(?=(?:\\p{L}\\p{M}*){${before}})`, 'u');
}

function knownNames(): Map<string, string> {
  return new Map(
    Object.entries(NAMES_IN_ARABIC_SCRIPT).flatMap(([text, written]) =>
      words(written).map((word) => [unifyArabic(word), text] as const),
    ),
  );
}

/** Removes vowel signs and unifies interchangeable letters of Persian and Urdu. */
export function unifyArabic(word: string): string {
  return word
    .normalize('NFKC')
    .replace(/[\p{M}ـء]/gu, '')
    .replace(/[أإآٱ]/g, 'ا')
    .replace(/[ىیئېۍےۓ]/g, 'ي')
    .replace(/[ؤۆۇ]/g, 'و')
    .replaceAll('ک', 'ك')
    .replace(/[ةۀھہۃە]/g, 'ه')
    .replaceAll('ٹ', 'ت')
    .replaceAll('ڈ', 'د')
    .replace(/[ڑړ]/g, 'ر');
}

/**
 * Transliterates letter by letter: `a`, `w` and `y` for long vowels and consonants, `e` for the
 * ayn, which is rarely romanized.
 */
function spellArabic(plain: string): string {
  const letters = plain
    // Any vowel may connect it to the previous word.
    .replace(/(?<=..)الله$/, 'لله')
    // Two letters, not the single one romanized as `sh` or `kh`.
    .replace(/[سصكدتطزظگ](?=[حه])/g, '$&ع')
    .replaceAll('ا', 'a')
    .replaceAll('ع', 'e')
    .replaceAll('ض', 'dh')
    // Romanized as z nearly everywhere, unlike dh in the general table.
    .replaceAll('ظ', 'z');
  return toAscii(letters);
}

function foldHebrew(word: string): ScriptPiece {
  const whole = SHORT_HEBREW_WORDS.get(word.replace(/\p{M}/gu, ''));
  return { text: whole ?? toAscii(unifyHebrew(word)), vowelless: whole === undefined, from: 0, to: word.length };
}

function unifyHebrew(word: string): string {
  return (
    word
      .replace(/\p{M}/gu, '')
      // Bet has two sounds, but only one at the start of a word.
      .replace(/^ב/, 'b')
      // Doubled, they are consonants, but still one letter.
      .replaceAll('וו', 'ו')
      .replaceAll('יי', 'י')
      // A long vowel in names of Arabic origin: Sinwar.
      .replace(/(?<=.)א/g, 'a')
      // Within a word, vav is mostly a vowel. Three letters have two sounds, of which names mostly
      // use this one.
      .replace(/(?<=.)ו/g, 'w')
      .replace(/[פף]/g, 'p')
      .replace(/[כך]/g, 'k')
      .replaceAll('ש', 'sh')
  );
}

function toAscii(letters: string): string {
  return anyAscii(letters)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '');
}
