// What kind of document a zone's first two characters mean, as far as they tell.

import type { DocumentType } from '@limen/plan';

/** `code` as in the zone, without fillers. */
export function readDocumentType(code: string, issuer: string): DocumentType {
  if (code.startsWith('P')) return 'passport';
  if (code.startsWith('V')) return 'visa';
  // Residence permits of the European Union, the United Kingdom and many others.
  if (code === 'AR' || code === 'IR' || code === 'CR') return 'residence_permit';
  // The permanent resident card of the United States, in its two layouts.
  if (issuer === 'USA' && (code === 'C1' || code === 'C2')) return 'residence_permit';
  // Crew members are identified by it, but it is no identity card (ICAO Doc 9303 part 5, appendix).
  if (code === 'AC') return 'other';
  // The second letter is the issuer's own choice: `I` says card whatever follows, `A` and `C` only where they stand alone.
  return code.startsWith('I') || code.length === 1 ? 'identity_card' : 'other';
}
