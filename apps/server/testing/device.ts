// A device as a program of somebody else would be: its own key, its own signatures, its own sealing.

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
/** What the device says of itself when it hands its session on. */
export const BEGAN = { browser: 'Firefox', system: 'Windows' } as const;
const PADDED_BYTES = 1_967;

/** What the calls go through: an application in this process, or a connection to one somewhere else. */
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
  /** The value of `x-error-code`. */
  error: string | undefined;
  headers: Record<string, unknown>;
  /** A refusal has other fields; tests look at its `code` and `message`. */
  body: T & { code?: number; message?: string };
}

interface CallOptions {
  body?: object | Buffer | undefined;
  type?: string | undefined;
  /** The next one unless given. */
  counter?: number;
  /** Changes the signed headers before they go out. */
  alter?: (headers: Record<string, string>) => Record<string, string>;
}

export interface TestDevice {
  key: string;
  /** With the key of the session: r and s, base64url. */
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
  /** With what goes along, if anything does. */
  handoff(sessionId: string, carried?: HandoffRequest['carried']): Promise<DeviceReply<HandoffReply>>;
  look(sessionId: string, code: string): Promise<DeviceReply<HandoffLook>>;
  decline(sessionId: string, code: string): Promise<DeviceReply<DeviceView>>;
  /** The code that goes back. */
  giveBack(sessionId: string, code: string): Promise<DeviceReply<DeviceView>>;
}

/** `remoteAddress` is where its calls come from. */
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

/** How long each part of a step takes, in milliseconds. */
export interface Pace {
  toStart: number;
  toShow: number;
  toDo(challenge: number): number;
  /** For each colour; as the plan has it unless given. */
  toLight?: number;
  toFinish: number;
}

/** The longest that each part takes; challenges so far apart that no drawn rhythm makes three of them even. */
const CALM: Pace = { toStart: 1_000, toShow: 300, toDo: (challenge) => 1_500 + challenge * 320, toFinish: 500 };

/** A plan as far as it says what to do, and in which rhythm. */
export type FollowedPlan = Pick<DevicePlan, 'steps' | 'carried'> & Partial<Pick<DevicePlan, 'nonce'>>;

/**
 * No two people move alike: numbers from 0 up to 1, the same ones each time for one plan, so that its log can be made
 * again. All are 0 for a plan without a nonce.
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

/** What the plan asks for, its light included, at a person's pace; steps that came along are not done again. */
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
    // The last colour has its time too.
    add('finished', position, Math.max(pace.toFinish, draw?.colourMs ?? 0));
  }
  return log;
}

/** Moves the camera's request to where another plan has it: that takes no time, so the rest of a log can be used again. */
export function underPlan(log: readonly LogEntry[], { steps: [step] }: Pick<DevicePlan, 'steps'>): LogEntry[] {
  const after = step?.step === 'face' ? step.cameraRequest?.after : undefined;
  const others = log.filter(([event]) => event !== 'asked');
  return others.flatMap((entry): LogEntry[] => {
    const [event, index, at] = entry;
    return event === 'done' && index === after ? [entry, ['asked', index, at]] : [entry];
  });
}

/** Colours of an attempt, in both rounds: those of the next one are numbered from there. */
export const COLOURS_OF_ATTEMPT = 12;

/** What was done in an attempt, done again in the next one and so much later. */
export function asNextAttempt(log: readonly LogEntry[], laterMs: number): LogEntry[] {
  return log.map(([event, index, at]) => [event, event === 'lit' ? index + COLOURS_OF_ATTEMPT : index, at + laterMs]);
}

/** The steps without the colours of their light, which are others for every device. */
export function leaveOutColours(steps: readonly PlanStep[]): PlanStep[] {
  return steps.map((step) =>
    step.step === 'face' && step.light ? { ...step, light: { ...step.light, attempts: [] } } : step,
  );
}

/** The log as it is where the person wants no light, and takes no time for it. */
export function withoutLight(log: readonly LogEntry[]): LogEntry[] {
  let saved = 0;
  return log.flatMap(([event, index, at], place): LogEntry[] => {
    if (event !== 'lit') return [[event, index, at - saved]];
    saved += at - (log[place - 1]?.[2] ?? at);
    return [];
  });
}

/** The log as it is where the first round of an attempt did not tell, and the second follows it. */
export function withSecondRound(log: readonly LogEntry[], colourMs = LIGHT_MS + LIGHT_MS_SPREAD): LogEntry[] {
  const last = log.findLastIndex(([event]) => event === 'lit');
  const [, index, from] = log[last]!;
  const again = Array.from(
    { length: LIGHT_LENGTH },
    (_, place): LogEntry => ['lit', index + 1 + place, from + (place + 1) * colourMs],
  );
  const later = log
    .slice(last + 1)
    .map(([event, position, at]): LogEntry => [event, position, at + LIGHT_LENGTH * colourMs]);
  return [...log.slice(0, last + 1), ...again, ...later];
}

/**
 * A face with what is to be said of light where the plan asks for it, unless it says that itself: lit as drawn if the log
 * shows any, or came along; declined otherwise.
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

/** Indicators of a browser in which the page notices nothing. */
export const CLEAN_BROWSER = { headless: [], virtualCamera: [], browserAnomalies: [] };

/** An answer to a plan with a face step that reports the threshold, as far as nothing else is given. */
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

/** As text it is padded; bytes are sealed as they are. */
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
