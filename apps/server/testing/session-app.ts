// Age sessions on a real database, with a clock that the test moves.
import type { AgeSessionResult, CreatedAgeSession } from '@limen/contract';
import { onTestFinished } from 'vitest';
import { createPeopleStore } from '../src/faces/galleries/store/people.ts';
import { createProvisionalPeople } from '../src/faces/galleries/store/provisional-people.ts';
import type { ApiKeyKind, ApiKeys } from '../src/platform/api-keys/api-keys.ts';
import { type Owner, toOwner } from '../src/platform/api-keys/owner.ts';
import type { Database } from '../src/platform/database/database.ts';
import { createAccess } from '../src/platform/http/access.ts';
import { describeApi } from '../src/platform/http/reference/openapi.ts';
import { createHttpServer } from '../src/platform/http/server.ts';
import type { HttpServer } from '../src/platform/http/types.ts';
import type { Jobs } from '../src/platform/jobs/jobs.ts';
import { openReview } from '../src/review/open.ts';
import { createWalletLinkStore } from '../src/sessions/age/device/wallet-link-store.ts';
import { createEndSession, type EndAgeSession } from '../src/sessions/age/end-session.ts';
import { registerAgeSessionRoutes } from '../src/sessions/age/routes.ts';
import { createAgeSessions } from '../src/sessions/age/service.ts';
import { createSessionEvidence } from '../src/sessions/device/session-evidence.ts';
import { createChannelStore } from '../src/sessions/device/store.ts';
import type { ChannelClosing } from '../src/sessions/device/turns.ts';
import { createReadEvidence } from '../src/sessions/host/read-evidence.ts';
import { isOfKind, type Session } from '../src/sessions/lifecycle/session.ts';
import { Sessions } from '../src/sessions/lifecycle/sessions.ts';
import { createSessionStore } from '../src/sessions/lifecycle/store.ts';
import { startSessionTimers } from '../src/sessions/lifecycle/timers.ts';
import { PersonDevices } from '../src/sessions/proofs/devices.ts';
import { createFinishedChecks } from '../src/sessions/risk/finished-checks.ts';
import { SigningKeys } from '../src/signing/keys.ts';
import { createSigning } from '../src/signing/sign.ts';
import { openWebhooks } from '../src/webhooks/open.ts';
import { createTestDatabase, type TestDatabase } from './database/test-database.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';
import { REVIEW_TIMES } from './review/review-times.ts';
import { testContext } from './test-context.ts';

export const LAUNCH_URL = 'https://check.example/launch';
export const TTL_MS = 1_800_000;
export const RETENTION_MS = 24 * 60 * 60 * 1000;

export interface SessionApp {
  http: HttpServer;
  database: Database;
  dataDir: string;
  apiKeys: ApiKeys;
  jobs: Jobs;
  sessions: Sessions;
  endSession: EndAgeSession;
  /** Expires a session, as the timer and late readers do. */
  expire: (session: Session<'age'>) => Promise<void>;
  timers: ReturnType<typeof startSessionTimers>;
  clock: ManualClock;
  logged(): string;
}

interface SessionAppOptions {
  /** Storage shared with another app, whose creator disposes of it */
  storage?: TestDatabase;
  clock?: ManualClock;
  /** Cleanup hook; the end of the test by default */
  atEnd?: (dispose: () => Promise<void>) => void;
  /** Returns what a device channel counted and writes when its session ends. */
  closeChannel?: (sessionId: string) => Promise<ChannelClosing | null>;
}

export async function startSessionApp(options: SessionAppOptions = {}): Promise<SessionApp> {
  const { storage, clock = createManualClock(), atEnd = onTestFinished, closeChannel = async () => null } = options;
  const used = storage ?? (await createTestDatabase());
  const context = await testContext(used, { clock });
  const { database, sealer, apiKeys, jobs, ids, log, metrics, logged } = context;
  const webhookSettings = { allowPrivate: true, timeoutMs: 5_000, logDays: 30, areHeld: false };
  const { webhooks, close: closeWebhooks } = openWebhooks(context, webhookSettings, { activity: undefined });
  const store = createSessionStore(database);
  const { cases } = openReview(context, REVIEW_TIMES);
  const neighbors = {
    cases,
    readEvidence: createReadEvidence(database, sealer),
    webhooks,
    deviceChannels: createChannelStore(database, sealer),
    unfinished: [
      createProvisionalPeople({
        database,
        store: createPeopleStore(database, sealer, log),
        clock,
        settleTokens: async () => {},
      }),
      new PersonDevices({ database, sealer, clock, ids, log }),
    ],
  };
  const sessions = new Sessions(context, store, neighbors, RETENTION_MS);
  const evidence = createSessionEvidence(database, sealer, (_nonce, kept: unknown) => kept);
  const links = createWalletLinkStore(database, sealer);
  const endSession = createEndSession(
    context,
    { sessions, webhooks },
    { evidence, links, activity: { count() {} }, finishedChecks: createFinishedChecks(context, 60) },
  );
  const core = { sessions, closeChannel };
  const ageSessions = createAgeSessions(context, core, {
    endSession,
    cases,
    launchUrl: (sessionId) => new URL(`${LAUNCH_URL}?sessionId=${sessionId}`),
    ttlMs: TTL_MS,
    lightChallenge: 'flag',
  });
  const timers = startSessionTimers({ jobs, log }, sessions, ['age'], async (session) =>
    isOfKind(session, 'age') ? ageSessions.expire(session) : undefined,
  );

  const http = createHttpServer({ metrics, log });
  await describeApi(http, '0.0.0');
  const signing = createSigning(
    new SigningKeys({ database, sealer, clock, log }),
    () => new URL(LAUNCH_URL).origin,
    clock,
  );
  registerAgeSessionRoutes({ http, access: createAccess(apiKeys, undefined), signing }, ageSessions, undefined);
  await http.ready();
  atEnd(async () => {
    await http.close();
    await jobs.stop();
    await closeWebhooks();
    await database.close();
    if (!storage) await used.dispose();
  });
  const { expire } = ageSessions;
  return {
    http,
    database,
    dataDir: used.dataDir,
    apiKeys,
    jobs,
    sessions,
    endSession,
    expire,
    timers,
    clock,
    logged,
  };
}

export interface Host {
  apiKey: string;
  owner: Owner;
  create(body?: object, headers?: Record<string, string>): Promise<AgeReply<CreatedAgeSession>>;
  result(token: string): Promise<AgeReply<AgeSessionResult>>;
  redact(token: string): Promise<AgeReply<unknown>>;
  simulate(token: string, body: object): Promise<AgeReply<AgeSessionResult>>;
  call<T>(method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object): Promise<AgeReply<T>>;
}

export interface AgeReply<T> {
  status: number;
  /** Typed reply. Errors have other fields, which tests check as text. */
  body: T;
  text: string;
}

/** Creates a host application with its own key. Keys of one customer share their data. */
export async function newHost(
  { http, apiKeys }: Pick<SessionApp, 'http' | 'apiKeys'>,
  kind: ApiKeyKind = 'test',
  customerId?: string,
): Promise<Host> {
  const wanted = { kind, clientCredentials: false, ...(customerId === undefined ? {} : { customerId }) };
  const { apiKey, record } = await apiKeys.create(wanted);
  const call = async <T>(method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object, headers = {}) => {
    const sent = { 'x-api-key': apiKey, ...headers };
    const reply = await http.inject({ method, url, headers: sent, ...(payload === undefined ? {} : { payload }) });
    return { status: reply.statusCode, body: (reply.body === '' ? undefined : reply.json()) as T, text: reply.body };
  };
  return {
    apiKey,
    owner: toOwner(record),
    call,
    create: (body, headers) => call<CreatedAgeSession>('POST', '/session', body, headers),
    result: (token) => call<AgeSessionResult>('GET', `/session/${token}/result`),
    redact: (token) => call('DELETE', `/session/${token}`),
    simulate: (token, body) => call<AgeSessionResult>('POST', `/session/${token}/simulate`, body),
  };
}
