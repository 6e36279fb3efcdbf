// The signed calls of a device: one after another, each attempt with a counter and a signature of its own.

import type { Call, CallOptions, Exchange } from '../http/exchange.ts';
import type { Reply } from '../http/reply.ts';
import { createRequest, type RequestFunction } from '../http/request.ts';
import type { RetryRules } from '../http/retry.ts';
import { type DeviceKeyPair, type DeviceOperation, signCall } from './keys/signing.ts';

export interface DeviceCall extends CallOptions {
  operation: DeviceOperation;
  /** Sent as JSON. */
  json?: object | undefined;
  bytes?: Uint8Array<ArrayBuffer> | undefined;
  /** Without key, counter and signature. */
  unsigned?: boolean;
  /** Sent once, however it fails. */
  once?: boolean;
  saysGone?: Call['saysGone'];
}

export interface DeviceExchange {
  send<Result>(call: DeviceCall): Promise<Result>;
  /** The headers of one read that is sent by other means. */
  signRead(operation: 'updates'): Promise<Record<string, string>>;
}

interface DeviceExchangeOptions {
  sessionId: string;
  pair: DeviceKeyPair;
  exchange: Exchange;
  retries: RetryRules;
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  random: () => number;
  now: () => number;
}

const COUNTER = 'limen-device-counter';
const READS: readonly DeviceOperation[] = ['view', 'updates'];

export function createDeviceExchange(options: DeviceExchangeOptions): DeviceExchange {
  const { sessionId, pair, exchange, retries, sleep, random, now } = options;
  let counter = 0;

  const sign = (operation: DeviceOperation, body?: string | Uint8Array<ArrayBuffer>) => {
    // Above what this client used, and above what an earlier visit or another tab has used by now.
    counter = Math.max(counter + 1, now());
    return signCall(pair, { method: methodOf(operation), sessionId, operation, body, counter });
  };
  /** A counter that another tab has overtaken is put right once: the service says where it is. */
  const attempt = (operation: DeviceOperation): Exchange => {
    return async (call) => {
      const send = async () => exchange({ ...call, headers: await sign(operation, call.body?.content) });
      const reply = await send();
      const last = overtakenAt(reply);
      if (last === undefined) return reply;
      counter = Math.max(counter, last);
      return send();
    };
  };
  const request = ({ operation, unsigned, once }: DeviceCall): RequestFunction =>
    createRequest({
      exchange: unsigned ? exchange : attempt(operation),
      retries: once ? { ...retries, attempts: 1 } : retries,
      sleep,
      random,
    });

  return {
    send(call) {
      const { signal, saysGone } = call;
      // Each of them may come twice: with the same log, plan, answer, token or end, or with a newer code or challenge.
      const repeatable = { isIdempotent: true, signal, ...(saysGone && { saysGone }) } as const;
      return request(call)({ ...describeCall(sessionId, call), ...repeatable });
    },
    signRead: sign,
  };
}

export function pathOf(sessionId: string, operation: DeviceOperation): string[] {
  return ['device', 'sessions', sessionId, ...(operation === 'view' ? [] : operation.split('/'))];
}

function describeCall(sessionId: string, { operation, json, bytes }: DeviceCall): Call {
  const call = { method: methodOf(operation), path: pathOf(sessionId, operation) };
  if (bytes) return { ...call, body: { type: 'application/octet-stream', content: bytes } };
  // As text, because what is signed must be what is sent, byte for byte.
  return json ? { ...call, body: { type: 'application/json', content: JSON.stringify(json) } } : call;
}

function methodOf(operation: DeviceOperation): 'GET' | 'POST' {
  return READS.includes(operation) ? 'GET' : 'POST';
}

/** The counter in a reply that refuses ours as too low. */
function overtakenAt({ status, headers }: Reply): number | undefined {
  const last = headers.get(COUNTER) ?? '';
  return status === 409 && /^\d{1,16}$/.test(last) ? Number(last) : undefined;
}
