// Webhooks on a real database with real calls and a clock that the test moves.

import pino from 'pino';
import { onTestFinished } from 'vitest';
import { createTestDatabase } from '#testing/database/test-database.ts';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import { testOwner } from '#testing/owners.ts';
import { type ApiKeyRecord, type ApiKeys, createApiKeys } from '../../src/platform/api-keys/api-keys.ts';
import { createApiKeyStore } from '../../src/platform/api-keys/store.ts';
import { createIds } from '../../src/platform/base/ids.ts';
import { type Database, openDatabase } from '../../src/platform/database/database.ts';
import { Jobs } from '../../src/platform/jobs/jobs.ts';
import { JobStore } from '../../src/platform/jobs/store.ts';
import type { GetOptions, Outbound } from '../../src/platform/outbound/guarded-fetch.ts';
import { openKeyring } from '../../src/platform/sealing/keyring.ts';
import type { LaneLimits } from '../../src/webhooks/lanes.ts';
import { createWebhookOutbound } from '../../src/webhooks/open.ts';
import { createWebhooks, type NewWebhook, type Webhooks } from '../../src/webhooks/outbox.ts';
import { createWebhookStore, type DeliveryRecord } from '../../src/webhooks/store.ts';
import { override } from '../override.ts';
import { type ReceiverAnswer, startReceiver } from './receiver.ts';

const CUSTOMER = 'customer-1';
export const OWNER = testOwner(CUSTOMER);
const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const RETENTION_MS = 24 * HOUR_MS;
/** Delays between attempts. */
export const WAITS_MS = [5_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS];

interface ProcessOptions {
  timeoutMs?: number;
  allowPrivate?: boolean;
  laneLimits?: LaneLimits;
  /** Grace period of running calls at a stop; none by default */
  graceMs?: number;
  /** Replaces real calls. */
  outbound?: Outbound;
  /**
   * Whether the process claims its webhooks and then dies: it sends nothing, renews no lease and takes no
   * other job
   */
  diesBeforeSending?: true;
}

interface AnyContent {
  sessionId?: string;
  body?: unknown;
  ephemeral?: object;
}

export interface WebhookProcess {
  webhooks: Webhooks;
  jobs: Jobs;
  /** Writes one webhook and commits. The body is sent as given. */
  write(webhook: Partial<Omit<NewWebhook, 'event' | keyof AnyContent>> & AnyContent & { url: string }): Promise<void>;
  /** Returns the log, oldest first. */
  log(): Promise<DeliveryRecord[]>;
}

/** Runs due jobs until none is left. */
export async function settle({ jobs }: WebhookProcess): Promise<void> {
  while ((await jobs.runDue()) > 0);
}

export interface WebhookPlace {
  database: Database;
  dataDir: string;
  clock: ManualClock;
  apiKeys: ApiKeys;
  key: { record: ApiKeyRecord; apiKey: string };
  logged(): string;
  /** Starts another process on the same database. */
  start(options?: ProcessOptions): WebhookProcess;
}

const NEVER_SENDS: Outbound = { get: waitForEnd, post: waitForEnd, close: async () => {} };

function waitForEnd(_url: string, { signal }: GetOptions): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
}

export async function prepareWebhooks(): Promise<WebhookPlace> {
  const place = await createTestDatabase();
  const database = openDatabase(place);
  const closing: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const close of closing) await close();
    await database.close();
    await place.dispose();
  });
  const clock = createManualClock();
  const ids = createIds(clock);
  const { sealer } = await openKeyring({
    database,
    dataDir: place.dataDir,
    masterKey: Buffer.alloc(32, 1),
    clock,
    ids,
  });
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const store = createApiKeyStore(database, sealer, log);
  const apiKeys = createApiKeys({ store, sealer, clock, ids, allowDevelopmentKeys: true });
  const key = await apiKeys.create({ kind: 'test', customerId: CUSTOMER, clientCredentials: false });

  return {
    database,
    dataDir: place.dataDir,
    clock,
    apiKeys,
    key,
    logged: () => lines.join(''),
    start({ timeoutMs = 10_000, allowPrivate = true, laneLimits, graceMs = 0, diesBeforeSending, ...rest } = {}) {
      const real = () => createWebhookOutbound({ allowPrivate, timeoutMs });
      const outbound = rest.outbound ?? (diesBeforeSending ? NEVER_SENDS : real());
      const jobStore = new JobStore(database);
      const ofTheDead = override(jobStore, { renew: async () => true, listDue: async () => [], claim: async () => [] });
      const jobs = new Jobs({ database, store: diesBeforeSending ? ofTheDead : jobStore, sealer, clock, ids, log });
      const tools = { database, jobs, sealer, apiKeys, clock, ids, log, random: () => 0.5, graceMs, logDays: 30 };
      const webhooks = createWebhooks({
        ...tools,
        ...(laneLimits && { laneLimits }),
        store: createWebhookStore(database),
        outbound,
      });
      closing.push(async () => {
        await jobs.stop();
        await outbound.close();
      });
      return {
        webhooks,
        jobs,
        async write(given) {
          const defaults = { owner: OWNER, apiKeyId: key.record.id, sessionId: 'session-1', headers: {} };
          const rest = { body: { flowStatus: 'COMPLETED' }, purgeAt: clock.now() + RETENTION_MS };
          const webhook = { event: 'age_session.ended', ...defaults, ...rest, ...given } as NewWebhook;
          await database.transact((trx) => webhooks.enqueue(trx, webhook));
        },
        log: async () => (await webhooks.list(OWNER, { limit: 1_000 })).reverse(),
      };
    },
  };
}

/** Delivers one webhook to a receiver with this answer, up to after the first attempt. */
export async function deliverOnce(answer: ReceiverAnswer, options: ProcessOptions = {}) {
  const place = await prepareWebhooks();
  const receiver = await startReceiver(() => answer);
  const process = place.start(options);
  await process.write({ url: receiver.url });
  await settle(process);
  const [delivery] = await process.log();
  return { ...place, receiver, process, delivery: delivery! };
}
