// A small stand-in for the device channel: verifies signatures and counters, opens envelopes, and
// fails on demand.

import { createECDH, createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { AgeDeviceAnswer, ClaimRequest, DeviceView, ReportRequest } from '@limen/contract';
import type { LogEntry } from '@limen/plan';
import { onTestFinished } from 'vitest';
import { openEnvelope, unpad } from './open-envelope.ts';

export const SESSION_ID = '7d1f0c52-9a3e-4b6d-8f21-5c0e9b7a4d13';

export interface DeviceCallSeen {
  operation: string;
  key: string | undefined;
  counter: number | undefined;
  body: Buffer;
}

/** Fault of one request: nothing is executed, the reply is lost, or something else replies. */
export type Fault = 'unreachable' | 'reply lost' | ((response: ServerResponse) => void);

export interface DeviceServer {
  url: string;
  seen: DeviceCallSeen[];
  log: LogEntry[];
  answers: AgeDeviceAnswer[];
  view: DeviceView;
  /** Key of the device that holds the session. */
  active: string | undefined;
  /** Behaves like the previous release. */
  ignoresStart: boolean;
  /** Counter of the last change, as if used by another tab. */
  counter: number;
  codes: string[];
  /** Faults of the next requests, one each. `undefined` lets one pass. */
  faults: (Fault | undefined)[];
  /** Sends a view on every open stream. */
  push(view: Partial<DeviceView>): void;
  streams: ServerResponse[];
}

/** Closed when the test ends. */
export async function startDeviceServer(): Promise<DeviceServer> {
  const recipient = createECDH('prime256v1');
  recipient.generateKeys();
  let planText = '';
  let accepted: Buffer | undefined;
  const device: DeviceServer = {
    url: '',
    seen: [],
    log: [],
    answers: [],
    codes: [],
    faults: [],
    streams: [],
    active: undefined,
    ignoresStart: false,
    counter: 0,
    view: {
      sessionId: SESSION_ID,
      state: 'created',
      expiresAt: '2026-03-01T00:30:00.000Z',
      serverTime: '2026-03-01T00:00:00.000Z',
      locale: 'en',
      enableDesktop: false,
      asks: {
        requester: null,
        operation: 'AGE',
        steps: ['face'],
        mayAskForDocument: false,
        sendsAge: false,
        sharesSelfie: false,
        contact: [],
        passkey: false,
        light: false,
      },
      role: 'none',
      handoff: 'offered',
    },
    push(view) {
      Object.assign(device.view, view);
      for (const stream of device.streams) stream.write(`event: view\ndata: ${JSON.stringify(device.view)}\n\n`);
    },
  };

  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const operation = request.url?.slice(`/device/sessions/${SESSION_ID}`.length).replace('/', '') ?? '';
    const key = request.headers['limen-device-key']?.toString();
    const counter = Number(request.headers['limen-device-counter']) || undefined;
    device.seen.push({ operation, key, counter, body });
    const fault = device.faults.shift();
    if (fault === 'unreachable') return void response.socket?.resetAndDestroy();
    if (typeof fault === 'function') return fault(response);
    const answer = respond(request, { operation, key, counter, body });
    if (fault === 'reply lost') return void response.socket?.resetAndDestroy();
    answer(response);
  });

  function respond(request: IncomingMessage, { operation, key, counter, body }: DeviceCallSeen) {
    if (key === undefined && operation === '') return reply(200, { ...device.view, role: 'none' });
    if (!isSigned(request, body)) return refuse(401, 'invalid_signature');
    if (
      counter === undefined ||
      counter < device.counter ||
      (request.method === 'POST' && counter === device.counter)
    ) {
      return refuse(409, 'stale_counter', undefined, { 'limen-device-counter': String(device.counter) });
    }
    if (operation === 'claim') return claim(key, counter, JSON.parse(body.toString()));
    if (operation === 'updates') return openStream;
    if (operation === '') return reply(200, { ...device.view, role: key === device.active ? 'active' : 'follower' });
    if (key !== device.active) return refuse(403, 'device_mismatch', -16);
    if (operation === 'answer' && accepted?.equals(body)) return reply(200, device.view);
    if (device.view.end) return refuse(409, 'session_ended');
    device.counter = counter;
    if (operation === 'log') return report(JSON.parse(body.toString()));
    if (operation === 'answer') return take(body);
    if (operation === 'cancel') return end('cancelled', 'CANCELLED');
    device.codes = [randomBytes(16).toString('base64url')];
    return reply(200, {
      url: `https://check.example/#handoff=${device.codes[0]}`,
      code: device.codes[0],
      number: '42',
      expiresAt: '',
    });
  }

  function claim(key: string | undefined, counter: number, { code, publicKey, start }: ClaimRequest) {
    if (publicKey !== key) return refuse(401, 'invalid_signature');
    const starts = start === true && device.active === undefined && !device.ignoresStart;
    const followed = device.active !== undefined && key !== device.active;
    if (key !== device.active) {
      if (device.active !== undefined && (code === undefined || !device.codes.includes(code))) {
        return refuse(403, 'device_mismatch', -16);
      }
      Object.assign(device, { active: key, log: [], codes: [] });
      const challenges = ['blink', 'look_up', 'turn_left'];
      const face = {
        step: 'face',
        when: 'always',
        report: 'threshold',
        ageThreshold: 18,
        challenges,
        challengeMs: 15_000,
      };
      const nonce = randomBytes(16).toString('base64url');
      const today = '2026-03-01';
      const plan = { version: 1, sessionId: SESSION_ID, nonce, publicKey: recipient.getPublicKey('base64url'), today };
      planText = JSON.stringify({ ...plan, modelManifest: null, steps: [face] });
      if (starts) device.log = [['started', 0, 0]];
      device.push({ state: starts ? 'capturing' : 'opened' });
    }
    device.counter = counter;
    const view = { ...device.view, role: 'active' };
    const more = { ...(starts && { started: true }), ...(followed && { followed }) };
    return reply(200, { plan: planText, view, log: device.log, ...more });
  }

  function report({ from, entries }: ReportRequest) {
    if (from > device.log.length) return refuse(400, 'validation_failed');
    const known = device.log.slice(from);
    if (JSON.stringify(entries.slice(0, known.length)) !== JSON.stringify(known)) return refuse(409, 'log_conflict');
    device.log.push(...entries.slice(known.length));
    device.push({ state: 'capturing', progress: { step: 0, challengesDone: 0 } });
    return reply(200, { ...device.view, role: 'active' });
  }

  function take(envelope: Buffer) {
    const hash = createHash('sha256').update(planText).digest('hex');
    const aad = `limen device answer v1\n${SESSION_ID}\n${hash}`;
    device.answers.push(JSON.parse(unpad(openEnvelope({ envelope, privateKey: recipient.getPrivateKey('hex'), aad }))));
    accepted = envelope;
    return end('completed', 'COMPLETED');
  }

  function end(state: DeviceView['state'], flowStatus: 'COMPLETED' | 'CANCELLED') {
    device.push({ state, end: { flowStatus, errors: [] } });
    return reply(200, { ...device.view, role: 'active' });
  }

  function openStream(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    device.streams.push(response);
    response.write(`:\n\nevent: view\ndata: ${JSON.stringify(device.view)}\n\n`);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  device.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return device;
}

type Responder = (response: ServerResponse) => void;

function reply(status: number, body: unknown, headers: Record<string, string> = {}): Responder {
  const text = JSON.stringify(body);
  return (response) => void response.writeHead(status, headers).end(text);
}

export function refuse(
  status: number,
  code: string,
  sessionCode?: number,
  headers: Record<string, string> = {},
): Responder {
  const body = { statusCode: status, error: 'Error', message: `refused: ${code}`, requestId: 'r-1', code: sessionCode };
  return reply(status, body, { 'x-error-code': code, ...headers });
}

function isSigned({ method, url, headers }: IncomingMessage, body: Buffer): boolean {
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const text = ['limen-device-v1', method, url, bodyHash, headers['limen-device-counter']].join('\n');
  const head = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');
  const point = Buffer.from(String(headers['limen-device-key']), 'base64url');
  const key = createPublicKey({ key: Buffer.concat([head, point]), format: 'der', type: 'spki' });
  const signature = Buffer.from(String(headers['limen-device-signature']), 'base64url');
  return verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature);
}
