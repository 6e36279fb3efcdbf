// The key-holder's metrics: content, access, and slow clients.
import { connect } from 'node:net';
import { PATIENCE } from '@limen/testing/patience.ts';
import pino from 'pino';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ask, makeToken, randomVector } from '#testing/faces/faces.ts';
import { withFile } from '#testing/faces/file-store.ts';
import { makeFolder } from '#testing/faces/folder.ts';
import { createAnswerCall, createCallCounts } from '../answer-call.ts';
import { keyHolderOver } from '../link/link.ts';
import { TlsLink } from '../link/tls.ts';
import { openService } from '../open.ts';
import { listenForService, type TlsServer } from '../tls-server.ts';

import { createKeyHolderMetrics, type KeyHolderMetrics, listenForMetrics, type MetricsListener } from './metrics.ts';

const secret = 'a-secret-of-at-least-32-characters';
const token = 'a-token-for-metrics';
const log = pino({ level: 'silent' });
const NEXT = Buffer.alloc(32, 8);
let folder: string;
let server: TlsServer;
let listener: MetricsListener;

beforeAll(async () => {
  folder = makeFolder();
  const service = await openService({
    place: { folder },
    masterKeys: [NEXT, Buffer.alloc(32, 7)],
    thresholdOf: () => 0.48,
    budgets: { enrol: 2 },
    warn: () => {},
  });
  const counts = createCallCounts();
  const answer = createAnswerCall(service.calls, () => {}, counts);
  server = await listenForService({ host: '127.0.0.1', port: 0, secrets: [secret], answer, log });
  const watched = createKeyHolderMetrics(service, server, counts, { processMetrics: false });
  listener = (await listen(watched))!;
  return async () => {
    listener.close();
    await server.close();
    await service.close();
  };
});

const listen = (watched: KeyHolderMetrics, port = 0) =>
  listenForMetrics({ host: '127.0.0.1', port, token, watched, log });

const request = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${listener.port}${path}`, init);

async function readMetrics(): Promise<string> {
  const reply = await request('/metrics', { headers: { authorization: `Bearer ${token}` } });
  expect(reply.status).toBe(200);
  return reply.text();
}

function reach(withSecret = secret) {
  const urls = [`tls://127.0.0.1:${server.port}`];
  const holder = keyHolderOver(new TlsLink({ urls, secrets: [withSecret], log }));
  onTestFinished(() => holder.close());
  return holder;
}

describe('the metrics of a key-holder', () => {
  it('counts calls, refusals, connections and answers, without personal data', async () => {
    const holder = reach();
    for (let time = 0; time < 2; time++) await makeToken(holder, randomVector(), { session: `session ${time}` });
    await expect(holder.openChallenge(ask('enrol'))).rejects.toMatchObject({ name: 'ThrottledError' });
    await expect(holder.rotate('nobody')).rejects.toMatchObject({ name: 'UnknownEpochError' });
    await expect(reach('another-secret-of-at-least-32-chars').identity()).rejects.toThrow('KEYHOLDER_SECRET');
    const text = await readMetrics();
    for (const line of [
      'limen_keyholder_calls_total{call="openChallenge"} 3',
      'limen_keyholder_refusals_total{reason="answers_spent"} 1',
      'limen_keyholder_refusals_total{reason="epoch"} 1',
      'limen_keyholder_refusals_total{reason="throttled"} 0',
      'limen_keyholder_refusals_total{reason="store"} 0',
      'limen_keyholder_connections 1',
      'limen_keyholder_ready{part="store"} 1',
      'limen_keyholder_ready{part="audit"} 1',
      'limen_keyholder_answers_spent{budget="enrol"} 2',
      'limen_keyholder_answers_budget{budget="enrol"} 2',
      'limen_keyholder_answers_spent{budget="sign_in"} 0',
      'limen_keyholder_master_key 1',
      'limen_keyholder_audit_problem{problem="cut"} 0',
    ])
      expect(text.split('\n')).toContain(line);
    expect(text).toMatch(/^limen_keyholder_refused_connections_total\{reason="secret"\} [1-9]/m);
    for (const name of ['acme', 'session', '127.0.0.1']) expect(text).not.toContain(name);
  });

  it('requires the token for metrics, but not for health and readiness', async () => {
    for (const headers of [{}, { authorization: 'Bearer another' }]) {
      expect((await request('/metrics', { headers })).status).toBe(401);
    }
    expect((await request('/health')).status).toBe(200);
    const ready = await request('/ready');
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ready', checks: { store: 'ready', audit: 'ready' } },
    ]);
    expect((await request('/other')).status).toBe(404);
    expect((await request('/ready', { method: 'POST', body: 'x' })).status).toBe(405);
  });

  it('reports that no answer is possible after the end of the audit was edited', async () => {
    withFile(folder, (db) => db.exec('update audit_head set lines = lines + 1'));
    onTestFinished(() => withFile(folder, (db) => db.exec('update audit_head set lines = lines - 1')));
    await vi.waitFor(async () => expect((await request('/ready')).status).toBe(503), PATIENCE);
    expect(await (await request('/ready')).json()).toMatchObject({
      checks: { store: 'ready', audit: expect.stringContaining('was changed') },
    });
  });
});

describe('the listener for metrics', () => {
  const silent = { report: () => new Promise<never>(() => {}) } as never;

  it('responds in time when the store does not', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { readiness } = createKeyHolderMetrics(silent, server, createCallCounts(), { processMetrics: false });
    const report = readiness.report();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await report).toEqual({
      status: 'not ready',
      checks: { store: 'the store does not answer', audit: 'the store does not answer' },
    });
  });

  it('is disabled and reported if its port is taken', async () => {
    const said: string[] = [];
    const error = (_facts: object, sentence: string) => void said.push(sentence);
    const watched = { metrics: silent, readiness: silent };
    const options = { host: '127.0.0.1', port: listener.port, token, watched, log: { error } as never };
    expect(await listenForMetrics(options)).toBeUndefined();
    expect(said).toEqual([expect.stringContaining('the key-holder goes on: check KEYHOLDER_METRICS_PORT')]);
  });

  it('answers a failing request with 500 and goes on', async () => {
    const broken = { text: () => Promise.reject(new Error('no text')) } as never;
    const own = (await listen({ metrics: broken, readiness: broken }))!;
    onTestFinished(() => own.close());
    const headers = { authorization: `Bearer ${token}` };
    for (let time = 0; time < 2; time++) {
      expect((await fetch(`http://127.0.0.1:${own.port}/metrics`, { headers })).status).toBe(500);
    }
  });

  it.each([
    ['says something else', '\x16\x03\x01\r\n\r\n'],
    ['sends endless headers', `GET /health HTTP/1.1\r\nx: ${'x'.repeat(10_000)}`],
    ['leaves in the middle', undefined],
  ])('serves others after a client that %s', async (_, bytes) => {
    const socket = connect(listener.port, '127.0.0.1');
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write(bytes ?? 'GET /met');
    if (bytes === undefined) socket.resetAndDestroy();
    await closed;
    expect((await request('/health')).status).toBe(200);
  });
});
