// An independent implementation of a verification device: faces, the person's keys, and all calls.

import { randomInt, webcrypto } from 'node:crypto';
import type {
  DeviceView,
  HandoffReply,
  LocalSignInReply,
  PasskeyOptionsReply,
  PasskeyReply,
  TokenChallengeReply,
  TokenReply,
} from '@limen/contract';
import type { DevicePlan, LogEntry, PlanStep } from '@limen/plan';
import { openDevice } from '@limen/token/device';
import { randomVector, vectorNear } from '../../../packages/token/testing/vectors.ts';
import {
  type CallDoor,
  CLEAN_BROWSER,
  type DeviceReply,
  followPlan,
  lightUp,
  newDevice,
  sealAnswer,
  type TestDevice,
} from './device.ts';

export type Face = Float32Array;

export function newFace(): Face {
  return randomVector();
}

/** Returns the same person in other light. */
export function sameFace(face: Face): Face {
  return vectorNear(face, 0.85);
}

let encryption: ReturnType<typeof openDevice> | undefined;

/** A person's key on a device, as the page stores it. */
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
  /** Reports everything up to the start of this step. */
  reach(step: PlanStep['step']): Promise<void>;
  challenge(): Promise<DeviceReply<TokenChallengeReply>>;
  /** Returns the body of a token call for an open challenge. */
  encrypt(face: Face, challenge: ReadyChallenge, key?: PersonKey): Promise<Buffer>;
  send(body: Buffer): Promise<DeviceReply<TokenReply>>;
  /** Requests a challenge and makes the token call. */
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

/**
 * Claims the session with a new device at a new address, because both count refused attempts. The
 * service's clock, if given, advances with the log.
 */
export async function capture(
  { app, clock }: { app: { http: CallDoor }; clock?: { advance(ms: number): void } },
  id: string,
  {
    offer,
    address = newAddress(),
    follow = followPlan,
  }: { offer?: Partial<HandoffReply>; address?: string; follow?: (plan: DevicePlan) => LogEntry[] } = {},
): Promise<Capture> {
  const device = await newDevice(app.http, address);
  const { body } = await device.claim(id, offer);
  const planText = body.plan;
  const plan = JSON.parse(planText) as DevicePlan;
  const log = follow(plan);
  let reported = 0;
  let passedMs = 0;
  const passUntil = ([, , at]: LogEntry = ['finished', 0, 0]) => {
    clock?.advance(Math.max(0, at - passedMs));
    passedMs = Math.max(passedMs, at);
  };
  const post = <T>(operation: string, content: object | Buffer) =>
    device.call<T>('POST', id, operation, { body: content });
  const signText = async (word: 'sign-in' | 'forget', deviceId: string) => {
    const hash = Buffer.from(await webcrypto.subtle.digest('SHA-256', Buffer.from(planText))).toString('hex');
    return [`limen-device-${word}-v1`, id, plan.nonce, hash, deviceId].join('\n');
  };

  const own: Capture = {
    id,
    device,
    plan,
    planText,
    log,
    async reach(step) {
      const position = plan.steps.findIndex((planned) => planned.step === step);
      const until = log.findIndex(([event, index]) => event === 'started' && index === position) + 1;
      passUntil(log[until - 1]);
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
      passUntil(log.at(-1));
      const common = { version: 1, sessionId: id, nonce: plan.nonce, indicators: CLEAN_BROWSER, log };
      const told: { face?: object; log?: LogEntry[] } = other;
      const face = lightUp(plan, told.face ?? { spoof: false }, told.log ?? log);
      return device.answer(id, await sealAnswer(planText, { ...common, ...other, face }));
    },
  };
  return own;
}
