// One application for the tests of a file, hosts with verification sessions, and their devices.
import type { CreatedVerificationSession, VerificationSessionResult } from '@limen/contract';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import { afterAll, beforeAll } from 'vitest';
import { createAuthenticator } from '#testing/authenticator.ts';
import { createTestDatabase, type TestDatabase } from '#testing/database/test-database.ts';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';
import { capture, type Face, type PersonKey } from '#testing/verification-device.ts';
import type { ApiKeyKind } from '../../src/platform/api-keys/api-keys.ts';

export {
  type Capture,
  capture,
  type Face,
  newAddress,
  newFace,
  newPersonKey,
  type PersonKey,
  type ReadyChallenge,
  sameFace,
} from '#testing/verification-device.ts';

export const NOBODY_LISTENS = 'http://127.0.0.1:1/hook';
export const PAGE_ORIGIN = 'https://check.example';

export interface VerificationApp {
  app: TestApp;
  storage: TestDatabase;
  clock: ManualClock;
}

/** Filled before the first test */
export function useVerificationApp(environment: Record<string, string> = {}): VerificationApp {
  const room = {} as VerificationApp;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    room.clock = createManualClock();
    room.storage = await createTestDatabase();
    room.app = await startTestApp({
      clock: room.clock,
      database: room.storage,
      atEnd: (end) => void ends.push(end),
      environment: { SERVE: 'core,launch,node', PUBLIC_URL: PAGE_ORIGIN, ...environment },
    });
  });
  afterAll(async () => {
    for (const end of ends) await end();
    await room.storage.dispose();
  });
  return room;
}

export interface Reply<T> {
  status: number;
  /** Typed reply with the fields of an error */
  body: T & { message?: string; details?: { path: string }[] };
  text: string;
  headers: Record<string, unknown>;
}

export interface VerificationHost {
  apiKey: string;
  headers: Record<string, string>;
  call<T>(method: 'GET' | 'POST' | 'DELETE', path: string, payload?: unknown): Promise<Reply<T>>;
  create(body: object, headers?: Record<string, string>): Promise<Reply<CreatedVerificationSession>>;
  /** Starts a session with all required fields and returns its id. */
  start(type: string, more?: object): Promise<string>;
  result(sessionId: string): Promise<Reply<VerificationSessionResult>>;
  trustDevice(sessionId: string): Promise<Reply<object>>;
  deletePerson(puid: string): Promise<number>;
}

/** Creates a key without client credentials, of a new customer by default. */
export async function newVerificationHost(
  { app }: Pick<VerificationApp, 'app'>,
  kind: ApiKeyKind = 'test',
  customerId?: string,
): Promise<VerificationHost> {
  const customer = customerId === undefined ? {} : { customerId };
  const { apiKey } = await app.apiKeys.create({ kind, label: 'Wine shop', clientCredentials: false, ...customer });
  return hostWith(app, apiKey);
}

/** Returns a host with an existing key. */
export function hostWith(app: TestApp, apiKey: string): VerificationHost {
  const headers = { 'x-api-key': apiKey };
  const host: VerificationHost = {
    apiKey,
    headers,
    async call<T>(method: 'GET' | 'POST' | 'DELETE', path: string, payload?: unknown, more = {}) {
      const sent = { method, url: path, headers: { ...headers, ...more } };
      const reply = await app.http.inject(payload === undefined ? sent : { ...sent, payload: payload as object });
      const body = reply.body === '' ? undefined : reply.json();
      return { status: reply.statusCode, body, text: reply.body, headers: reply.headers } as Reply<T>;
    },
    async create(body, more = {}) {
      const url = '/v2/verification-session';
      const reply = await app.http.inject({ method: 'POST', url, headers: { ...headers, ...more }, payload: body });
      return { status: reply.statusCode, body: reply.json(), text: reply.body, headers: reply.headers };
    },
    async start(type, more = {}) {
      const { body, text } = await host.create({ ...createBody(type), ...more });
      if (!body.sessionId) throw new Error(text);
      return body.sessionId;
    },
    result: (sessionId) => host.call('GET', `/v2/verification-session/${sessionId}/result`),
    trustDevice: (sessionId) => host.call('POST', `/v2/verification-session/${sessionId}/trust-device`),
    async deletePerson(puid) {
      return (await host.call('POST', '/node/FACE3_1/deleteUser', { api_key: apiKey, puid })).status;
    },
  };
  return host;
}

/** Returns the required fields of a session. */
export function createBody(type: string): Record<string, unknown> {
  return {
    type,
    redirectURL: 'https://shop.example/done',
    callback: { url: NOBODY_LISTENS },
    ...(type === 'ENROLL' ? {} : { locale: 'en' }),
  };
}

/** Completes an enrollment of this face. The device gets the key. */
export async function enroll(room: VerificationApp, host: VerificationHost, face: Face, key?: PersonKey) {
  const session = await capture(room, await host.start('ENROLL'));
  await session.reach('token');
  const { body } = await session.show(face, key);
  await session.answer();
  const { body: result } = await host.result(session.id);
  if (result.status !== 'SUCCESS') throw new Error(`not enrolled: ${JSON.stringify(result)}`);
  return { puid: result.puid!, guid: result.guid!, deviceId: body.deviceId, result };
}

/** Completes an enrollment with a passkey, which the authenticator holds. */
export async function enrollWithPasskey(room: VerificationApp, host: VerificationHost, face: Face) {
  const authenticator = createAuthenticator(PAGE_ORIGIN);
  const session = await capture(room, await host.start('ENROLL', { requirements: ['face', 'passkey'] }));
  await session.reach('token');
  await session.show(face);
  await session.reach('passkey');
  const { publicKey } = (await session.passkeyOptions()).body;
  await session.passkey(authenticator.create(publicKey as unknown as PublicKeyCredentialCreationOptionsJSON));
  await session.answer();
  const { body } = await host.result(session.id);
  if (body.status !== 'SUCCESS') throw new Error(`not enrolled: ${JSON.stringify(body)}`);
  return { authenticator, puid: body.puid! };
}
