// What a list says about one listed person, organisation or vessel: every loader yields it, the index keeps it.

import type { IdentifierKind } from './identifiers/kinds.ts';

/** More of a kind than any real entity has; it bounds what a hostile list can make the index hold. */
export const MAX_VALUES = 5_000;
export const MAX_IDENTIFIERS = 500;
/** Longer ones are descriptions that ended up in the wrong column. */
export const MAX_NAME_LENGTH = 2_000;

export interface ListedEntity {
  /** Unique within its list, such as `ofac-36` or `NK-3hSi2...`. */
  id: string;
  /** Name to show. */
  caption: string;
  /** FollowTheMoney schema: `Person`, `Organization`, `Company`, `Vessel`, `LegalEntity` … */
  schema: string;
  /** Full names and strong aliases as listed, in any script; at least one. */
  names: string[];
  /** Aliases that the list itself calls weak or of low quality: nicknames, noms de guerre, generic names. */
  weakNames: string[];
  /** `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; a trailing `~` means circa; `1960/1965` is a span (as in EDTF). */
  birthDates: string[];
  /** All that it has to do with: citizenship, residence, registration. */
  countries: string[];
  /** Those among them that a person is a citizen of. */
  nationalities: string[];
  addresses: string[];
  /** Offices and ranks that a person holds or held. */
  positions: string[];
  identifiers: Identifier[];
  /** OpenSanctions topics, such as `sanction`, `role.pep`, `crime`. */
  topics: string[];
  programs: string[];
  /** Names of the lists that it comes from. */
  datasets: string[];
  /** Ids that the list had for it before, or has for it elsewhere. */
  referents: string[];
  /** ISO dates or date-times, where the list says: first and last met, and the last change. */
  firstSeen: string | null;
  lastSeen: string | null;
  lastChange: string | null;
}

export type ValueList = {
  [Key in keyof ListedEntity]: ListedEntity[Key] extends string[] ? Key : never;
}[keyof ListedEntity];

/** What an entity has several of, as plain texts; topics, lists and countries first, which are few. */
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
  /** As listed. */
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
