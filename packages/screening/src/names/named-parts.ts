// Removes forms of address from a name.
import type { FoldedPart } from './fold-name.ts';
import { classifyPart, TOKEN_PARTICLE, TOKEN_TITLE } from './part-class.ts';
import { isCore } from './part-weight.ts';
import { PATRONYMIC_MARKERS, TITLES, TITLES_ALONE } from './tables/particles.ts';
import { words } from './tables/words.ts';

/** Drops titles if two full parts remain: Dr. Ayman Zawahiri, but not Imam Samudra. */
export function namedParts<Part extends Word>(written: Part[]): Part[] {
  const parts = readAllDigits(written);
  const named = parts.filter((part) => !isTitle(part));
  return named.filter(isFull).length >= 2 ? named : parts;
}

/** Returns the name with titles that may be a family name. Undefined if none was dropped. */
export function withTitles<Part extends Word>(written: Part[]): Part[] | undefined {
  if (!written.some(isTitle)) return undefined;
  const kept = readAllDigits(written).filter((part) => !isTitle(part) || !titlesAlone.has(part.text));
  return kept.some(isTitle) && kept.filter((part) => !isTitle(part) && isFull(part)).length >= 2 ? kept : undefined;
}

/**
 * Marks the family name of a listed name if it looks like a title or a particle: the text before
 * the comma (`AL-CARDINAL, Ashraf`), or the last part (`Umair Naeem Sheikh`). Returns undefined for
 * other names.
 */
export function withFamily(written: FoldedPart[], name: string): FoldedPart[] | undefined {
  const family = familyOf(written, name.indexOf(','));
  if (family === undefined) return undefined;
  return readAllDigits(written)
    .filter((part) => !isTitle(part) || part.start === family.start)
    .map((part) => (part.start === family.start ? { ...part, isFamily: true } : part));
}

function familyOf(parts: readonly FoldedPart[], comma: number): FoldedPart | undefined {
  const before = parts.filter(({ end }) => end <= comma);
  const followingParts = parts.filter((part) => part.start > comma && isFull(part));
  const last = comma < 0 ? parts.at(-1) : before.at(-1);
  const isMinor = comma < 0 || (followingParts.length > 0 && !before.some(isFull));
  return last !== undefined && isMinor && mayBeFamily(last) && followingParts.length >= (comma < 0 ? 2 : 1)
    ? last
    : undefined;
}

function mayBeFamily({ text, vowelless }: Word): boolean {
  if (titlesAlone.has(text) || fathersMarkers.has(text)) return false;
  return text.length > 1 && (classifyPart(text, vowelless) & (TOKEN_TITLE | TOKEN_PARTICLE)) !== 0;
}

interface Word {
  text: string;
  vowelless: boolean;
}

const titlesAlone = new Set(TITLES_ALONE);
const fathersMarkers = new Set(PATRONYMIC_MARKERS);
const titles = new Set(TITLES);
const isTitle = ({ text, vowelless }: Word) => !vowelless && titles.has(text);
const isFull = ({ text, vowelless }: Word) => isCore(classifyPart(text, vowelless));

/** A digit among letters represents its lookalike letter: Ig0r. Ordinals are shorter. */
const SWAPPED = /^(?=.{4})(?=.*[a-z].*[a-z])(?:[a-z]+\d|\d+[a-z])/;
const LOOKS_LIKE: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', 8: 'b' };

function readAllDigits<Part extends { text: string }>(parts: Part[]): Part[] {
  return parts.some(({ text }) => /\d/.test(text)) ? parts.map(readDigits) : parts;
}

function readDigits<Part extends { text: string }>(part: Part): Part {
  if (!SWAPPED.test(part.text)) return part;
  return { ...part, text: part.text.replace(/\d/g, (digit) => LOOKS_LIKE[digit] ?? digit) };
}

const INITIALS = /^[bcdfghjklmnpqrstvwxz]{2,3}$/;
/** Names, titles and parts of names without a vowel. */
const NO_INITIALS = new Set(
  words('ng md mhd mc mr ms dr sr jr st bn vd hj lt sgt cpt grl gnl br ch sh kh th ph dj mst mt'),
);

/** `Badreddine` and `Sirajuddin` are also written `Badr al-Din` and `Siraj ud Din`. */
const OF_THE_FAITH = /^([a-z]{3,}?)(?:ou|[aeiou])dd(?:i|ee|y)ne?$/;

/** Splits `Sirajuddin Orvel` to Siraj al-Din Orvel. Undefined for other names. */
export function splitFaith<Part extends { text: string; vowelless: boolean }>(parts: Part[]): Part[] | undefined {
  if (!parts.some(({ text, vowelless }) => !vowelless && OF_THE_FAITH.test(text))) return undefined;
  return parts.flatMap((part) => {
    const stem = part.vowelless ? undefined : OF_THE_FAITH.exec(part.text)?.[1];
    return stem === undefined ? [part] : [stem, 'al', 'din'].map((text) => ({ ...part, text }));
  });
}

/** Letters with a vowel are initials if the rest is not in capitals. */
const CAPITALS = /^\p{Lu}{2}$/u;
const NO_SYLLABLE = /^[aeiou][bcdfgjkpqrstvxz]$/;
const SMALL_LETTER = /\p{Ll}/u;

/** Splits `JM Fernandez` to J. M. Fernandez. Undefined for other names. */
export function splitInitials<Part extends { text: string; vowelless: boolean }>(
  parts: Part[],
  writtenOf: (part: Part) => string,
): Part[] | undefined {
  const isMixed = parts.some((part) => SMALL_LETTER.test(writtenOf(part)));
  const areInitials = (part: Part) => {
    const { text, vowelless } = part;
    if (vowelless) return false;
    if (INITIALS.test(text) && !NO_INITIALS.has(text) && classifyPart(text, false) === 0) return true;
    return isMixed && NO_SYLLABLE.test(text) && CAPITALS.test(writtenOf(part));
  };
  if (!parts.some(areInitials) || parts.every((part) => areInitials(part) || part.text.length < 3)) return undefined;
  return parts.flatMap((part) => (areInitials(part) ? [...part.text].map((text) => ({ ...part, text })) : [part]));
}
