// An independent implementation of a device: its key, signatures and sealing.

import { createHash, webcrypto } from 'node:crypto';
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import type { ClaimReply, DeviceView, HandoffLook, HandoffReply, HandoffRequest } from '@limen/contract';
import {
  type DevicePlan,
  type FacePlanStep,
  LIGHT_LENGTH,
  LIGHT_MS,
  LIGHT_MS_SPREAD,
  type LogEntry,
  type PlanStep,
} from '@limen/plan';

const LABEL = 'limen device answer v1';
/** Description of the device that hands its session on */
export const BEGAN = { browser: 'Firefox', system: 'Windows' } as const;
const PADDED_BYTES = 1_967;

/** Transport of the calls: an in-process application or a remote connection */
export interface CallDoor {
  inject(request: {
    method: 'GET' | 'POST';
    remoteAddress: string;
    url: string;
    headers: Record<string, string>;
    payload?: Buffer;
  }): Promise<{ statusCode: number; headers: Record<string, unknown>; json(): unknown }>;
}

export interface DeviceReply<T> {
  status: number;
  /** Value of `x-error-code` */
  error: string | undefined;
  headers: Record<string, unknown>;
  /** Typed reply. Errors have other fields, of which tests check `code` and `message`. */
  body: T & { code?: number; message?: string };
}

interface CallOptions {
  body?: object | Buffer | undefined;
  type?: string | undefined;
  /** Request counter; the next one by default */
  counter?: number;
  /** Changes the signed headers before sending. */
  alter?: (headers: Record<string, string>) => Record<string, string>;
}

export interface TestDevice {
  key: string;
  /** Signs with the session key. Returns r and s in base64url. */
  sign(text: string): Promise<string>;
  headersFor(
    method: string,
    sessionId: string,
    operation: string,
    body: Buffer,
    counter?: number,
  ): Promise<Record<string, string>>;
  call<T>(method: 'GET' | 'POST', sessionId: string, operation: string, options?: CallOptions): Promise<DeviceReply<T>>;
  view(sessionId: string): Promise<DeviceReply<DeviceView>>;
  claim(sessionId: string, more?: Partial<HandoffReply> & { start?: true }): Promise<DeviceReply<ClaimReply>>;
  report(sessionId: string, from: number, entries: readonly LogEntry[]): Promise<DeviceReply<DeviceView>>;
  answer(sessionId: string, envelope: Buffer): Promise<DeviceReply<DeviceView>>;
  cancel(sessionId: string, code?: number): Promise<DeviceReply<DeviceView>>;
  /** Hands the session on, with carried steps if given. */
  handoff(sessionId: string, carried?: HandoffRequest['carried']): Promise<DeviceReply<HandoffReply>>;
  look(sessionId: string, code: string): Promise<DeviceReply<HandoffLook>>;
  decline(sessionId: string, code: string): Promise<DeviceReply<DeviceView>>;
  /** Returns the session with the return code. */
  giveBack(sessionId: string, code: string): Promise<DeviceReply<DeviceView>>;
}

/** Creates a device whose calls come from `remoteAddress`. */
export async function newDevice(door: CallDoor, remoteAddress = '127.0.0.1'): Promise<TestDevice> {
  const pair = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
  const key = Buffer.from(await webcrypto.subtle.exportKey('raw', pair.publicKey)).toString('base64url');
  let last = 0;

  const device: TestDevice = {
    key,
    async sign(text) {
      const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
      const signature = await webcrypto.subtle.sign(algorithm, pair.privateKey, Buffer.from(text));
      return Buffer.from(signature).toString('base64url');
    },
    async headersFor(method, sessionId, operation, body, counter = ++last) {
      const path = `/device/sessions/${sessionId}${operation === '' ? '' : `/${operation}`}`;
      const hash = createHash('sha256').update(body).digest('hex');
      const text = ['limen-device-v1', method, path, hash, counter].join('\n');
      return {
        'limen-device-key': key,
        'limen-device-counter': String(counter),
        'limen-device-signature': await device.sign(text),
      };
    },
    async call(
      method,
      sessionId,
      operation,
      { body, type, counter, alter = (headers: Record<string, string>) => headers } = {},
    ) {
      const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body === undefined ? '' : JSON.stringify(body));
      const sent = type ?? (Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json');
      const signed = await device.headersFor(method, sessionId, operation, bytes, counter);
      const reply = await door.inject({
        method,
        remoteAddress,
        url: `/device/sessions/${sessionId}${operation === '' ? '' : `/${operation}`}`,
        headers: { ...alter(signed), ...(body === undefined ? {} : { 'content-type': sent }) },
        ...(body === undefined ? {} : { payload: bytes }),
      });
      return {
        status: reply.statusCode,
        error: reply.headers['x-error-code'] as string | undefined,
        headers: reply.headers,
        body: reply.json() as DeviceReply<never>['body'],
      };
    },
    view: (sessionId) => device.call('GET', sessionId, ''),
    claim: (sessionId, { code, number, start } = {}) =>
      device.call('POST', sessionId, 'claim', { body: { publicKey: key, code, number, start } }),
    report: (sessionId, from, entries) => device.call('POST', sessionId, 'log', { body: { from, entries } }),
    answer: (sessionId, envelope) => device.call('POST', sessionId, 'answer', { body: envelope }),
    cancel: (sessionId, code) => device.call('POST', sessionId, 'cancel', { body: code === undefined ? {} : { code } }),
    handoff: (sessionId, carried) =>
      device.call('POST', sessionId, 'handoff', { body: { began: BEGAN, ...(carried && { carried }) } }),
    look: (sessionId, code) => device.call('POST', sessionId, 'handoff/look', { body: { code } }),
    decline: (sessionId, code) => device.call('POST', sessionId, 'handoff/decline', { body: { code } }),
    giveBack: (sessionId, code) => device.call('POST', sessionId, 'handoff/return', { body: { code } }),
  };
  return device;
}

/** Duration of each part of a step, in milliseconds. */
export interface Pace {
  toStart: number;
  toShow: number;
  toDo(challenge: number): number;
  /** Duration per color; the plan's by default */
  toLight?: number;
  toFinish: number;
}

/**
 * Maximum duration of each part. Challenges are so far apart that no rhythm makes three of them
 * even.
 */
const CALM: Pace = { toStart: 1_000, toShow: 300, toDo: (challenge) => 1_500 + challenge * 320, toFinish: 500 };

/** The part of a plan that defines steps and rhythm. */
export type FollowedPlan = Pick<DevicePlan, 'steps' | 'carried'> & Partial<Pick<DevicePlan, 'nonce'>>;

/**
 * Returns deterministic numbers from 0 up to 1 for a plan, so that its log is reproducible. All are
 * 0 without a nonce.
 */
export function drawRhythm({ nonce }: Partial<Pick<DevicePlan, 'nonce'>>): (place: number) => number {
  if (nonce === undefined) return () => 0;
  const drawn = createHash('sha256').update(nonce).digest();
  return (place) => drawn.readUInt16BE((place * 2) % drawn.length) / 2 ** 16;
}

function calmPace(plan: FollowedPlan): Pace {
  const drawn = drawRhythm(plan);
  return {
    ...CALM,
    toStart: CALM.toStart - Math.round(drawn(0) * 400),
    toDo: (challenge) => CALM.toDo(challenge) - Math.round(drawn(challenge + 1) * 600),
    toFinish: CALM.toFinish - Math.round(drawn(5) * 200),
  };
}

/** Returns the log of a person who follows the plan, including its light, without carried steps. */
export function followPlan(plan: FollowedPlan, due = [...plan.steps.keys()], pace: Pace = calmPace(plan)): LogEntry[] {
  const { steps, carried = [] } = plan;
  const log: LogEntry[] = [];
  let at = 0;
  const add = (event: LogEntry[0], index: number, ms: number) => {
    at += ms;
    log.push([event, index, at]);
  };
  for (const position of due) {
    const step = steps[position]!;
    if (carried.includes(position)) {
      add('carried', position, 10);
      continue;
    }
    add('started', position, pace.toStart);
    const { challenges = [], light, cameraRequest }: Partial<FacePlanStep> = step.step === 'face' ? step : {};
    for (const index of challenges.keys()) {
      add('shown', index, pace.toShow);
      add('done', index, pace.toDo(index));
      if (cameraRequest?.after === index) add('asked', index, 0);
    }
    const draw = light?.attempts[0];
    for (const index of draw?.colours.keys() ?? []) add('lit', index, pace.toLight ?? draw?.colourMs ?? 0);
    // The last color is shown for its full time too.
    add('finished', position, Math.max(pace.toFinish, draw?.colourMs ?? 0));
  }
  return log;
}

/**
 * Moves the camera request to its place in another plan. It takes no time, so the rest of the log
 * stays valid.
 */
export function underPlan(log: readonly LogEntry[], { steps: [step] }: Pick<DevicePlan, 'steps'>): LogEntry[] {
  const after = step?.step === 'face' ? step.cameraRequest?.after : undefined;
  const others = log.filter(([event]) => event !== 'asked');
  return others.flatMap((entry): LogEntry[] => {
    const [event, index, at] = entry;
    return event === 'done' && index === after ? [entry, ['asked', index, at]] : [entry];
  });
}

/** Colors of one attempt in both rounds. The next attempt continues the numbering. */
export const COLORS_OF_ATTEMPT = 12;

/** Repeats the log as the next attempt, with the given delay. */
export function asNextAttempt(log: readonly LogEntry[], laterMs: number): LogEntry[] {
  return log.map(([event, index, at]) => [event, event === 'lit' ? index + COLORS_OF_ATTEMPT : index, at + laterMs]);
}

/** Removes the light's colors, which differ for every device. */
export function leaveOutColors(steps: readonly PlanStep[]): PlanStep[] {
  return steps.map((step) =>
    step.step === 'face' && step.light ? { ...step, light: { ...step.light, attempts: [] } } : step,
  );
}

/** Returns the log of a person who declines the light, which takes no time. */
export function withoutLight(log: readonly LogEntry[]): LogEntry[] {
  let saved = 0;
  return log.flatMap(([event, index, at], place): LogEntry[] => {
    if (event !== 'lit') return [[event, index, at - saved]];
    saved += at - (log[place - 1]?.[2] ?? at);
    return [];
  });
}

/** Returns the log with a second round after an inconclusive first one. */
export function withSecondRound(log: readonly LogEntry[], colorMs = LIGHT_MS + LIGHT_MS_SPREAD): LogEntry[] {
  const last = log.findLastIndex(([event]) => event === 'lit');
  const [, index, from] = log[last]!;
  const again = Array.from(
    { length: LIGHT_LENGTH },
    (_, place): LogEntry => ['lit', index + 1 + place, from + (place + 1) * colorMs],
  );
  const later = log
    .slice(last + 1)
    .map(([event, position, at]): LogEntry => [event, position, at + LIGHT_LENGTH * colorMs]);
  return [...log.slice(0, last + 1), ...again, ...later];
}

/**
 * Adds the light's result to a face if the plan requires it: lit if the log shows any or it was
 * carried, otherwise declined.
 */
export function lightUp<Face extends object>(
  { steps }: { steps: readonly PlanStep[] },
  face: Face,
  log: readonly LogEntry[],
): Face {
  const isSpoof = 'spoof' in face && face.spoof === true;
  if (isSpoof || !steps.some((step) => step.step === 'face' && step.light)) return face;
  const wasLit = log.some(([event]) => event === 'lit' || event === 'carried');
  return { light: wasLit ? 'lit' : 'declined', ...face };
}

/** Indicators of an inconspicuous browser */
export const CLEAN_BROWSER = { headless: [], virtualCamera: [], browserAnomalies: [] };

/** Builds an answer to a plan with a face step that reports the threshold, with overrides. */
export function answerTo(plan: DevicePlan, other: { face?: object | undefined; log?: LogEntry[] } = {}): object {
  const face = 'face' in other ? other.face : { spoof: false, thresholdResult: 'AGE_ABOVE_THRESHOLD' };
  const log = other.log ?? followPlan(plan);
  const { version, sessionId, nonce } = plan;
  return {
    version,
    sessionId,
    nonce,
    indicators: CLEAN_BROWSER,
    ...other,
    ...(face && { face: lightUp(plan, face, log) }),
    log,
  };
}

/** Seals text with padding, and bytes unchanged. */
export async function sealAnswer(planText: string, answer: object | Buffer, label = LABEL): Promise<Buffer> {
  const { sessionId, publicKey } = JSON.parse(planText) as DevicePlan;
  const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });
  const recipientPublicKey = await suite.kem.deserializePublicKey(copy(Buffer.from(publicKey, 'base64url')));
  const sender = await suite.createSenderContext({ recipientPublicKey, info: copy(Buffer.from(label)) });
  const aad = [label, sessionId, createHash('sha256').update(planText).digest('hex')].join('\n');
  const sealed = await sender.seal(
    copy(Buffer.isBuffer(answer) ? answer : padText(JSON.stringify(answer))),
    copy(Buffer.from(aad)),
  );
  return Buffer.concat([Buffer.from(sender.enc), Buffer.from(sealed)]);
}

export function padText(text: string, filling = 0): Buffer {
  const bytes = Buffer.from(text);
  const padded = Buffer.alloc(PADDED_BYTES, filling);
  padded.writeUInt16BE(bytes.length, 0);
  bytes.copy(padded, 2);
  return padded;
}

function copy(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
