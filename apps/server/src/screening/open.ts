// Puts the sanctions check together: catalogue, workers, room for files, refreshes of the lists, readiness and metrics.
import type { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Refreshing } from '../platform/async/refreshing.ts';
import type { Clock } from '../platform/base/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { Access } from '../platform/http/access.ts';
import type { HttpServer } from '../platform/http/types.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';
import type { Metrics } from '../platform/watch/metrics.ts';
import type { ReadinessChecks } from '../platform/watch/readiness.ts';
import { openAudit } from '../records/audit/open.ts';
import { createScreeningPool, type ScreeningPool } from './engine/pool.ts';
import { FileRoom } from './files/room.ts';
import { registerSanctionsRoutes } from './files/routes.ts';
import { createSanctions, type Sanctions } from './files/screen.ts';
import { MAX_BYTES_OF_FILES, SMALL_FILE_BYTES } from './limits.ts';
import { watchDatasetAges } from './lists/catalogue/ages.ts';
import { type Catalogue, createCatalogue } from './lists/catalogue/catalogue.ts';
import { loadDemoIndex } from './lists/demo.ts';
import { createDatasetFolder, type DatasetFolder } from './lists/folder/folder.ts';
import { SharedLists } from './lists/shared/lists.ts';
import { startScheduledSync } from './lists/sync/schedule.ts';
import { createEntityFinder, createMatcher, type EntityFinder, type Matcher } from './match/matcher.ts';
import { registerMatchRoutes } from './match/routes.ts';

/** What a test may change. */
export interface SanctionsTuning {
  workers?: number;
  startWorker?: () => Worker;
  lookEveryMs?: number;
  /** Between two comparisons with the lists of other machines. */
  shareEveryMs?: number;
  maxFileBytes?: number;
  /** How long one piece of a file may take before its worker is given up. */
  taskMs?: number;
  /** How long a client may take for half a mebibyte of the reply, on average. */
  takeMs?: number;
  /** Starts the workers with the service instead of with the first file. */
  warmWorkers?: boolean;
}

interface OpenSanctions extends SanctionsTuning {
  http: HttpServer;
  access: Access;
  dataDir: string;
  /** Between two refreshes of the lists; 0 for never. */
  syncHours: number;
  /** Whether an API key is asked for. */
  closed: boolean;
  /** PostgreSQL: shared with other machines, which screen against the same lists then. */
  database: Database;
  sealer: Sealer;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  readiness: ReadinessChecks;
}

export interface OpenedSanctions {
  /** For areas that search the same lists. */
  screening: {
    folder: DatasetFolder;
    catalogue: Catalogue;
    pool: ScreeningPool;
    matcher: Matcher;
    finder: EntityFinder;
    sanctions: Sanctions;
  };
  /** Throws 404 for a dataset that there is not; one that is loading or damaged is there. */
  requireDataset(name: string): Promise<void>;
  /** Begins to load the datasets in the background, and to refresh them. */
  start(): void;
  close(): Promise<void>;
}

export function openSanctions(options: OpenSanctions): OpenedSanctions {
  const { http, access, closed, clock, log, metrics, readiness } = options;
  const { workers, startWorker, taskMs, takeMs, lookEveryMs, maxFileBytes = MAX_BYTES_OF_FILES } = options;
  const folder = createDatasetFolder(options.dataDir);
  const pool = createScreeningPool({ size: workers, startWorker, taskMs });
  const sharing =
    options.database.engine === 'postgres'
      ? new SharedLists({ ...options, folder, audit: openAudit(options).audit, everyMs: options.shareEveryMs })
      : undefined;
  const catalogue = createCatalogue({
    folder: {
      ...folder,
      // A list that only the other machines have is one that cannot be read here, and not one that there is not.
      async survey() {
        const here = await folder.survey();
        const names = new Set(here.map(({ name }) => name));
        return [...here, ...(sharing?.lacking() ?? []).filter(({ name }) => !names.has(name))];
      },
    },
    behind: () => sharing?.behind() ?? new Set(),
    isCompared: () => sharing?.isCompared() ?? true,
    loadDemo: loadDemoIndex,
    clock,
    log,
    lookEveryMs,
    onRetired: (edition) => pool.forget(edition),
  });
  const room = new FileRoom({ maxBytes: maxFileBytes, smallBytes: SMALL_FILE_BYTES });
  const sanctions = createSanctions({ catalogue, pool, room });
  const matcher = createMatcher({ catalogue, pool });
  registerSanctionsRoutes(http, { sanctions, access, log, closed, takeMs });
  registerMatchRoutes(http, { matcher, access, log, closed });

  watchDatasetAges({ catalogue, syncHours: options.syncHours, clock, metrics, readiness });
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

  let sync: Refreshing | undefined;
  return {
    screening: {
      folder: ofAllMachines(folder, sharing),
      catalogue,
      pool,
      matcher,
      finder: createEntityFinder({ catalogue, pool }),
      sanctions,
    },
    async requireDataset(name) {
      if (catalogue.describe().some((dataset) => dataset.name === name)) return;
      (await catalogue.select(name)).release();
    },
    start() {
      // What other machines have is there before it is said that all lists are. Where that cannot be known, the lists of this one are loaded
      // meanwhile, and it is not ready.
      if (sharing) void sharing.start().finally(() => catalogue.start());
      else catalogue.start();
      if (options.warmWorkers) pool.warmUp();
      sync = startScheduledSync({ folder, hours: options.syncHours, clock, log });
    },
    async close() {
      await sharing?.stop();
      await sync?.stop();
      await catalogue.close();
      await pool.close();
    },
  };
}

/** A list that was removed here and is in force again elsewhere is not gone: it is only not here yet. */
function ofAllMachines(folder: DatasetFolder, sharing: SharedLists | undefined): DatasetFolder {
  if (!sharing) return folder;
  return {
    ...folder,
    async removed() {
      const removed = await folder.removed();
      if (removed.size === 0) return removed; // it is asked for with every few subjects that are screened
      const inForce = await sharing.inForce();
      return new Set([...removed].filter((name) => !inForce.has(name)));
    },
  };
}
