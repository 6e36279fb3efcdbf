// One life of a watching process: it dies at a chosen transaction, and nothing after that has an
// effect.
import { override } from '#testing/override.ts';
import type { ApiKeys } from '../../src/platform/api-keys/api-keys.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { Idempotency } from '../../src/platform/idempotency/idempotency.ts';
import { Jobs } from '../../src/platform/jobs/jobs.ts';
import { JobStore } from '../../src/platform/jobs/store.ts';
import { openReview } from '../../src/review/open.ts';
import { Matcher } from '../../src/screening/match/matcher.ts';
import { SubjectIndex } from '../../src/screening/subjects/index/subject-index.ts';
import { ListFollower } from '../../src/screening/subjects/lists/follow-lists.ts';
import { WatchedScreener } from '../../src/screening/subjects/screen.ts';
import { handleScreening } from '../../src/screening/subjects/screening-job.ts';
import { WatchStore } from '../../src/screening/subjects/store.ts';
import { WatchedSubjects } from '../../src/screening/subjects/subjects.ts';
import { WorkedLists } from '../../src/screening/subjects/worked-lists.ts';
import { createWebhooks } from '../../src/webhooks/outbox.ts';
import { createWebhookStore } from '../../src/webhooks/store.ts';
import { REVIEW_TIMES } from '../review/review-times.ts';
import type { WatchingPlace } from './watching-place.ts';

export interface ProcessDeath {
  /** Number of the transaction */
  at: number;
  /** Whether that transaction is committed. Its caller gets no reply either way. */
  isCommitted: boolean;
}

interface LifeOptions {
  apiKeys: ApiKeys;
  /** Receives each sent body. */
  onSent(body: string): void;
  /** Point of death, if any */
  death?: ProcessDeath | undefined;
  /** Runs between two pages of a walk through all subjects. */
  onWalk(): Promise<void>;
}

/**
 * Creates all state of a process again. Read-only state, such as lists and threads, is shared with
 * earlier lives.
 */
export function startLife({ shared }: WatchingPlace, { apiKeys, onSent, death, onWalk }: LifeOptions) {
  const { database, isDead } = createMortalDatabase(shared.database, death);
  const tools = { ...shared, database, apiKeys, logDays: 30, graceMs: 0 };
  const jobs = new Jobs({ ...tools, store: new JobStore(database) });
  const webhooks = createWebhooks({
    ...tools,
    jobs,
    store: createWebhookStore(database),
    outbound: {
      async post(_url, { body }, read) {
        if (isDead()) throw new Error('dead');
        onSent(Buffer.from(body).toString());
        return read({ status: 200, header: () => undefined, async *body() {} });
      },
      get: () => Promise.reject(new Error('nothing is fetched here')),
      async close() {},
    },
  });
  const store = new WatchStore(database);
  const known = new WorkedLists(database);
  const worked = override(known, {
    async versionsAfter(after, limit, world) {
      if (after !== '') await onWalk();
      return known.versionsAfter(after, limit, world);
    },
  });
  const { cases } = openReview(tools, REVIEW_TIMES);
  const lists = async () => shared.catalogue.loaded();
  const watching = { ...tools, cases, jobs, webhooks, store, worked, lists };
  const screener = new WatchedScreener({ ...watching, matcher: new Matcher(shared) });
  handleScreening(jobs, screener);
  const subjects = new SubjectIndex({ ...watching, screener });
  const follower = new ListFollower({ ...watching, screener, subjects });
  return {
    isDead,
    jobs,
    watched: new WatchedSubjects({ ...watching, maxSubjects: 1_000_000, idempotency: new Idempotency(tools) }),
    follow: () => follower.follow(new AbortController().signal),
  };
}

function createMortalDatabase(
  real: Database,
  death: ProcessDeath | undefined,
): { database: Database; isDead: () => boolean } {
  let transactions = 0;
  let isDead = false;
  const die = () => {
    isDead = true;
    throw new Error('dead');
  };
  const queries = new Proxy(real.queries, {
    get(target, name) {
      if (isDead) throw new Error('dead');
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return {
    isDead: () => isDead,
    database: {
      ...real,
      queries,
      async transact(work, options) {
        if (isDead) throw new Error('dead');
        transactions += 1;
        const isLast = transactions === death?.at;
        const result = await real.transact(async (trx) => {
          const done = await work(trx);
          return isLast && !death?.isCommitted ? die() : done;
        }, options);
        return isLast ? die() : result;
      },
    },
  };
}
