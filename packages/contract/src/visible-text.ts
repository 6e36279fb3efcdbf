// Texts that somebody is to read later: at least one of their characters can be seen.
import { type TString, Type } from 'typebox';

/** Fill a place and show nothing, though Unicode counts them among letters and symbols. */
const FILLERS = '\\u115f\\u1160\\u2800\\u3164\\uffa0';
/** A letter, number or mark of any script; spaces, controls and characters without width are none. */
export const VISIBLE_TEXT = `(?![${FILLERS}])[\\p{L}\\p{N}\\p{P}\\p{S}]`;
const visible = new RegExp(VISIBLE_TEXT, 'u');

export function isVisible(text: string): boolean {
  return visible.test(text);
}

export function visibleText(maxLength: number, description: string): TString {
  return Type.String({ minLength: 1, maxLength, pattern: VISIBLE_TEXT, description });
}
