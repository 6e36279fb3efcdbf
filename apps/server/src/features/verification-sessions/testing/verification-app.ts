// One application for the tests of a file, hosts with verification sessions, and devices that go through them.
import { randomInt, webcrypto } from 'node:crypto';
import type {
  CreatedVerificationSession,
  DevicePlan,
  DeviceView,
  LocalSignInReply,
  LogEntry,
  PasskeyOptionsReply,
  PasskeyReply,
  PlanStep,
  TokenChallengeReply,
  TokenReply,
  VerificationSessionResult,
} from '@limen/contract';
import { openDevice } from '@limen/token/device';
import { afterAll, beforeAll } from 'vitest';
import { type DeviceReply, followPlan, newDevice, sealAnswer, type TestDevice } from '#testing/device.ts';
import { createManualClock, type ManualClock } from '#testing/manual-clock.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';
import { createTestDatabase, type TestDatabase } from '#testing/test-database.ts';
import { randomVector, vectorNear } from '../../../../../../packages/token/testing/vectors.ts';
import type { ApiKeyKind } from '../../../platform/api-keys/api-keys.ts';

export const NOBODY_LISTENS = 'http://127.0.0.1:1/hook';
export const PAGE_ORIGIN = 'https://check.example';

export interface VerificationApp {
  app: TestApp;
  storage: TestDatabase;
  clock: ManualClock;
}

/** Filled before the first test. */
export function useVerificationApp(environment: Record<string, string> = {}): VerificationApp {
  const room = {} as VerificationApp;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    room.clock = createManualClock();
    room.storage = await createTestDatabase();
    room.app = await startTestApp({
      ...{ clock: room.clock, database: room.storage, atEnd: (end) => void ends.push(end) },
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
  /** A refusal has other fields; tests look at them as they are. */
  body: T & { message?: string; details?: { path: string }[] };
  text: string;
  headers: Record<string, unknown>;
}

export interface VerificationHost {
  apiKey: string;
  headers: Record<string, string>;
  call<T>(method: 'GET' | 'POST' | 'DELETE', path: string, payload?: unknown): Promise<Reply<T>>;
  create(body: object, headers?: Record<string, string>): Promise<Reply<CreatedVerificationSession>>;
  /** Id of a new session with all that it must have. */
  start(type: string, more?: object): Promise<string>;
  result(sessionId: string): Promise<Reply<VerificationSessionResult>>;
  trustDevice(sessionId: string): Promise<Reply<object>>;
  deletePerson(puid: string): Promise<number>;
}

/** A customer of its own, with a key that has no client credentials. */
export async function newVerificationHost(
  { app }: Pick<VerificationApp, 'app'>,
  kind: ApiKeyKind = 'test',
): Promise<VerificationHost> {
  const { apiKey } = await app.apiKeys.create({ kind, label: 'Wine shop', clientCredentials: false });
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
      const { body, text } = await host.create({ ...bodyOf(type), ...more });
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

/** What a session must have. */
export function bodyOf(type: string): Record<string, unknown> {
  return {
    ...{ type, redirectURL: 'https://shop.example/done', callback: { url: NOBODY_LISTENS } },
    ...(type === 'ENROLL' ? {} : { locale: 'en' }),
  };
}

export type Face = Float32Array;

export function newFace(): Face {
  return randomVector();
}

/** The same person in other light. */
export function sameFace(face: Face): Face {
  return vectorNear(face, 0.85);
}

let encryption: ReturnType<typeof openDevice> | undefined;

/** The person's key on a device, as the page keeps it. */
export interface PersonKey {
  point: Buffer;
  sign(text: string): Promise<string>;
}

export async function newPersonKey(): Promise<PersonKey> {
  const pair = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
  return {
    point: Buffer.from(await webcrypto.subtle.exportKey('raw', pair.publicKey)),
    async sign(text) {
      const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
      const signature = await webcrypto.subtle.sign(algorithm, pair.privateKey, Buffer.from(text));
      return Buffer.from(signature).toString('base64url');
    },
  };
}

export type ReadyChallenge = Extract<TokenChallengeReply, { outcome: 'ready' }>;

/** A device in the middle of a session. */
export interface Capture {
  id: string;
  device: TestDevice;
  plan: DevicePlan;
  planText: string;
  log: LogEntry[];
  /** Reports everything up to the beginning of this step. */
  reach(step: PlanStep['step']): Promise<void>;
  challenge(): Promise<DeviceReply<TokenChallengeReply>>;
  /** The body of a token call for an open challenge. */
  encrypt(face: Face, challenge: ReadyChallenge, key?: PersonKey): Promise<Buffer>;
  send(body: Buffer): Promise<DeviceReply<TokenReply>>;
  /** Challenge and call at once. */
  show(face: Face, key?: PersonKey): Promise<DeviceReply<TokenReply>>;
  local(deviceId: string, key: PersonKey, more?: object): Promise<DeviceReply<LocalSignInReply>>;
  forget(deviceId: string, key: PersonKey): Promise<DeviceReply<object>>;
  passkeyOptions(): Promise<DeviceReply<PasskeyOptionsReply>>;
  passkey(response: object): Promise<DeviceReply<PasskeyReply>>;
  selfie(jpeg: Buffer): Promise<DeviceReply<object>>;
  answer(other?: object): Promise<DeviceReply<DeviceView>>;
}

export function newAddress(): string {
  return `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
}

/** Claims the session with a new device, from an address of its own: refused attempts are counted by both. */
export async function capture(
  room: Pick<VerificationApp, 'app'>,
  id: string,
  { code, address = newAddress() }: { code?: string; address?: string } = {},
): Promise<Capture> {
  const device = await newDevice(room.app.http, address);
  const { body } = await device.claim(id, code);
  const planText = body.plan;
  const plan = JSON.parse(planText) as DevicePlan;
  const log = followPlan(plan);
  let reported = 0;
  const post = <T>(operation: string, content: object | Buffer) =>
    device.call<T>('POST', id, operation, { body: content });
  const signText = async (word: 'sign-in' | 'forget', deviceId: string) => {
    const hash = Buffer.from(await webcrypto.subtle.digest('SHA-256', Buffer.from(planText))).toString('hex');
    return [`limen-device-${word}-v1`, id, plan.nonce, hash, deviceId].join('\n');
  };

  const own: Capture = {
    ...{ id, device, plan, planText, log },
    async reach(step) {
      const position = plan.steps.findIndex((one) => one.step === step);
      const until = log.findIndex(([event, index]) => event === 'started' && index === position) + 1;
      const { status, body: refusal } = await device.report(id, reported, log.slice(reported, until));
      if (status !== 200) throw new Error(refusal.message ?? 'the report was refused');
      reported = until;
    },
    challenge: () => post('token/challenge', {}),
    async encrypt(face, { challenge, publicKey, modelId }, key) {
      encryption ??= openDevice();
      const { encrypt } = await encryption;
      const probe = encrypt(face, { publicKey: Buffer.from(publicKey, 'base64'), keyId: challenge }, modelId);
      return Buffer.concat([Buffer.of(1), key?.point ?? Buffer.alloc(65), probe]);
    },
    send: (content) => post('token', content),
    async show(face, key) {
      const opened = await own.challenge();
      if (opened.body.outcome !== 'ready') throw new Error(`there is no challenge: ${opened.status}`);
      return own.send(await own.encrypt(face, opened.body, key));
    },
    async local(deviceId, key, more = {}) {
      return post('token/local', { deviceId, signature: await key.sign(await signText('sign-in', deviceId)), ...more });
    },
    async forget(deviceId, key) {
      return post('token/forget', { deviceId, signature: await key.sign(await signText('forget', deviceId)) });
    },
    passkeyOptions: () => post('passkey/options', {}),
    passkey: (response) => post('passkey', { response }),
    selfie: async (jpeg) => post('selfie', await sealAnswer(planText, jpeg, 'limen-selfie-v1')),
    async answer(other = {}) {
      const common = { version: 1, sessionId: id, nonce: plan.nonce, face: { spoof: false }, indicators: null, log };
      return device.answer(id, await sealAnswer(planText, { ...common, ...other }));
    },
  };
  return own;
}

/** Enrols this face from beginning to end; the key becomes the device's. */
export async function enrol(room: VerificationApp, host: VerificationHost, face: Face, key?: PersonKey) {
  const session = await capture(room, await host.start('ENROLL'));
  await session.reach('token');
  const { body } = await session.show(face, key);
  await session.answer();
  const { body: result } = await host.result(session.id);
  if (result.status !== 'SUCCESS') throw new Error(`not enrolled: ${JSON.stringify(result)}`);
  return { puid: result.puid!, guid: result.guid!, deviceId: body.deviceId, result };
}
