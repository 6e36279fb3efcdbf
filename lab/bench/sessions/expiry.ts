// Many sessions that expire simultaneously during steady requests: duration, and effect on the
// requests.
import { mkdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { createApiKeys } from '../../../apps/server/src/platform/api-keys/api-keys.ts';
import { toOwner } from '../../../apps/server/src/platform/api-keys/owner.ts';
import { createApiKeyStore } from '../../../apps/server/src/platform/api-keys/store.ts';
import { systemClock as clock } from '../../../apps/server/src/platform/base/clock.ts';
import { createIds } from '../../../apps/server/src/platform/base/ids.ts';
import { sqliteFile } from '../../../apps/server/src/platform/database/database.ts';
import { Idempotency } from '../../../apps/server/src/platform/idempotency/idempotency.ts';
import { openStorage } from '../../../apps/server/src/platform/storage.ts';
import { readContents } from '../../../apps/server/src/sessions/age/contents.ts';
import { Sessions } from '../../../apps/server/src/sessions/lifecycle/sessions.ts';
import { createSessionStore } from '../../../apps/server/src/sessions/lifecycle/store.ts';
import type { Stage } from '../shared/stage.ts';
import { API_KEY, createHost, pause, startService, type WebhookReceiver } from './service.ts';

const PER_TRANSACTION = 500;
/** One in this many has a callback. */
const WITH_WEBHOOK = 10;
/** Warms up after the start, alone and with requests, and measures the unloaded latency. */
const STARTING_MS = 2_000;
const WARM_UP_MS = 8_000;
const ALONE_MS = 3_000;
const IDLE_MS = 14_000;
const REQUEST_EVERY_MS = 10;
const MAX_SECONDS = 300;
const SAMPLE = 2_000;

export interface ExpiryFigures {
  /** Latencies of the steady requests, before and during. */
  idleMs: number[];
  besideMs: number[];
  /** From the expiry until the last session had ended, and until its webhook arrived. */
  endedSeconds: number;
  deliveredSeconds: number;
  expired: number;
  webhooks: { expected: number; received: number; different: number };
}

export async function measureExpiry(stage: Stage, dataDir: string, count: number, receiver: WebhookReceiver) {
  const expiresAt =
    clock.now() + (await estimateFillMs(`${dataDir}-sample`, count)) + STARTING_MS + WARM_UP_MS + IDLE_MS;
  await fill(dataDir, count, { expiresAt, webhookUrl: receiver.url });
  const earlyMs = expiresAt - clock.now() - STARTING_MS - WARM_UP_MS - IDLE_MS;
  if (earlyMs < 0) throw new Error('the sessions took longer to make than a sample of them promised; try again');
  await pause(earlyMs);
  const service = await startService(stage, dataDir);
  const host = createHost(service);
  const watch = new DatabaseSync(sqliteFile(dataDir), { readOnly: true });
  const findOpen = watch.prepare('select 1 from sessions where ended_at is null and expires_at = ? limit 1');
  const countExpired = watch.prepare("select count(*) as n from sessions where expires_at = ? and state = 'expired'");
  const before = await receiver.counts();

  await pause(ALONE_MS);
  const requests = steadyRequests(host);
  // The very first requests take ten times as long, and one in a hundred would affect the p99.
  await pause(WARM_UP_MS - ALONE_MS);
  requests.take();
  await pause(expiresAt - clock.now());
  const idleMs = requests.take();
  while (findOpen.get(expiresAt)) {
    await pause(100);
    if (clock.now() - expiresAt > MAX_SECONDS * 1000) throw new Error('the sessions do not end');
  }
  const endedSeconds = (clock.now() - expiresAt) / 1000;
  const besideMs = requests.take();
  const expected = Math.ceil(count / WITH_WEBHOOK);
  await receiver.until(before.different + expected, MAX_SECONDS);
  const deliveredSeconds = (clock.now() - expiresAt) / 1000;
  await requests.stop();
  const expired = Number(countExpired.get(expiresAt)?.['n']);
  watch.close();
  const after = await receiver.counts();
  const webhooks = {
    expected,
    received: after.received - before.received,
    different: after.different - before.different,
  };
  return { idleMs, besideMs, endedSeconds, deliveredSeconds, expired, webhooks } satisfies ExpiryFigures;
}

/** Sends at fixed times regardless of replies (no coordinated omission). */
function steadyRequests(host: ReturnType<typeof createHost>) {
  let latencies: number[] = [];
  let failure: unknown;
  let token: string | undefined;
  const open = new Set<Promise<void>>();
  const fire = async (nth: number) => {
    const start = performance.now();
    if (nth % 2 === 0 || token === undefined) token = (await host.create(undefined)).token;
    else await host.read(token);
    latencies.push(performance.now() - start);
  };
  let nth = 0;
  const timer = setInterval(() => {
    const request = fire(nth++)
      .catch((error) => {
        failure ??= error;
      })
      .finally(() => open.delete(request));
    open.add(request);
  }, REQUEST_EVERY_MS);
  return {
    take(): number[] {
      if (failure) throw failure;
      const taken = latencies;
      latencies = [];
      return taken;
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      if (failure) throw failure;
    },
  };
}

/** Seals bind rows to their time, so the time must be known in advance. */
async function estimateFillMs(dataDir: string, count: number): Promise<number> {
  mkdirSync(dataDir);
  const start = performance.now();
  await fill(dataDir, SAMPLE, { expiresAt: clock.now() + 86_400_000, webhookUrl: undefined });
  // 50% extra, because waiting is cheaper than sessions that expire during creation.
  return 1.5 * (performance.now() - start) * Math.max(1, count / SAMPLE);
}

interface FillOptions {
  expiresAt: number;
  webhookUrl: string | undefined;
}

/** As the service itself would have created them. */
async function fill(dataDir: string, count: number, { expiresAt, webhookUrl }: FillOptions): Promise<void> {
  const ids = createIds(clock);
  const { database, sealer } = await openStorage({ url: undefined, dataDir, masterKey: undefined, clock, ids });
  const store = createApiKeyStore(database, sealer, console);
  const keys = createApiKeys({ store, sealer, clock, ids, allowDevelopmentKeys: true });
  const key = await keys.ensureDevelopmentKey(API_KEY);
  const idle = {
    forgetSessions: async () => {},
    deleteSession: async () => {},
    forget: async () => {},
    openForSession: async () => {},
    sessionsWithCase: async () => new Set<never>(),
    keepEvidence: async () => {},
    findKept: async () => undefined,
    deleteOf: async () => {},
  };
  const neighbors = {
    webhooks: idle,
    cases: idle,
    readEvidence: async () => ({ course: null, deliveries: [] }),
    deviceChannels: idle,
    unfinished: [],
  };
  const idempotency = new Idempotency({ database, sealer, clock });
  const context = { database, sealer, clock, ids, idempotency };
  const sessions = new Sessions(context, createSessionStore(database), neighbors, 86_400_000);
  const plain = readContents({}, true);
  const withWebhook = readContents(webhookUrl ? { callback: { url: webhookUrl } } : {}, true);
  const common = { kind: 'age', owner: toOwner(key), apiKeyId: key.id } as const;
  for (let made = 0; made < count; made += PER_TRANSACTION) {
    await database.transact(async (trx) => {
      for (let nth = made; nth < Math.min(made + PER_TRANSACTION, count); nth += 1) {
        const contents = nth % WITH_WEBHOOK === 0 ? withWebhook : plain;
        await sessions.create(trx, { ...common, expiresAt, contents });
      }
    });
  }
  await database.checkpoint();
  await database.close();
}
