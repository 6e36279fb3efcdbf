// One line for an address that a list spreads over columns.
import { cleanText } from './entity-draft.ts';

/** Empty where there is no more than a country, which is kept as such. */
export function joinAddress(lines: readonly string[], country = ''): string {
  const told = lines.map(cleanText).filter((line) => /[\p{L}\p{N}]/u.test(line));
  return told.length === 0 ? '' : [...new Set([...told, cleanText(country)])].filter(Boolean).join(', ');
}
