// Signed calls of a device, one at a time. Each attempt has its own counter and signature.

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
  /** Omits key, counter and signature. */
  unsigned?: boolean;
  /** Sends without retries. */
  once?: boolean;
  saysGone?: Call['saysGone'];
}

export interface DeviceExchange {
  send<Result>(call: DeviceCall): Promise<Result>;
  /** Returns the headers of a read that is sent by other means. */
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
    // Above this client's counter, and above that of earlier visits and other tabs.
    counter = Math.max(counter + 1, now());
    return signCall(pair, { method: operationMethod(operation), sessionId, operation, body, counter });
  };
  /** Corrects a counter that another tab has overtaken, once, using the service's value. */
  const attempt = (operation: DeviceOperation): Exchange => {
    return async (call) => {
      const send = async () => exchange({ ...call, headers: await sign(operation, call.body?.content) });
      const reply = await send();
      const last = readOvertakenCounter(reply);
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
      // All calls are idempotent: they return the same log, plan, answer, token or end, or a newer
      // code or challenge.
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
  const call = { method: operationMethod(operation), path: pathOf(sessionId, operation) };
  if (bytes) return { ...call, body: { type: 'application/octet-stream', content: bytes } };
  // Serialized here, because the signed bytes must be the sent bytes.
  return json ? { ...call, body: { type: 'application/json', content: JSON.stringify(json) } } : call;
}

function operationMethod(operation: DeviceOperation): 'GET' | 'POST' {
  return READS.includes(operation) ? 'GET' : 'POST';
}

/** Returns the counter from a reply that rejects ours as too low. */
function readOvertakenCounter({ status, headers }: Reply): number | undefined {
  const last = headers.get(COUNTER) ?? '';
  return status === 409 && /^\d{1,16}$/.test(last) ? Number(last) : undefined;
}
