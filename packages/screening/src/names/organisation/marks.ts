// Prefixes of parts that are not words, so that they cannot be confused with words. They sort
// before letters.

export const LEGAL_MARK = '=';
export const NUMBER_MARK = '#';
export const ACRONYM_MARK = '@';
/** A registration or call sign, of which each letter counts. */
export const CODE_MARK = '$';

export function isMarked(text: string): boolean {
  const first = text.charAt(0);
  return first === LEGAL_MARK || first === NUMBER_MARK || first === ACRONYM_MARK || first === CODE_MARK;
}
