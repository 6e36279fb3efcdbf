// Kinds of entities in lists, named as in FollowTheMoney.

/** Schemas with a name to screen. Others only belong to such entities. */
export const SCHEMATA: readonly string[] = [
  'Person',
  'Organization',
  'Company',
  'LegalEntity',
  'PublicBody',
  'Vessel',
  'Airplane',
];
/** Words in custom lists. */
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

/** Returns undefined for any other word. The entity may then be a person. */
export function findSchema(word: string): string | undefined {
  return byWord.get(word.trim().toLowerCase());
}

/** Schema of entities that may be a person or an organization. */
export const EITHER = 'LegalEntity';
