// Watching as the service runs it: what customers do with their subjects, and the work behind it.
import type { Foundation } from '../../platform/open-foundation.ts';
import type { DatasetFolder } from '../datasets/folder/dataset-folder.ts';
import type { Catalogue } from '../screening/lists/catalogue.ts';
import type { Matcher } from '../screening/subjects/matcher.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { createFollowLists, handleLists } from './lists/follow-lists.ts';
import { createWorkedLists } from './lists/worked-lists.ts';
import { createScreenWatched } from './screen-watched.ts';
import { handleScreening } from './screening-job.ts';
import { createWatchStore } from './store.ts';
import { createWatchedSubjects, type WatchedSubjects } from './watched-subjects.ts';

interface OpenWatching extends Pick<Foundation, 'database' | 'sealer' | 'jobs' | 'clock' | 'ids' | 'log'> {
  matcher: Matcher;
  catalogue: Catalogue;
  folder: DatasetFolder;
  webhooks: Webhooks;
}

export function openWatching(options: OpenWatching): WatchedSubjects {
  const store = createWatchStore(options.database);
  const worked = createWorkedLists(options.database);
  const tools = { ...options, store, worked };
  const { screen, openSubject } = createScreenWatched(tools);
  handleScreening(options.jobs, store, screen);
  handleLists(options.jobs, createFollowLists({ ...tools, screen, openSubject }));
  return createWatchedSubjects(tools);
}
