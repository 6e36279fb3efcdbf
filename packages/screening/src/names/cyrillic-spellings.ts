// Cyrillic names in the Latin spellings of languages other than English: Jakuschew, Iakouchev and
// Jakuszew are Yakushev.
import { canonicalSpelling } from './spelling.ts';
import {
  CYRILLIC_ENDING,
  CYRILLIC_GIVEN_NAMES,
  ENDING_ABROAD,
  ORTHOGRAPHIES,
  type Orthography,
  WOMEN_IN_INE,
} from './tables/cyrillic-spellings.ts';

/**
 * Minimum lengths: in general, because shorter words may be Asian syllables, and for words that are
 * not known given names.
 */
const MIN_LENGTH = 4;
const MIN_LENGTH_OF_OTHERS = 5;
/** Maximum number of readings per orthography. Every ambiguous letter doubles them. */
const MAX_READINGS = 24;
const MIN_WITH_MUTE_E = 6;

export interface CyrillicReading {
  /** English spelling. */
  text: string;
  canonical: string;
}

const womenInIne = new Set(WOMEN_IN_INE);
const NONE: readonly CyrillicReading[] = [];
/** Given names by canonical spelling, restricted to letters that all languages spell alike. */
let givenNames: { canonical: ReadonlySet<string>; outlines: ReadonlySet<string> } | undefined;

/**
 * Returns the possible English spellings of a Cyrillic name in another language's spelling. Empty
 * if it is no such name. Excludes spellings with the word's own canonical spelling.
 */
export function cyrillicReadings(text: string): readonly CyrillicReading[] {
  if (text.length < MIN_LENGTH || !mayBeCyrillic(text)) return NONE;
  const isLong = text.length >= MIN_LENGTH_OF_OTHERS;
  let found: Map<string, string> | undefined;
  for (const orthography of ORTHOGRAPHIES) {
    if (!orthography.telling.test(text)) continue;
    const isUnmistakable = orthography.unmistakable?.test(text) ?? false;
    for (const reading of readBy(orthography, dropSilentE(text))) {
      if (reading === text) continue;
      const canonical = canonicalSpelling(reading);
      if (!(isGivenName(canonical) || (isLong && (isUnmistakable || CYRILLIC_ENDING.test(reading))))) continue;
      found ??= new Map([[canonicalSpelling(text), '']]);
      if (!found.has(canonical)) found.set(canonical, reading);
    }
  }
  if (found === undefined || found.size === 1) return NONE;
  return [...found].slice(1).map(([canonical, reading]) => ({ text: reading, canonical }));
}

/** Poutine and Setchine are Putin and Sechin, but Sabine and Martine are given names of women. */
function dropSilentE(text: string): string {
  return text.length >= MIN_WITH_MUTE_E && text.endsWith('ine') && !womenInIne.has(text) ? text.slice(0, -1) : text;
}

/** Pre-check that rejects most words without parsing. */
function mayBeCyrillic(text: string): boolean {
  if (ENDING_ABROAD.test(text) || knownGivenNames().outlines.has(toConsonantOutline(text))) return true;
  return ORTHOGRAPHIES.some(({ unmistakable }) => unmistakable?.test(text));
}

function isGivenName(canonical: string): boolean {
  return canonical.length >= MIN_LENGTH && knownGivenNames().canonical.has(canonical);
}

function knownGivenNames() {
  // On first use, because most users of the package do not search.
  givenNames ??= {
    canonical: new Set(CYRILLIC_GIVEN_NAMES.map(canonicalSpelling)),
    outlines: new Set(CYRILLIC_GIVEN_NAMES.map(toConsonantOutline)),
  };
  return givenNames;
}

const SPELLED_ALIKE = 'bdlmnpr';

function toConsonantOutline(text: string): string {
  let outline = '';
  for (const letter of text) if (SPELLED_ALIKE.includes(letter) && !outline.endsWith(letter)) outline += letter;
  return outline;
}

function readBy({ sounds }: Orthography, text: string): string[] {
  let readings = [''];
  for (let at = 0; at < text.length; ) {
    const rule = sounds.find(([written]) => text.startsWith(written, at));
    const options = rule === undefined ? [text.charAt(at)] : rule[1].split(' ');
    readings = options.flatMap((sound) => readings.map((before) => before + sound)).slice(0, MAX_READINGS);
    at += rule?.[0].length ?? 1;
  }
  return readings;
}
