// A name without the forms of address around it.
import { classifyPart, TOKEN_TITLE } from './part-class.ts';
import { isCore } from './part-weight.ts';

/**
 * Titles are left out where two full parts remain: Dr. Ayman Zawahiri is Ayman Zawahiri, but Imam Samudra is not Samudra.
 */
export function namedParts<Part extends { text: string; vowelless: boolean }>(parts: Part[]): Part[] {
  const isTitle = (part: Part) => (classifyPart(part.text, part.vowelless) & TOKEN_TITLE) !== 0;
  const named = parts.filter((part) => !isTitle(part));
  const full = named.filter((part) => isCore(classifyPart(part.text, part.vowelless)));
  return full.length >= 2 ? named : parts;
}
