// Result of importing a list of authorities in any format.
import type { TrustAnchor } from './anchors.ts';

export interface ImportedList {
  anchors: TrustAnchor[];
  /** Entries for the profile that cannot be anchors. */
  skipped: number;
  issuedAt: Date;
  /** Latest time for the next update, set by the list's provider. */
  nextUpdate: Date | null;
}
