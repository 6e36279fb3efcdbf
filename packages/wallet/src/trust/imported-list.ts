// What an importer of any format makes of a list of authorities.
import type { TrustAnchor } from './anchors.ts';

export interface ImportedList {
  anchors: TrustAnchor[];
  /** Entries for the profile that cannot be anchors. */
  skipped: number;
  issuedAt: Date;
  /** When the list's provider wants it fetched again at the latest. */
  nextUpdate: Date | null;
}
