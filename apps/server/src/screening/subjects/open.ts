// Watching as the service runs it: what customers do with their subjects, and the work behind it.

import type { Context } from '../../platform/context.ts';
import type { Metrics } from '../../platform/watch/metrics.ts';
import type { ReviewCases } from '../../review/cases.ts';
import type { SigningDoor } from '../../signing/open.ts';
import type { Webhooks } from '../../webhooks/outbox.ts';
import type { ScreeningPool } from '../engine/pool.ts';
import type { Catalogue } from '../lists/catalogue/catalogue.ts';
import type { DatasetFolder, DatasetInfo } from '../lists/folder/folder.ts';
import type { Matcher } from '../match/matcher.ts';
import { ENGINE } from './engine.ts';
import { SubjectIndex } from './index/subject-index.ts';
import { handleLists, ListFollower } from './lists/follow-lists.ts';
import { registerWatchedSubjectRoutes } from './routes.ts';
import { WatchedScreener } from './screen.ts';
import { handleScreening } from './screening-job.ts';
import { WatchStore } from './store.ts';
import { WatchedSubjects } from './subjects.ts';
import { WorkedLists } from './worked-lists.ts';

/** The lists, and what searches them. */
export interface ScreeningTools {
  folder: DatasetFolder;
  catalogue: Catalogue;
  pool: ScreeningPool;
  matcher: Matcher;
}

interface WatchingNeighbors extends ScreeningTools {
  webhooks: Webhooks;
  cases: ReviewCases;
  requireDataset(name: string): Promise<void>;
}

export function openWatching(
  context: Context,
  door: SigningDoor,
  { maxSubjects }: { maxSubjects: number },
  neighbors: WatchingNeighbors,
): WatchedSubjects {
  const { database, sealer, jobs, metrics, idempotency, clock, ids, log } = context;
  const { matcher, catalogue, folder, pool, webhooks, cases, requireDataset } = neighbors;
  const store = new WatchStore(database);
  const worked = new WorkedLists(database);
  const lists = async () => knownLists(catalogue);
  const shared = { database, sealer, jobs, clock, ids, log, store, worked, webhooks, cases };
  const screener = new WatchedScreener({ ...shared, matcher, catalogue, folder });
  const subjects = new SubjectIndex({ store, worked, screener, catalogue, pool, clock });
  handleScreening(jobs, screener);
  const follower = new ListFollower({ ...shared, catalogue, folder, screener, subjects });
  handleLists(jobs, follower);
  registerWatchingMetrics(metrics, follower, subjects, worked);
  const watched = new WatchedSubjects({ ...shared, lists, idempotency, maxSubjects });
  registerWatchedSubjectRoutes(context, door, watched, requireDataset);
  return watched;
}

/** With those that could not be loaded. */
function knownLists(catalogue: Pick<Catalogue, 'loaded' | 'lists'>): DatasetInfo[] {
  const loaded = catalogue.loaded();
  const names = new Set(loaded.map(({ name }) => name));
  return [...loaded, ...catalogue.lists().filter(({ name }) => !names.has(name))];
}

function registerWatchingMetrics(
  metrics: Pick<Metrics, 'addGauge'>,
  follower: Pick<ListFollower, 'last'>,
  subjects: SubjectIndex,
  worked: Pick<WorkedLists, 'countOutdated' | 'countWithoutList'>,
): void {
  const gauges: [name: string, help: string, read: () => number | Promise<number>][] = [
    [
      'limen_watching_last_seconds',
      'How long the last change of a list took to be worked through for watched subjects; 0 before the first.',
      () => follower.last.seconds,
    ],
    [
      'limen_watching_last_screened',
      'How many watched subjects the last change of a list made be screened.',
      () => follower.last.screened,
    ],
    [
      'limen_watching_held',
      'Watched subjects whose names are held in memory, to look changed lists up among them.',
      () => subjects.size,
    ],
    [
      'limen_watching_outdated',
      'Watched subjects that an earlier engine screened last; they are screened again in the background.',
      () => worked.countOutdated(ENGINE.number),
    ],
    [
      'limen_watching_without_list',
      'Watched subjects behind whose dataset no real list is, so that nobody screens them.',
      () => worked.countWithoutList(),
    ],
  ];
  for (const [name, help, read] of gauges) metrics.addGauge(name, help, [], async (gauge) => gauge.set(await read()));
}
