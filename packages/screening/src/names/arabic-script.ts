// Words in Arabic and Hebrew script in Latin letters: names that are known as others write them, of the rest what the script writes.
import anyAscii from 'any-ascii';
import { NAMES_IN_ARABIC_SCRIPT } from './tables/arabic-names.ts';
import { words } from './tables/words.ts';

/** A word, or a piece of one that others write as a word of its own. */
export interface ScriptPiece {
  text: string;
  /** Whether it is only what the script writes of it. */
  vowelless: boolean;
  /** What the script writes, where that is a name that is known. */
  script?: string | undefined;
  /** Where it stands in the word. */
  from: number;
  to: number;
}

const ARABIC = /\p{Script=Arabic}/u;
/** Hebrew words with one consonant or none, which could not be told from others by their consonants. */
const SHORT_HEBREW_WORDS = new Map([
  ['אל', 'al'],
  ['עלי', 'ali'],
  ['יחיא', 'yahya'],
]);

/** What is written together with the word behind it: the article, `for the`, `father of`, `servant of the`. */
const PREFIXES: readonly (readonly [written: RegExp, texts: readonly string[]])[] = [
  [attached('عبدال', 3), ['abd', 'al']],
  [attached('ال', 3), ['al']],
  // The preposition takes the place of the article's first letter: `للتجارة`, for trade.
  [attached('لل', 3), ['lil']],
  [attached('[اأ]بو', 3), ['abu']],
];
/** `سراج‌الدین` is written as one word in Persian and Urdu. */
const SUFFIX = /(?<=.{2})ال(?:د[يی]ن|رحم[اٰ]?ن|حق|اسلام|إسلام)$/u;

let known: Map<string, string> | undefined;

export function foldScript(word: string): ScriptPiece[] {
  return ARABIC.test(word) ? foldArabic(word, 0) : [foldHebrew(word)];
}

function foldArabic(word: string, from: number): ScriptPiece[] {
  const to = from + word.length;
  const plain = unifyArabic(word);
  known ??= knownNames(); // with the first such word, because most who load the package see none
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
  // Where vowel signs are written, the letters are not where they are without.
  if (cut > 0 && plain.length === word.length)
    return [...foldArabic(word.slice(0, cut), from), ...foldArabic(word.slice(cut), from + cut)];
  return [{ text: spellArabic(plain), vowelless: true, from, to }];
}

/** Shorter ones are particles, and the ends of too many words. */
const MIN_JOINED_NAME = 3;

/** Where the second of two known names begins that are written as one word: `محمدعلي`. 0 for other words. */
function cutJoined(plain: string, names: ReadonlyMap<string, string>): number {
  for (let cut = plain.length - MIN_JOINED_NAME; cut >= MIN_JOINED_NAME; cut -= 1)
    if (names.has(plain.slice(0, cut)) && names.has(plain.slice(cut))) return cut;
  return 0;
}

/** A prefix with any vowel signs, before so many letters. */
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

/** Without vowel signs, and with one letter for those that stand for one another in names, in Persian and in Urdu. */
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

/** Letter by letter: `a`, `w` and `y` for long vowels as well as for consonants, `e` for the ayn that others seldom write. */
function spellArabic(plain: string): string {
  const letters = plain
    // The vowel that joins it to the word before it is any.
    .replace(/(?<=..)الله$/, 'لله')
    // Two letters, not the one that others write as `sh` or `kh`.
    .replace(/[سصكدتطزظگ](?=[حه])/g, '$&ع')
    .replaceAll('ا', 'a')
    .replaceAll('ع', 'e')
    .replaceAll('ض', 'dh')
    // Romanised as z nearly everywhere, where the general table has dh.
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
      // A bet has two sounds, of which only one begins a word.
      .replace(/^ב/, 'b')
      // Doubled they are consonants, and one letter all the same.
      .replaceAll('וו', 'ו')
      .replaceAll('יי', 'י')
      // A long vowel in names that come from Arabic: Sinwar.
      .replace(/(?<=.)א/g, 'a')
      // Inside a word a vav is mostly a vowel; three letters have two sounds, of which names have mostly this one.
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
