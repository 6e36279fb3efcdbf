// Joins an address that a list spreads over several columns.
import { cleanText } from './entity-draft.ts';

/** Returns an empty text if there is only a country, which is stored separately. */
export function joinAddress(lines: readonly string[], country = ''): string {
  const filled = lines.map(cleanText).filter((line) => /[\p{L}\p{N}]/u.test(line));
  return filled.length === 0 ? '' : [...new Set([...filled, cleanText(country)])].filter(Boolean).join(', ');
}
