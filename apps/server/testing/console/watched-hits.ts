// A list with one name, a host that watches people of that name, and operators who decide on the
// hits.
import { afterAll, beforeAll } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { newHost } from '#testing/session-app.ts';
import { untilReady } from '#testing/until-ready.ts';
import { defineRecurringJob } from '../../src/platform/jobs/job.ts';
import type { CasePageView, CaseView } from '../../src/review/console/views.ts';
import { createListedEntity, storeList } from '../screening/listed-people.ts';
import { type ConsoleApp, newOperator, startConsoleApp, type TestOperator } from './console-app.ts';

export const LISTED = { name: 'Torvald Eskeland', birthDate: '1961-04-09' } as const;

interface Hit {
  id: string;
  entryHash: string;
  decision?: object;
}

export interface WatchedHitIds {
  /** Id of the subject */
  id: string;
  found: CaseView;
}

export interface WatchedHits {
  app: ConsoleApp;
  storage: TestDatabase;
  /** Reviewers, in the order of their names */
  operators: TestOperator[];
  host<T>(method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object): Promise<T>;
  /** Runs due jobs, including those they enqueue. */
  work(): Promise<void>;
  /** Watches a subject who may be the listed person. */
  watch(): Promise<WatchedHitIds>;
  caseOf(subjectId: string): Promise<CaseView | undefined>;
  hitOf(subjectId: string): Promise<Hit>;
}

/** Filled before the first test */
export function useWatchedHits(names: readonly string[], environment: Record<string, string> = {}): WatchedHits {
  let apiKey: string;
  let subjects = 0;
  const room = { host, work, watch, caseOf, hitOf } as WatchedHits;

  beforeAll(async () => {
    room.storage = await createTestDatabase();
    await storeList(room.storage.dataDir, 'north', [createListedEntity('n-1', LISTED.name, LISTED.birthDate)], '1');
    const tuning = { sanctionsTuning: { workers: 1 }, environment };
    room.app = await startConsoleApp({ atEnd: afterAll, database: room.storage, ...tuning });
    afterAll(room.storage.dispose);
    room.operators = await Promise.all(names.map((name) => newOperator(room.app, 'reviewer', name)));
    ({ apiKey } = await newHost(room.app));
    await untilReady(room.app);
    const follow = defineRecurringJob('watching.lists', 15_000);
    await room.app.database.transact((trx) => room.app.jobs.enqueue(trx, follow, null, { uniqueKey: 'recurring' }));
  });
  return room;

  async function host<T>(method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object): Promise<T> {
    const headers = { 'x-api-key': apiKey };
    const reply = await room.app.http.inject({ method, url, headers, ...(payload && { payload }) });
    if (reply.statusCode >= 300) throw new Error(reply.body);
    return reply.body === '' ? (undefined as T) : reply.json<T>();
  }

  async function work(): Promise<void> {
    while ((await room.app.jobs.runDue()) > 0);
  }

  async function watch(): Promise<WatchedHitIds> {
    subjects += 1;
    const body = { reference: `ref-${subjects}`, ...LISTED, dataset: 'north' };
    const { id } = await host<{ id: string }>('POST', '/v2/screening/subjects', body);
    await work();
    return { id, found: (await caseOf(id))! };
  }

  async function caseOf(subjectId: string): Promise<CaseView | undefined> {
    const operator = room.operators[0]!;
    for (const filters of [{}, { state: 'decided' }]) {
      const body = { kind: 'hit', ...filters };
      const page = (await operator.call('POST /console/api/review/search', { body })).json<CasePageView>();
      const row = page.cases!.find(({ about }) => about === subjectId);
      if (row) return (await operator.call('GET /console/api/review/:id', { ids: [row.id] })).json();
    }
    return undefined;
  }

  async function hitOf(subjectId: string): Promise<Hit> {
    const { hits } = await host<{ hits: Hit[] }>('GET', `/v2/screening/subjects/${subjectId}/hits`);
    return hits[0]!;
  }
}
