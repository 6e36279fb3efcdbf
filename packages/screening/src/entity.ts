// What a list says about one listed person, organisation or vessel: every loader yields it, the index keeps it.

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
  countries: string[];
  /** OpenSanctions topics, such as `sanction`, `role.pep`, `crime`. */
  topics: string[];
  programs: string[];
  /** Names of the lists that it comes from. */
  datasets: string[];
  /** ISO date or date-time of the last change, where the list says. */
  lastChange: string | null;
}
