// What a name may name, as flags: each kind has its own way to be cut into parts and to be compared.

export const KIND_PERSON = 1;
export const KIND_ORGANISATION = 2;
export const KIND_VESSEL = 4;
export const KIND_AIRPLANE = 8;
export const KINDS = [KIND_PERSON, KIND_ORGANISATION, KIND_VESSEL, KIND_AIRPLANE] as const;
export type Kind = (typeof KINDS)[number];
export const ANY_KIND = KIND_PERSON | KIND_ORGANISATION | KIND_VESSEL | KIND_AIRPLANE;

/** The kinds that a FollowTheMoney schema stands for; kinds that conflict are never compared. */
export function kindsOf(schema: string): number {
  switch (schema) {
    case 'Person':
      return KIND_PERSON;
    case 'Vessel':
      return KIND_VESSEL;
    case 'Airplane':
      return KIND_AIRPLANE;
    // Lists use it where they do not know which of the two it is.
    case 'LegalEntity':
      return KIND_PERSON | KIND_ORGANISATION;
    // What every schema is a kind of: nothing is known.
    case 'Thing':
      return ANY_KIND;
    default:
      return KIND_ORGANISATION;
  }
}
