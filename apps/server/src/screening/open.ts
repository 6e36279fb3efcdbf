// Puts screening together: lists, workers, files, watched subjects, and refreshes of the lists.
import type { Worker } from 'node:worker_threads';
import type { Console } from '../console/door/console.ts';
import type { Refreshing } from '../platform/async/refreshing.ts';
import type { Context } from '../platform/context.ts';
import { openAudit } from '../records/audit/open.ts';
import type { ReviewCases } from '../review/cases.ts';
import type { ReviewDesk } from '../review/desk.ts';
import type { SigningDoor } from '../signing/open.ts';
import type { Webhooks } from '../webhooks/outbox.ts';
import { addScreeningConsole } from './console/routes.ts';
import { addSubjectConsole } from './console/subject-routes.ts';
import { ScreeningPool } from './engine/pool.ts';
import { FileMemory } from './files/room.ts';
import { registerSanctionsRoutes } from './files/routes.ts';
import { Sanctions } from './files/screen.ts';
import { MAX_BYTES_OF_FILES, SMALL_FILE_BYTES } from './limits.ts';
import { watchDatasetAges } from './lists/catalogue/ages.ts';
import { Catalogue } from './lists/catalogue/catalogue.ts';
import { createDatasetFolder } from './lists/folder/folder.ts';
import { SharedLists } from './lists/shared/lists.ts';
import { startScheduledSync } from './lists/sync/schedule.ts';
import { Matcher } from './match/matcher.ts';
import { registerMatchRoutes } from './match/routes.ts';
import type { screeningSettings } from './settings.ts';
import { openWatching } from './subjects/open.ts';
import type { WatchedSubjects } from './subjects/subjects.ts';
import { openYente } from './yente/open.ts';

/** Settings that a test may override. */
export interface ScreeningTuning {
  workers?: number;
  startWorker?: () => Worker;
  lookEveryMs?: number;
  /** Time between two comparisons with the lists of other machines. */
  shareEveryMs?: number;
  maxFileBytes?: number;
  /** Maximum time for one piece of a file. */
  taskMs?: number;
  /** Maximum average time of a client for half a mebibyte of the reply. */
  takeMs?: number;
  warmWorkers?: boolean;
}

export function openScreening(
  context: Context,
  door: SigningDoor,
  settings: ReturnType<typeof screeningSettings> & { tuning?: ScreeningTuning | undefined },
) {
  const { database, sealer, clock, log } = context;
  const { closed, syncHours, maxSubjects, tuning = {} } = settings;
  const { workers, startWorker, taskMs, takeMs, lookEveryMs, shareEveryMs: everyMs } = tuning;
  const folder = createDatasetFolder(settings.dataDir);
  const pool = new ScreeningPool({ size: workers, startWorker, taskMs });
  const sharing =
    database.engine === 'postgres'
      ? new SharedLists({ database, sealer, clock, log, folder, audit: openAudit(context).audit, everyMs })
      : undefined;
  const listsOfAll = sharing?.extend(folder) ?? folder;
  const catalogue = new Catalogue({
    folder: listsOfAll,
    sharing,
    clock,
    log,
    lookEveryMs,
    onRetired: (edition) => pool.forget(edition),
  });
  const room = new FileMemory({ maxBytes: tuning.maxFileBytes ?? MAX_BYTES_OF_FILES, smallBytes: SMALL_FILE_BYTES });
  const sanctions = new Sanctions({ catalogue, pool, room });
  const matcher = new Matcher({ catalogue, pool });
  registerSanctionsRoutes(door, { sanctions, log, closed, takeMs });
  registerMatchRoutes(door, matcher, log, closed);
  openYente(log, door, closed, catalogue, matcher);
  watchDatasetAges(context, catalogue, syncHours);
  addScreeningMetrics(context, matcher, sanctions, room);

  /** Throws 404 for an unknown dataset. A dataset that is loading or damaged is known. */
  async function requireDataset(name: string): Promise<void> {
    if (catalogue.describe().some((dataset) => dataset.name === name)) return;
    (await catalogue.select(name)).release();
  }

  let sync: Refreshing | undefined;
  const tools = { folder: listsOfAll, catalogue, pool, matcher };
  return {
    /** Serves watched subjects, whose alerts are sent as webhooks and reviewed. */
    watch: (neighbors: { webhooks: Webhooks; cases: ReviewCases }): WatchedSubjects =>
      openWatching(context, door, { ...tools, ...neighbors, maxSubjects, requireDataset }),
    addConsole(console: Console, { watched, desk }: { watched: WatchedSubjects; desk: ReviewDesk }): void {
      addScreeningConsole(console, context, { catalogue, matcher, sanctions, requireDataset, syncHours });
      addSubjectConsole(console, context, { watched, desk });
    },
    /** Starts to load and refresh the datasets in the background. */
    start(): void {
      // Lists of other machines are fetched first. If that fails, the machine loads its own lists and is not ready.
      if (sharing) void sharing.start().finally(() => catalogue.start());
      else catalogue.start();
      if (tuning.warmWorkers) pool.warmUp();
      sync = startScheduledSync({ folder, hours: syncHours, clock, log });
    },
    async close(): Promise<void> {
      await sharing?.stop();
      await sync?.stop();
      await catalogue.close();
      await pool.close();
    },
  };
}

function addScreeningMetrics({ metrics }: Context, matcher: Matcher, sanctions: Sanctions, room: FileMemory): void {
  metrics.addGauge(
    'limen_screening_files',
    'Files being screened or answered, and waiting for room.',
    ['state'],
    async (gauge) => {
      gauge.set({ state: 'under_way' }, room.inside);
      gauge.set({ state: 'waiting' }, room.waiting);
    },
  );
  metrics.addCounter('limen_screening_rows_total', 'Rows screened since the start.', () => sanctions.rowsScreened);
  metrics.addCounter('limen_screening_files_total', 'Files screened since the start.', () => sanctions.filesScreened);
  metrics.addCounter(
    'limen_screening_subjects_total',
    'Subjects screened one by one or in small batches since the start.',
    () => matcher.subjectsScreened,
  );
  metrics.addGauge('limen_dataset_entities', 'Listed entities per loaded dataset.', ['dataset'], async (gauge) => {
    for (const { name, kind, status, entityCount = 0 } of sanctions.datasets()) {
      if (kind !== 'collection' && status === 'ready') gauge.set({ dataset: name }, entityCount);
    }
  });
}
