// What the screening room works with; a service without it has no such room.
import type { Catalogue } from '../../../core/screening/lists/catalogue.ts';
import type { Sanctions } from '../../../core/screening/screen-file.ts';
import type { Matcher } from '../../../core/screening/subjects/matcher.ts';
import type { WatchedBrowser } from '../../../core/watching/browse/browse-watched.ts';
import type { WatchedSubjects } from '../../../core/watching/watched-subjects.ts';

export interface ScreeningSources {
  watched: WatchedSubjects;
  matcher: Matcher;
  sanctions: Sanctions;
  catalogue: Catalogue;
  /** Throws 404 for a dataset that there is not. */
  requireDataset: (name: string) => Promise<void>;
  /** Between two refreshes of the lists; 0 for never. */
  syncHours: number;
}

export interface ScreeningParts extends ScreeningSources {
  browser: WatchedBrowser;
}
