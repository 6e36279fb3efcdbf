// Acronyms of long names: Islamic Revolutionary Guard Corps is IRGC.
import type { FoldedPart } from '../fold-name.ts';
import { classifyPart, TOKEN_LEGAL, TOKEN_PARTICLE } from '../part-class.ts';
import { words } from '../tables/words.ts';
import { ACRONYM_MARK } from './marks.ts';

/** Limits of an acronym: two letters are too ambiguous, and sentences are not abbreviated. */
const MIN_LETTERS = 3;
const MAX_LETTERS = 7;

type Part = Pick<FoldedPart, 'text' | 'vowelless' | 'syllabic' | 'letters'>;

/** Function words besides name particles. Société Nationale Industrielle et Minière is SNIM. */
const PASSED_OVER = new Set(words('et und ve wa va in on to na po dlya per con fur pour para by with from a an'));

/** Returns acronyms with the legal form's letter (`NIOC`) and without it (`IRISL`). */
export function makeAcronyms<Given extends Part>(parts: readonly Given[]): Given[] {
  if (parts.length < MIN_LETTERS || parts.some(({ vowelless, syllabic }) => vowelless || syllabic)) return [];
  const letters = parts.map(({ text, letters: written }) => {
    const flags = classifyPart(text, false);
    if ((flags & TOKEN_PARTICLE) !== 0 || PASSED_OVER.has(text)) return { letter: '', legal: false };
    return { letter: written ?? (/^[a-z]/.test(text) ? text.charAt(0) : ''), legal: (flags & TOKEN_LEGAL) !== 0 };
  });
  const initials = letters.map(({ letter }) => letter).join('');
  const named = letters.map(({ letter, legal }) => (legal ? '' : letter)).join('');
  return [...new Set([named, initials])]
    .filter(({ length }) => length >= MIN_LETTERS && length <= MAX_LETTERS)
    .map((text) => ({ ...parts[0]!, text: ACRONYM_MARK + text }));
}

/** Joins the initials of several words, without function words. */
export function initialsOf(texts: readonly string[]): string {
  return texts
    .filter((text) => (classifyPart(text, false) & TOKEN_PARTICLE) === 0 && !PASSED_OVER.has(text))
    .map((text) => text.charAt(0))
    .join('');
}
