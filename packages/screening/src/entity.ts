// A listed person, organization or vessel. Every loader yields this type, and the index stores it.

import type { IdentifierKind } from './identifiers/kinds.ts';

/** Upper bounds per entity, which limit what a hostile list can put into the index. */
export const MAX_VALUES = 5_000;
export const MAX_IDENTIFIERS = 500;
/** Maximum length of a name. Longer ones are descriptions in the wrong column. */
export const MAX_NAME_LENGTH = 2_000;

export interface ListedEntity {
  /** Id, unique within the list, such as `ofac-36` or `NK-3hSi2...`. */
  id: string;
  /** Display name. */
  caption: string;
  /** FollowTheMoney schema: `Person`, `Organization`, `Company`, `Vessel`, `LegalEntity` … */
  schema: string;
  /** Full names and strong aliases as listed, in any script. At least one. */
  names: string[];
  /** Aliases that the list marks as weak: nicknames, noms de guerre, generic names. */
  weakNames: string[];
  /** `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; trailing `~` for circa; `1960/1965` for a span (EDTF). */
  birthDates: string[];
  /** All related countries: citizenship, residence, registration. */
  countries: string[];
  /** Citizenships, a subset of `countries`. */
  nationalities: string[];
  addresses: string[];
  /** Offices and ranks that the person holds or held. */
  positions: string[];
  identifiers: Identifier[];
  /** OpenSanctions topics, such as `sanction`, `role.pep`, `crime`. */
  topics: string[];
  programs: string[];
  /** Names of the lists that contain the entity. */
  datasets: string[];
  /** Earlier ids of the entity, and its ids in other sources. */
  referents: string[];
  /** ISO dates or date-times, if known: first and last seen, and last changed. */
  firstSeen: string | null;
  lastSeen: string | null;
  lastChange: string | null;
}

export type ValueList = {
  [Key in keyof ListedEntity]: ListedEntity[Key] extends string[] ? Key : never;
}[keyof ListedEntity];

/** Multi-valued text fields. Topics, lists and countries come first, because they are few. */
export const VALUE_LISTS = [
  'topics',
  'datasets',
  'countries',
  'nationalities',
  'programs',
  'birthDates',
  'names',
  'weakNames',
  'positions',
  'addresses',
  'referents',
] as const satisfies readonly ValueList[];

export interface Identifier {
  kind: IdentifierKind;
  /** Value as listed. */
  value: string;
}

export function emptyEntity(id: string, schema: string): ListedEntity {
  return {
    id,
    caption: '',
    schema,
    names: [],
    weakNames: [],
    birthDates: [],
    countries: [],
    nationalities: [],
    addresses: [],
    positions: [],
    identifiers: [],
    topics: [],
    programs: [],
    datasets: [],
    referents: [],
    firstSeen: null,
    lastSeen: null,
    lastChange: null,
  };
}
