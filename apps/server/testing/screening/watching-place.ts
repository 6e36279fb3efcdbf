// Watching on a real database with its own lists. The test decides when subjects are screened and
// lists are followed.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ScreeningSubject } from '@limen/contract';
import type { ListedEntity } from '@limen/screening';
import { PATIENCE } from '@limen/testing/patience.ts';
import { expect, onTestFinished, vi } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { override } from '#testing/override.ts';
import { liveOwner } from '#testing/owners.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { Idempotency } from '../../src/platform/idempotency/idempotency.ts';
import { openReview } from '../../src/review/open.ts';
import { ScreeningPool } from '../../src/screening/engine/pool.ts';
import { Catalogue } from '../../src/screening/lists/catalogue/catalogue.ts';
import { createDatasetFolder } from '../../src/screening/lists/folder/folder.ts';
import { Matcher } from '../../src/screening/match/matcher.ts';
import type { ScreeningEngine } from '../../src/screening/subjects/engine.ts';
import { SubjectIndex } from '../../src/screening/subjects/index/subject-index.ts';
import { type FollowListsOptions, ListFollower } from '../../src/screening/subjects/lists/follow-lists.ts';
import { WatchedScreener } from '../../src/screening/subjects/screen.ts';
import { handleScreening } from '../../src/screening/subjects/screening-job.ts';
import { WatchStore } from '../../src/screening/subjects/store.ts';
import { WatchedSubjects } from '../../src/screening/subjects/subjects.ts';
import { WorkedLists } from '../../src/screening/subjects/worked-lists.ts';
import type { Callback } from '../../src/webhooks/callback.ts';
import { REVIEW_TIMES } from '../review/review-times.ts';
import { testContext } from '../test-context.ts';
import { borrowWorker } from './borrowed-worker.ts';
import { storeList } from './listed-people.ts';

export const OWNER = liveOwner('a bank');

interface WatchingPlaceOptions {
  reference: string;
  subject: Omit<ScreeningSubject, 'id'>;
  dataset?: string;
  scoreThreshold?: number;
  callback?: Callback;
}

interface PlaceOptions extends Pick<FollowListsOptions, 'isWorthIt'> {
  /** Wraps the tables, to observe or delay access. */
  between?: (tables: Tables) => Tables;
  /** Whether the lists were compared with those of other machines, which a start waits for */
  isCompared?: () => boolean;
  /** Cleanup hook, if several tests share the place */
  atEnd?: (end: () => Promise<void>) => void;
  maxSubjects?: number;
}

interface Tables {
  database: Database;
  store: WatchStore;
  worked: WorkedLists;
  pool: ScreeningPool;
}

export type WatchingPlace = Awaited<ReturnType<typeof prepareWatching>>;

/**
 * Prepares a place. `isWorthIt` works as in ListFollower: if true, lists are looked up among the
 * subjects.
 */
export async function prepareWatching({
  isWorthIt,
  isCompared,
  between = (tables) => tables,
  atEnd = onTestFinished,
  maxSubjects = 1_000_000,
}: PlaceOptions = {}) {
  const storage = await createTestDatabase();
  const { dataDir } = storage;
  const { database: opened, sealer, jobs, clock, ids, log } = await testContext(storage);
  const folder = createDatasetFolder(dataDir);
  const { database, store, worked, pool } = between({
    database: opened,
    store: new WatchStore(opened),
    worked: new WorkedLists(opened),
    pool: new ScreeningPool({ size: 1, startWorker: borrowWorker }),
  });
  const catalogue = new Catalogue({
    folder,
    clock,
    log,
    sharing: isCompared && { isCompared, behind: () => new Set() },
    lookEveryMs: 10,
    onRetired: (edition) => pool.forget(edition),
  });
  /** Events of the webhooks to be sent, oldest first. */
  const sent: string[] = [];
  const webhooks = {
    async enqueue(_trx: unknown, { event }: { event: string }) {
      sent.push(event);
    },
    async deleteSession() {},
  };
  const { cases } = openReview({ database, sealer, clock, ids }, REVIEW_TIMES);
  const tools = { cases, database, store, worked, sealer, jobs, catalogue, folder, clock, ids, log, webhooks };
  const matcher = new Matcher({ catalogue, pool });

  /** Starts a process with this engine. `rescore` changes the scores of the current engine. */
  function start(engine?: ScreeningEngine, rescore: (score: number) => number = (score) => score) {
    const screener = new WatchedScreener({
      ...tools,
      engine,
      matcher: override(matcher, { match: withScores(matcher, rescore) }),
    });
    const subjects = new SubjectIndex({ ...tools, screener, pool });
    const follower = new ListFollower({ ...tools, screener, engine, subjects, isWorthIt });
    return {
      screener,
      subjects,
      follower,
      watched: new WatchedSubjects({
        ...tools,
        lists: async () => catalogue.loaded(),
        idempotency: new Idempotency(tools),
        engine,
        maxSubjects,
      }),
    };
  }

  let running = start();
  handleScreening(jobs, { screen: (...given) => running.screener.screen(...given) });
  catalogue.start();
  atEnd(async () => {
    await catalogue.close();
    await pool.close();
    await opened.close();
    await storage.dispose();
  });
  // `expect.poll` is unavailable in a hook.
  await vi.waitFor(() => expect(catalogue.progress()).toMatch(/^(ready|comparing)/), PATIENCE);
  const go = new AbortController().signal;

  return {
    /** State that all processes of this place share */
    shared: { database, sealer, catalogue, folder, pool, clock, ids, log },
    database,
    store,
    worked,
    clock,
    sent,
    get watched() {
      return running.watched;
    },
    /** Number of subjects in memory */
    get held() {
      return running.subjects.size;
    },
    upgrade(...given: Parameters<typeof start>) {
      running = start(...given);
    },
    screen: (id: string) => running.screener.screen([id as never], { signal: go }),
    /** Activates a version of a list. */
    async publish(name: string, entities: readonly ListedEntity[], version: string) {
      await storeList(dataDir, name, entities, version);
      await expect.poll(() => catalogue.loaded().find((list) => list.name === name)?.version).toBe(version);
    },
    /** Removes a list, as an operator does. */
    async withdraw(name: string) {
      await folder.remove(name);
      await expect.poll(() => catalogue.loaded().some((list) => list.name === name)).toBe(false);
    },
    /** Loses a list, as after a restore. With `isElsewhere`, another process still has it. */
    async lose(name: string, isElsewhere = false) {
      rmSync(join(dataDir, 'datasets', name), { recursive: true });
      await expect.poll(() => catalogue.loaded().some((list) => list.name === name)).toBe(false);
      if (!isElsewhere) clock.advance(11 * 60 * 1000);
    },
    async watch({ reference, subject, dataset = 'north', scoreThreshold = 0.85, callback }: WatchingPlaceOptions) {
      const { watched: put } = await running.watched.puts.put(OWNER, 'a key', {
        reference,
        subject,
        dataset,
        scoreThreshold,
        ...(callback && { callback }),
      });
      return put.row.id;
    },
    unwatch: (id: string) => running.watched.remove(OWNER, id),
    work: async () => {
      while ((await jobs.runDue()) > 0);
    },
    follow: () => running.follower.follow(go),
    /** Returns the whole history of a subject, oldest first. */
    async history(id: string) {
      const kept = [];
      for await (const page of running.watched.history(await running.watched.find(OWNER, id))) kept.push(...page);
      return kept;
    },
    /** Returns the alerts of one or all subjects, oldest first. */
    async alerts(reference?: string) {
      const found = await running.watched.alerts(OWNER, { limit: 10_000, before: undefined, subjectId: undefined });
      return found
        .reverse()
        .flatMap(({ row, content }) =>
          'match' in content ? [`${content.reference} ${row.kind} ${content.match.id}`] : [],
        )
        .filter((alert) => reference === undefined || alert.startsWith(`${reference} `));
    },
  };
}

function withScores(matcher: Matcher, rescore: (score: number) => number): Matcher['match'] {
  return async (order) => {
    const matched = await matcher.match(order);
    for (const { matches } of matched.outcomes) for (const match of matches) match.score = rescore(match.score);
    return matched;
  };
}
