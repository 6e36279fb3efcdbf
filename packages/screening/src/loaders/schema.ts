// The kinds of entity that lists name, in FollowTheMoney's words.

/** All have a name to screen against; addresses, passports, ownerships and the like only belong to one of them. */
export const SCHEMATA: readonly string[] = [
  'Person',
  'Organization',
  'Company',
  'LegalEntity',
  'PublicBody',
  'Vessel',
  'Airplane',
];
/** What people write in lists of their own. */
const OTHER_WORDS: Record<string, string> = {
  individual: 'Person',
  people: 'Person',
  human: 'Person',
  p: 'Person',
  organisation: 'Organization',
  entity: 'LegalEntity',
  ship: 'Vessel',
  aircraft: 'Airplane',
};
const byWord = new Map([
  ...SCHEMATA.map((schema) => [schema.toLowerCase(), schema] as const),
  ...Object.entries(OTHER_WORDS),
]);

/** Undefined for any other word: it may then be a person. */
export function findSchema(word: string): string | undefined {
  return byWord.get(word.trim().toLowerCase());
}

/** For whoever may be a person or an organisation. */
export const EITHER = 'LegalEntity';
