// kill -9 between commit and send, and between send and acknowledgment: no webhook is lost or
// premature.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { AgeSessionResult, CreatedAgeSession } from '@limen/contract';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../apps/server/src/platform/database/database.ts';
import { createTestDatabase, type TestDatabase } from '../apps/server/testing/database/test-database.ts';
import { type ServerProcess, startServer } from '../apps/server/testing/processes/server-process.ts';

const HELD_ROUNDS = onlyWhenLong(15, 1);
const RANDOM_ROUNDS = onlyWhenLong(25, 1);
/** More than one target's concurrent calls, so that some are sent and some are not. */
const SESSIONS = 30;
const CALLS_AT_A_TIME = 16;
/** Starting the service takes seconds on a busy machine. */
const TIMEOUT = { timeout: onlyWhenLong(3_600_000, 180_000) };
/** Pause between attempts while the service replies 503. */
const AT_LIMIT_MS = 50;
const API_KEY = 'a-development-key-for-this-test';
const HEADERS = { 'content-type': 'application/json', 'x-api-key': API_KEY };

interface Arrival {
  webhookId: string;
  attempt: number;
  body: string;
}

interface Receiver {
  url: string;
  /** By token, in order of arrival. */
  arrivals: Map<string, Arrival[]>;
  /** The service's result at that moment, if the body differed. */
  early: string[];
  /** Number of comparisons. */
  compared: number;
  /** While true, arriving webhooks are never answered. */
  hold: boolean;
  /** URL for results. Undefined while nothing runs. */
  service: ServerProcess | undefined;
  onArrival: () => void;
  /** Resolves as soon as this holds, checked at every arrival. */
  until(condition: () => boolean): Promise<void>;
}

async function startReceiver(): Promise<Receiver> {
  const waiting = new Set<() => void>();
  const server = createServer((request, reply) => void receive(request, reply)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    arrivals: new Map(),
    early: [],
    compared: 0,
    hold: false,
    service: undefined,
    onArrival: () => {},
    until: (condition) =>
      new Promise((resolve) => {
        const look = () => {
          if (!condition()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };

  async function receive(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { hold } = receiver;
    let body = '';
    for await (const chunk of request) body += chunk;
    const { token } = JSON.parse(body) as AgeSessionResult;
    const { 'webhook-id': webhookId, 'x-service-attempt': attempt } = request.headers;
    const arrivals = receiver.arrivals.get(token) ?? [];
    receiver.arrivals.set(token, [...arrivals, { webhookId: String(webhookId), attempt: Number(attempt), body }]);
    // Uncommitted data is invisible to others.
    const committed = await readResult(receiver.service, token);
    if (committed) receiver.compared += 1;
    if (committed && !isDeepStrictEqual(committed, JSON.parse(body))) receiver.early.push(JSON.stringify(committed));
    if (!hold) reply.writeHead(204).end();
    receiver.onArrival();
    for (const look of waiting) look();
  }
  return receiver;
}

/**
 * Undefined if the service is killed, stopped or overloaded in the meantime, which proves nothing.
 */
async function readResult(service: ServerProcess | undefined, token: string): Promise<AgeSessionResult | undefined> {
  if (!service) return undefined;
  try {
    const reply = await fetch(`${service.address}/session/${token}/result`);
    return reply.status === 503 ? undefined : ((await reply.json()) as AgeSessionResult);
  } catch (error) {
    if (service.child.killed) return undefined;
    throw error;
  }
}

/** Retries until the service is not overloaded. */
async function insistOnResult(service: ServerProcess, token: string): Promise<AgeSessionResult> {
  for (;;) {
    const result = await readResult(service, token);
    if (result) return result;
    await pause(AT_LIMIT_MS);
  }
}

/** In small batches, because thousands of connections would time out. */
async function askForAll(service: ServerProcess, tokens: readonly string[]): Promise<AgeSessionResult[]> {
  const results: AgeSessionResult[] = [];
  for (let at = 0; at < tokens.length; at += SESSIONS) {
    const some = tokens.slice(at, at + SESSIONS).map((token) => insistOnResult(service, token));
    results.push(...(await Promise.all(some)));
  }
  return results;
}

async function post<T>(server: ServerProcess, path: string, body: object): Promise<T> {
  const request = { method: 'POST', headers: HEADERS, body: JSON.stringify(body) };
  for (;;) {
    const reply = await fetch(server.address + path, request);
    if (reply.ok) return (await reply.json()) as T;
    if (reply.status !== 503) throw new Error(`${path} answered ${reply.status}`);
    await pause(AT_LIMIT_MS);
  }
}

function createSessions(server: ServerProcess, url: string): Promise<string[]> {
  const create = async () => (await post<CreatedAgeSession>(server, '/session', { callback: { url } })).token;
  return Promise.all(Array.from({ length: SESSIONS }, create));
}

/** True once the end is acknowledged, false if the kill came first. */
async function endSession(server: ServerProcess, token: string): Promise<boolean> {
  try {
    await post(server, `/session/${token}/simulate`, { outcome: 'above' });
    return true;
  } catch (error) {
    if (error instanceof TypeError && server.child.killed) return false;
    throw error;
  }
}

/** Expires the leases of a killed process immediately instead of after half a minute. */
async function endLeases(place: TestDatabase): Promise<void> {
  const { queries, close } = openDatabase(place);
  await queries.updateTable('jobs').set({ lease_until: 0 }).where('state', '=', 'running').execute();
  await close();
}

async function prepare() {
  const place = await createTestDatabase();
  onTestFinished(place.dispose);
  const receiver = await startReceiver();
  return {
    receiver,
    async start(): Promise<ServerProcess> {
      receiver.service = await startServer({ ...place.environment, DEV_API_KEY: API_KEY, LOG_LEVEL: 'warn' });
      return receiver.service;
    },
    async kill(server: ServerProcess): Promise<void> {
      receiver.service = undefined;
      expect(await server.stop('SIGKILL')).toBe(null);
      await endLeases(place);
    },
  };
}

it(`sends unsent webhooks, and unacknowledged ones again, after a kill (${HELD_ROUNDS} rounds)`, TIMEOUT, async () => {
  const { receiver, start, kill } = await prepare();
  let server = await start();
  for (let round = 0; round < HELD_ROUNDS; round += 1) {
    receiver.hold = true;
    const tokens = await createSessions(server, receiver.url);
    expect(await Promise.all(tokens.map((token) => endSession(server, token)))).not.toContain(false);
    const arrivalsOf = (token: string) => receiver.arrivals.get(token) ?? [];
    await receiver.until(() => tokens.filter((token) => arrivalsOf(token).length > 0).length === CALLS_AT_A_TIME);
    await kill(server);
    const [sent, unsent] = [1, 0].map((count) => tokens.filter((token) => arrivalsOf(token).length === count));
    expect([sent!.length, unsent!.length]).toEqual([CALLS_AT_A_TIME, SESSIONS - CALLS_AT_A_TIME]);

    receiver.hold = false;
    server = await start();
    await receiver.until(() => sent!.every((token) => arrivalsOf(token).length === 2));
    await receiver.until(() => unsent!.every((token) => arrivalsOf(token).length === 1));
    for (const token of sent!) {
      const [first, second] = arrivalsOf(token);
      expect([first!.attempt, second]).toEqual([1, { ...first, attempt: 2 }]);
    }
  }
  expect(receiver.early).toEqual([]);
  expect(receiver.compared).toBeGreaterThan(0);
  expect(await server.stop('SIGTERM')).toBe(0);
});

it(`neither loses nor invents webhooks when killed at any moment (${RANDOM_ROUNDS} rounds)`, TIMEOUT, async () => {
  const { receiver, start, kill } = await prepare();
  const tokens: string[] = [];
  const acknowledged = new Set<string>();
  for (let round = 0; round < RANDOM_ROUNDS; round += 1) {
    const server = await start();
    const own = await createSessions(server, receiver.url);
    tokens.push(...own);
    let left = 1 + (((round + 1) * 7) % (SESSIONS / 2));
    receiver.onArrival = () => {
      left -= 1;
      if (left === 0) server.child.kill('SIGKILL');
    };
    await Promise.all(own.map(async (token) => (await endSession(server, token)) && acknowledged.add(token)));
    await receiver.until(() => left <= 0);
    await kill(server);
  }
  receiver.onArrival = () => {};
  const last = await start();
  const results = await askForAll(last, tokens);
  const ended = tokens.filter((_, index) => results[index]!.flowStatus !== undefined);
  expect(ended.length).toBeGreaterThanOrEqual(RANDOM_ROUNDS);
  expect(ended).toEqual(expect.arrayContaining([...acknowledged]));
  await receiver.until(() => ended.every((token) => receiver.arrivals.has(token)));
  // Everything has arrived, so the process has nothing under way when it stops.
  expect(await last.stop('SIGTERM')).toBe(0);

  expect(new Set(receiver.arrivals.keys())).toEqual(new Set(ended));
  expect(receiver.early).toEqual([]);
  expect(receiver.compared).toBeGreaterThan(0);
  for (const arrivals of receiver.arrivals.values()) {
    expect(new Set(arrivals.map(({ webhookId, body }) => `${webhookId} ${body}`)).size).toBe(1);
    const attempts = arrivals.map(({ attempt }) => attempt);
    expect(attempts).toEqual([...new Set(attempts)].toSorted((a, b) => a - b));
  }
});
