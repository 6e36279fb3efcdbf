// Kinds of named things, as flags. Each kind has its own rules for splitting and comparing names.

export const KIND_PERSON = 1;
export const KIND_ORGANIZATION = 2;
export const KIND_VESSEL = 4;
export const KIND_AIRPLANE = 8;
export const KINDS = [KIND_PERSON, KIND_ORGANIZATION, KIND_VESSEL, KIND_AIRPLANE] as const;
export type Kind = (typeof KINDS)[number];
export const ANY_KIND = KIND_PERSON | KIND_ORGANIZATION | KIND_VESSEL | KIND_AIRPLANE;

/** Returns the kinds of a FollowTheMoney schema. Names of different kinds are never compared. */
export function schemaKinds(schema: string): number {
  switch (schema) {
    case 'Person':
      return KIND_PERSON;
    case 'Vessel':
      return KIND_VESSEL;
    case 'Airplane':
      return KIND_AIRPLANE;
    // Lists use this schema if either is possible.
    case 'LegalEntity':
      return KIND_PERSON | KIND_ORGANIZATION;
    // Root of all schemas: the kind is unknown.
    case 'Thing':
      return ANY_KIND;
    default:
      return KIND_ORGANIZATION;
  }
}
