// One life of a process that watches: at a transaction that the test chose it dies, and nothing it does afterwards reaches anybody.
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

export interface Death {
  /** In the transaction of this number. */
  at: number;
  /** Whether that transaction is on disk; whoever waited for it does not hear of it. */
  isCommitted: boolean;
}

interface LifeOptions {
  apiKeys: ApiKeys;
  /** Hears of what is sent. */
  onSent(body: string): void;
  /** Never, where there is none. */
  death?: Death | undefined;
  /** Between two pages of a walk through everybody. */
  onWalk(): Promise<void>;
}

/** All that a process holds is made anew; what is only read, such as lists and threads, is shared with the lives before. */
export function startLife({ shared }: WatchingPlace, { apiKeys, onSent, death, onWalk }: LifeOptions) {
  const { database, isDead } = mortal(shared.database, death);
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

function mortal(real: Database, death: Death | undefined): { database: Database; isDead: () => boolean } {
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
