// An application with its own lists for the tests of a file, and hosts that watch subjects.
import type { ListedEntity } from '@limen/screening';
import { afterAll, beforeAll } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';
import { untilReady } from '#testing/until-ready.ts';
import type { ApiKeyKind } from '../../src/platform/api-keys/api-keys.ts';
import { storeList } from './listed-people.ts';

export interface WatchingApp {
  app: TestApp;
  storage: TestDatabase;
  clock: ManualClock;
  /** Runs due jobs until none is left; sends webhooks too. */
  work(): Promise<void>;
}

/** Filled before the first test, with the first version of these lists */
export function useWatchingApp(lists: Readonly<Record<string, readonly ListedEntity[]>>): WatchingApp {
  const room = {} as WatchingApp;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    room.clock = createManualClock();
    room.storage = await createTestDatabase();
    for (const [name, entities] of Object.entries(lists)) await storeList(room.storage.dataDir, name, entities, '1');
    room.app = await startTestApp({
      clock: room.clock,
      database: room.storage,
      atEnd: (end) => void ends.push(end),
      environment: { SERVE: 'core', WEBHOOK_ALLOW_PRIVATE: 'true' },
      sanctionsTuning: { workers: 1 },
    });
    await untilReady(room.app);
    room.work = async () => {
      while ((await room.app.jobs.runDue()) > 0);
    };
  });
  afterAll(async () => {
    for (const end of ends) await end();
    await room.storage.dispose();
  });
  return room;
}

export interface WatchingHost {
  apiKey: string;
  call<T>(method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object): Promise<WatchingReply<T>>;
  /** Watches a subject and returns its id. */
  watch(body: object): Promise<string>;
}

export interface WatchingReply<T> {
  status: number;
  /** Typed reply. Errors have other fields, which tests check as text. */
  body: T;
  text: string;
}

export async function newWatchingHost(
  { app }: WatchingApp,
  kind: ApiKeyKind = 'test',
  customerId?: string,
): Promise<WatchingHost> {
  const customer = customerId === undefined ? {} : { customerId };
  const { apiKey } = await app.apiKeys.create({ kind, clientCredentials: false, ...customer });
  const host: WatchingHost = {
    apiKey,
    async call<T>(method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) {
      const headers = { 'x-api-key': apiKey };
      const reply = await app.http.inject({ method, url, headers, ...(payload && { payload }) });
      const body = reply.body === '' ? undefined : reply.json();
      return { status: reply.statusCode, body: body as T, text: reply.body };
    },
    async watch(body) {
      const reply = await host.call<{ id: string }>('POST', '/v2/screening/subjects', body);
      if (reply.status > 201) throw new Error(reply.text);
      return reply.body.id;
    },
  };
  return host;
}
