// One spelling for all the ways in which a word of another script is romanised: obshchestvo, obschestvo, obščestvo, obschtschestwo.

/** Shorter words are abbreviations and names, of which each letter counts. */
const MIN_LENGTH = 8;

/** Letters that stand for one sound, the longest first. */
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
 * The same text for every usual romanisation of a long word; other words as they are. Also told apart no longer: ш and щ, and
 * vowels with and without a y before them. In the words of a table that is no loss, in names it would be.
 */
export function plainRomanisation(word: string): string {
  if (word.length < MIN_LENGTH) return word;
  return word
    .replace(SOUNDS, (letters, at: number) => SOUND_OF[letters] ?? semivowel(word, at, letters))
    .replace(DOUBLED, '$1');
}

/** What makes я, ю and е of a vowel says nothing; elsewhere й, и, ий and ый are one. */
function semivowel(word: string, at: number, letters: string): string {
  return VOWEL.test(word.charAt(at + letters.length)) ? '' : 'i';
}
