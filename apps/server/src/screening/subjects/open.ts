// Puts watching together: the routes for customers, the jobs and the metrics.
import type { Context } from '../../platform/context.ts';
import type { Metrics } from '../../platform/watch/metrics.ts';
import type { ReviewCases } from '../../review/cases.ts';
import type { SigningDoor } from '../../signing/open.ts';
import type { Webhooks } from '../../webhooks/outbox.ts';
import type { ScreeningPool } from '../engine/pool.ts';
import type { Catalogue } from '../lists/catalogue/catalogue.ts';
import type { DatasetFolder } from '../lists/folder/folder.ts';
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

interface WatchingNeighbors {
  folder: DatasetFolder;
  catalogue: Catalogue;
  pool: ScreeningPool;
  matcher: Matcher;
  webhooks: Webhooks;
  cases: ReviewCases;
  requireDataset(name: string): Promise<void>;
  maxSubjects: number;
}

export function openWatching(context: Context, door: SigningDoor, neighbors: WatchingNeighbors): WatchedSubjects {
  const { database, sealer, jobs, metrics, idempotency, clock, ids, log } = context;
  const { requireDataset, ...tools } = neighbors;
  const { catalogue } = tools;
  const store = new WatchStore(database);
  const worked = new WorkedLists(database);
  const shared = { ...tools, database, sealer, jobs, clock, ids, log, store, worked };
  const screener = new WatchedScreener(shared);
  const subjects = new SubjectIndex({ ...shared, screener });
  handleScreening(jobs, screener);
  const follower = new ListFollower({ ...shared, screener, subjects });
  handleLists(jobs, follower);
  addMetrics(metrics, follower, subjects, worked);
  // Loaded lists, and those that could not be loaded.
  const lists = async () => [
    ...new Map([...catalogue.lists(), ...catalogue.loaded()].map((info) => [info.name, info])).values(),
  ];
  const watched = new WatchedSubjects({ ...shared, lists, idempotency });
  registerWatchedSubjectRoutes(context, door, watched, requireDataset);
  return watched;
}

function addMetrics(metrics: Metrics, follower: ListFollower, subjects: SubjectIndex, worked: WorkedLists): void {
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
      'Watched subjects that are not screened because their dataset has no real list.',
      () => worked.countWithoutList(),
    ],
  ];
  for (const [name, help, read] of gauges) metrics.addGauge(name, help, [], async (gauge) => gauge.set(await read()));
}
