// Texts for people to read: at least one character must be visible.
import { type TString, Type } from 'typebox';

/** Invisible characters that Unicode classifies as letters or symbols. */
const FILLERS = '\\u115f\\u1160\\u2800\\u3164\\uffa0';
/** A letter, number, mark or symbol of any script. Excludes spaces and controls. */
export const VISIBLE_TEXT = `(?![${FILLERS}])[\\p{L}\\p{N}\\p{P}\\p{S}]`;
const visible = new RegExp(VISIBLE_TEXT, 'u');

export function isVisible(text: string): boolean {
  return visible.test(text);
}

export function visibleText(maxLength: number, description: string): TString {
  return Type.String({ minLength: 1, maxLength, pattern: VISIBLE_TEXT, description });
}
