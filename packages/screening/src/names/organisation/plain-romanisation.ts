// Unifies the romanizations of a word: obshchestvo, obschestvo, obščestvo, obschtschestwo.

/** Minimum length. Shorter words are abbreviations and names, of which each letter counts. */
const MIN_LENGTH = 8;

/** Spellings of one sound, longest first. */
const SOUNDS =
  /schtsch|shtsh|shch|chtch|tsch|shh|sch|sc|sh|tch|tsh|ch|cz|ts|tz|kz|dzh|dj|zh|kh|ck|[iyj]+(?=[aeou])|[iyj]+|[wqx]/g;
const SOUND_OF: Readonly<Record<string, string>> = {
  schtsch: 's',
  shtsh: 's',
  shch: 's',
  chtch: 's',
  shh: 's',
  sch: 's',
  sc: 's',
  sh: 's',
  tsch: 'c',
  tch: 'c',
  tsh: 'c',
  ch: 'c',
  cz: 'c',
  ts: 'c',
  tz: 'c',
  kz: 'kc',
  dzh: 'z',
  dj: 'z',
  zh: 'z',
  kh: 'h',
  ck: 'k',
  w: 'v',
  q: 'k',
  x: 'h',
};
const VOWEL = /[aeou]/;
const DOUBLED = /(.)\1+/g;

/**
 * Returns the same text for every common romanization of a long word, and other words unchanged.
 * Also merges ш and щ, and vowels with and without a preceding y. That is harmless for words of a
 * table, but not for names.
 */
export function unifyRomanization(word: string): string {
  if (word.length < MIN_LENGTH) return word;
  return word
    .replace(SOUNDS, (letters, at: number) => SOUND_OF[letters] ?? semivowel(word, at, letters))
    .replace(DOUBLED, '$1');
}

/** The sign that turns a vowel into я, ю or е is dropped. Elsewhere й, и, ий and ый are one. */
function semivowel(word: string, at: number, letters: string): string {
  return VOWEL.test(word.charAt(at + letters.length)) ? '' : 'i';
}
