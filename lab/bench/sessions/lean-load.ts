// A host and a device with the same wire traffic as in service.ts at less than half the CPU time.
// In production, other people's phones spend the SDK's Web Crypto and `fetch` time.
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { AgeDeviceAnswer, ClaimReply, DeviceView } from '@limen/contract';
import { readPlan } from '@limen/plan';
import type { Server } from '../shared/stage.ts';
import { sealAnswer } from './seal-answer.ts';
import { API_KEY, createdOf, DEVICES, type Device, doneOf, type Host } from './service.ts';
import { openWire } from './wire.ts';

/** Header that `fetch` sends and the service reads. */
const OF_FETCH = {
  connection: 'keep-alive',
  accept: 'application/json',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
  'accept-encoding': 'gzip, deflate',
};
const JSON_BODY = { 'content-type': 'application/json' };
const BYTES_BODY = { 'content-type': 'application/octet-stream' };

export function createLeanLoad({ url }: Server): Host & Device {
  const send = openWire(url);
  const keys = Array.from({ length: DEVICES }, makeKey);
  let sessions = 0;
  let counter = Date.now();

  async function call<T>(method: string, path: string, headers: Record<string, string>, body?: string | Buffer) {
    const reply = await send(method, path, headers, body);
    // Throws on refusals, which are cheaper and would distort the figure.
    if (reply.status !== 200 && reply.status !== 201)
      throw new Error(`${path} answered ${reply.status}: ${reply.body}`);
    return JSON.parse(reply.body) as T;
  }
  const callSigned = <T>(key: DeviceKey, path: string, type: Record<string, string>, body: string | Buffer) => {
    const at = String(counter++);
    const text = ['limen-device-v1', 'POST', path, createHash('sha256').update(body).digest('hex'), at].join('\n');
    return call<T>(
      'POST',
      path,
      {
        ...OF_FETCH,
        ...type,
        'limen-device-key': key.publicKey,
        'limen-device-counter': at,
        'limen-device-signature': signatureOf(key.privateKey, text),
      },
      body,
    );
  };

  return {
    async create(callbackUrl) {
      const body = JSON.stringify(callbackUrl === undefined ? {} : { callback: { url: callbackUrl } });
      const headers = { ...JSON_BODY, 'x-api-key': API_KEY, connection: 'keep-alive' };
      return createdOf(await call('POST', '/session', headers, body));
    },
    async complete(sessionId) {
      const key = keys[sessions++ % DEVICES]!;
      const base = `/device/sessions/${sessionId}`;
      const request = JSON.stringify({ publicKey: key.publicKey, start: true });
      const { plan: planText } = await callSigned<ClaimReply>(key, `${base}/claim`, JSON_BODY, request);
      const claimedAt = performance.now();
      const plan = readPlan(planText);
      const { events, face, indicators } = doneOf(plan);
      const log = events.map(([event, index]): AgeDeviceAnswer['log'][number] => [
        event,
        index,
        event === 'started' ? 0 : Math.round(performance.now() - claimedAt),
      ]);
      const answer = { version: 1, sessionId, nonce: plan.nonce, face, indicators, log };
      const envelope = sealAnswer(planText, plan, answer);
      const { end } = await callSigned<DeviceView>(key, `${base}/answer`, BYTES_BODY, envelope);
      if (end?.flowStatus !== 'COMPLETED') throw new Error('a session was not completed');
    },
    async read(token) {
      await call('GET', `/session/${token}/result`, { ...JSON_BODY, 'x-api-key': API_KEY, connection: 'keep-alive' });
    },
  };
}

interface DeviceKey {
  privateKey: KeyObject;
  /** Wire format. */
  publicKey: string;
}

function makeKey(): DeviceKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-65);
  return { privateKey, publicKey: point.toString('base64url') };
}

/** r and s, as in the protocol. Node creates DER, with a bare key in half the time. */
function signatureOf(privateKey: KeyObject, text: string): string {
  const der = sign('sha256', Buffer.from(text), privateKey);
  const rLength = der[3]!;
  const sLength = der[5 + rLength]!;
  const r = der.subarray(4, 4 + rLength).subarray(-32);
  const s = der.subarray(6 + rLength, 6 + rLength + sLength).subarray(-32);
  const numbers = Buffer.alloc(64);
  r.copy(numbers, 32 - r.length);
  s.copy(numbers, 64 - s.length);
  return numbers.toString('base64url');
}
