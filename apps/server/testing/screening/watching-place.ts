// Watching on a real database with lists of its own, where the test says when subjects are screened and lists are followed.

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

interface Wanted {
  reference: string;
  subject: Omit<ScreeningSubject, 'id'>;
  dataset?: string;
  scoreThreshold?: number;
  callback?: Callback;
}

interface PlaceOptions extends Pick<FollowListsOptions, 'isWorthIt'> {
  /** Stands between watching and its tables, to see or hold up what happens there. */
  between?: (tables: Tables) => Tables;
  /** Whether the lists were compared with those of other machines; the start is not over before. */
  isCompared?: () => boolean;
  /** Where several tests share the place. */
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

/** `isWorthIt` as of ListFollower: lists are looked up among the subjects where it says so. */
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
  /** Events of the webhooks that were to be sent, oldest first. */
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

  /** As a process of this engine runs it; `rescore` is what sets the engine apart from the one there is. */
  function start(engine?: ScreeningEngine, rescore: (score: number) => number = (score) => score) {
    const screener = new WatchedScreener({
      ...tools,
      engine,
      matcher: override(matcher, { match: scoredBy(matcher, rescore) }),
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
  // In a hook there is no test that could poll.
  await vi.waitFor(() => expect(catalogue.progress()).toMatch(/^(ready|comparing)/), PATIENCE);
  const go = new AbortController().signal;

  return {
    /** What all processes of this place share. */
    shared: { database, sealer, catalogue, folder, pool, clock, ids, log },
    database,
    store,
    worked,
    clock,
    sent,
    get watched() {
      return running.watched;
    },
    /** How many subjects are in memory. */
    get held() {
      return running.subjects.size;
    },
    upgrade(...given: Parameters<typeof start>) {
      running = start(...given);
    },
    screen: (id: string) => running.screener.screen([id as never], { signal: go }),
    /** Puts a version of a list into service. */
    async publish(name: string, entities: readonly ListedEntity[], version: string) {
      await storeList(dataDir, name, entities, version);
      await expect.poll(() => catalogue.loaded().find((one) => one.name === name)?.version).toBe(version);
    },
    /** As an operator removes it. */
    async withdraw(name: string) {
      await folder.remove(name);
      await expect.poll(() => catalogue.loaded().some((one) => one.name === name)).toBe(false);
    },
    /** As after a restore, which brings no lists; where another process was just seen to have it, this one alone has lost it. */
    async lose(name: string, isElsewhere = false) {
      rmSync(join(dataDir, 'datasets', name), { recursive: true });
      await expect.poll(() => catalogue.loaded().some((one) => one.name === name)).toBe(false);
      if (!isElsewhere) clock.advance(11 * 60 * 1000);
    },
    async watch({ reference, subject, dataset = 'north', scoreThreshold = 0.85, callback }: Wanted) {
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
    /** All that is kept of a subject, oldest first. */
    async history(id: string) {
      const kept = [];
      for await (const page of running.watched.history(await running.watched.find(OWNER, id))) kept.push(...page);
      return kept;
    },
    /** Oldest first, of one subject or of all. */
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

function scoredBy(matcher: Matcher, rescore: (score: number) => number): Matcher['match'] {
  return async (order) => {
    const matched = await matcher.match(order);
    for (const { matches } of matched.outcomes) for (const one of matches) one.score = rescore(one.score);
    return matched;
  };
}
