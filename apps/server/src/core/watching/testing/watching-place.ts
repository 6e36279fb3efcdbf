// Watching on a real database with lists of its own, where the test says when subjects are screened and lists are followed.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ScreeningSubject } from '@limen/contract';
import type { ListedEntity } from '@limen/screening';
import pino from 'pino';
import { expect, onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createManualClock } from '#testing/manual-clock.ts';
import { liveOwner } from '#testing/owners.ts';
import { createIds } from '../../../platform/ids.ts';
import { createJobs } from '../../../platform/jobs/jobs.ts';
import { createJobStore } from '../../../platform/jobs/store.ts';
import { openStorage } from '../../../platform/open-storage.ts';
import { loadDemoIndex } from '../../datasets/demo-dataset.ts';
import { createDatasetFolder } from '../../datasets/folder/dataset-folder.ts';
import { createCatalogue } from '../../screening/lists/catalogue.ts';
import { createScreeningPool } from '../../screening/pool/screening-pool.ts';
import { createMatcher } from '../../screening/subjects/matcher.ts';
import { storeList } from '../../screening/testing/listed-people.ts';
import { createFollowLists, type FollowListsOptions } from '../lists/follow-lists.ts';
import { createWorkedLists } from '../lists/worked-lists.ts';
import { createScreenWatched } from '../screen-watched.ts';
import { handleScreening } from '../screening-job.ts';
import { createWatchStore } from '../store.ts';
import { createSubjectIndex } from '../subject-index/subject-index.ts';
import { createWatchedSubjects } from '../watched-subjects.ts';

export const OWNER = liveOwner('a bank');

interface Wanted {
  reference: string;
  subject: Omit<ScreeningSubject, 'id'>;
  dataset?: string;
  scoreThreshold?: number;
}

/** `isWorthIt` as of createFollowLists: lists are looked up among the subjects where it says so. */
export async function prepareWatching({ isWorthIt }: Pick<FollowListsOptions, 'isWorthIt'> = {}) {
  const clock = createManualClock();
  const ids = createIds(clock);
  const storage = await createTestDatabase();
  const { dataDir, url } = storage;
  const { database, sealer } = await openStorage({ url, dataDir, masterKey: undefined, clock, ids });
  const log = pino({ level: 'silent' });
  const jobs = createJobs({ database, store: createJobStore(database), sealer, clock, ids, log });
  const folder = createDatasetFolder(dataDir);
  const pool = createScreeningPool({ size: 1 });
  const catalogue = createCatalogue({
    folder,
    loadDemo: loadDemoIndex,
    clock,
    log,
    lookEveryMs: 10,
    onRetired: (edition) => pool.forget(edition),
  });
  const store = createWatchStore(database);
  const worked = createWorkedLists(database);
  const webhooks = { async enqueue() {}, async deleteSession() {} };
  const tools = { database, store, worked, sealer, jobs, catalogue, folder, clock, ids, log, webhooks };
  const { screen, openSubject } = createScreenWatched({ ...tools, matcher: createMatcher({ catalogue, pool }) });
  handleScreening(jobs, screen);
  const subjects = createSubjectIndex({ ...tools, openSubject, pool });
  const follow = createFollowLists({ ...tools, screen, subjects, isWorthIt });
  const watched = createWatchedSubjects(tools);
  catalogue.start();
  onTestFinished(async () => {
    await catalogue.close();
    await pool.close();
    await database.close();
    await storage.dispose();
  });
  await expect.poll(() => catalogue.progress()).toBe('ready');
  const go = new AbortController().signal;

  return {
    database,
    watched,
    store,
    worked,
    clock,
    screen: (id: string) => screen([id as never], { signal: go }),
    /** Puts a version of a list into service. */
    async publish(name: string, entities: readonly ListedEntity[], version: string) {
      await storeList(dataDir, name, entities, version);
      await expect.poll(() => catalogue.loaded().find((one) => one.name === name)?.version).toBe(version);
    },
    async withdraw(name: string) {
      rmSync(join(dataDir, 'datasets', name), { recursive: true });
      await expect.poll(() => catalogue.loaded().some((one) => one.name === name)).toBe(false);
    },
    async watch({ reference, subject, dataset = 'north', scoreThreshold = 0.85 }: Wanted) {
      const { watched: put } = await watched.put(OWNER, 'a key', { reference, subject, dataset, scoreThreshold });
      return put.row.id;
    },
    unwatch: (id: string) => watched.remove(OWNER, id),
    work: async () => {
      while ((await jobs.runDue()) > 0);
    },
    follow: () => follow(go),
    /** Oldest first. */
    async alerts() {
      const found = await watched.alerts(OWNER, { limit: 10_000, before: undefined, subjectId: undefined });
      return found
        .reverse()
        .flatMap(({ row, content }) =>
          'match' in content ? [`${content.reference} ${row.kind} ${content.match.id}`] : [],
        );
    },
  };
}
