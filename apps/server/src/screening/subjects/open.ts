// Watching as the service runs it: what customers do with their subjects, and the work behind it.

import type { Foundation } from '../../platform/context.ts';
import type { Metrics } from '../../platform/watch/metrics.ts';
import type { ReviewCases } from '../../review/cases.ts';
import type { Webhooks } from '../../webhooks/outbox.ts';
import type { ScreeningPool } from '../engine/pool.ts';
import type { Catalogue } from '../lists/catalogue/catalogue.ts';
import type { DatasetFolder, DatasetInfo } from '../lists/folder/folder.ts';
import type { Matcher } from '../match/matcher.ts';
import { ENGINE } from './engine.ts';
import { createSubjectIndex, type SubjectIndex } from './index/subject-index.ts';
import { createFollowLists, type Followed, handleLists } from './lists/follow-lists.ts';
import { createScreenWatched } from './screen.ts';
import { handleScreening } from './screening-job.ts';
import { createWatchStore } from './store.ts';
import { createWatchedSubjects, type WatchedSubjects } from './subjects.ts';
import { createWorkedLists, type WorkedLists } from './worked-lists.ts';

interface OpenWatching
  extends Pick<Foundation, 'database' | 'sealer' | 'jobs' | 'metrics' | 'idempotency' | 'clock' | 'ids' | 'log'> {
  matcher: Matcher;
  catalogue: Catalogue;
  folder: DatasetFolder;
  pool: ScreeningPool;
  webhooks: Webhooks;
  cases: ReviewCases;
  maxSubjects: number;
}

export function openWatching(options: OpenWatching): WatchedSubjects {
  const store = createWatchStore(options.database);
  const worked = createWorkedLists(options.database);
  const tools = { ...options, store, worked, lists: async () => knownLists(options.catalogue) };
  const { screen, openSubject } = createScreenWatched(tools);
  const subjects = createSubjectIndex({ ...tools, openSubject });
  handleScreening(options.jobs, screen);
  handleLists(
    options.jobs,
    createFollowLists({
      ...tools,
      screen,
      openSubject,
      subjects,
      onFollowed: tellMetrics(options.metrics, subjects, worked),
    }),
  );
  return createWatchedSubjects(tools);
}

/** With those that could not be loaded. */
function knownLists(catalogue: Pick<Catalogue, 'loaded' | 'lists'>): DatasetInfo[] {
  const loaded = catalogue.loaded();
  const names = new Set(loaded.map(({ name }) => name));
  return [...loaded, ...catalogue.lists().filter(({ name }) => !names.has(name))];
}

function tellMetrics(
  metrics: Pick<Metrics, 'addGauge'>,
  subjects: SubjectIndex,
  worked: Pick<WorkedLists, 'countOutdated' | 'countWithoutList'>,
): (followed: Followed) => void {
  let last: Followed = { screened: 0, seconds: 0 };
  const seconds =
    'How long the last change of a list took to be worked through for watched subjects; 0 before the first.';
  metrics.addGauge('limen_watching_last_seconds', seconds, [], async (gauge) => gauge.set(last.seconds));
  const screened = 'How many watched subjects the last change of a list made be screened.';
  metrics.addGauge('limen_watching_last_screened', screened, [], async (gauge) => gauge.set(last.screened));
  const held = 'Watched subjects whose names are held in memory, to look changed lists up among them.';
  metrics.addGauge('limen_watching_held', held, [], async (gauge) => gauge.set(subjects.size));
  const outdated = 'Watched subjects that an earlier engine screened last; they are screened again in the background.';
  metrics.addGauge('limen_watching_outdated', outdated, [], async (gauge) =>
    gauge.set(await worked.countOutdated(ENGINE.number)),
  );
  const withoutList = 'Watched subjects behind whose dataset no real list is, so that nobody screens them.';
  metrics.addGauge('limen_watching_without_list', withoutList, [], async (gauge) =>
    gauge.set(await worked.countWithoutList()),
  );
  return (followed) => {
    last = followed;
  };
}
