// Receivers that fail outside HTTP: certificates, handshakes, trickling replies; and the order they
// see.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Receiver, startReceiver } from '#testing/webhooks/receiver.ts';
import { prepareWebhooks, settle } from '#testing/webhooks/webhook-place.ts';
import { named } from '../platform/base/ids.ts';
import { createMetrics } from '../platform/watch/metrics.ts';
import { registerWebhookMetrics } from './open.ts';

const TLS_FILES = new URL('../../testing/tls/', import.meta.url);
/** Short, because only this timeout ends these receivers. */
const TIMEOUT_MS = 150;
const DROP_MS = 5;

/** Listens until the test ends, then cuts its connections. */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function deliverTo(url: string, timeoutMs = TIMEOUT_MS) {
  const { start } = await prepareWebhooks();
  const process = start({ timeoutMs });
  await process.write({ url });
  await settle(process);
  return (await process.log())[0]!;
}

/** Sends `text` at once and then single bytes for as long as the client listens. */
function dripAfter(text: string): Server {
  return createServer((socket) => {
    socket.once('data', () => {
      socket.write(text);
      const drops = setInterval(() => socket.write('x'), DROP_MS);
      socket.on('close', () => clearInterval(drops));
    });
  });
}

describe('a receiver', () => {
  it('with an untrusted certificate receives nothing, and the webhook stays', async () => {
    let requests = 0;
    const [cert, key] = ['cert.pem', 'key.pem'].map((name) => readFileSync(new URL(name, TLS_FILES)));
    const server = createTlsServer({ cert, key }, (_request, reply) => {
      requests += 1;
      reply.end();
    });
    server.on('tlsClientError', () => {});
    const port = await listen(server);
    expect(await deliverTo(`https://127.0.0.1:${port}/`, 10_000)).toMatchObject({
      state: 'pending',
      attempts: 1,
      last_status: null,
      last_error: 'unreachable',
    });
    expect(requests).toBe(0);
  });

  it('whose TLS handshake hangs is given up in time', async () => {
    const port = await listen(createServer(() => {}));
    expect(await deliverTo(`https://127.0.0.1:${port}/`)).toMatchObject({ state: 'pending', last_error: 'timeout' });
  });

  it('that sends its headers byte by byte is given up in time', async () => {
    const port = await listen(dripAfter('HTTP/1.1 200 OK\r\nx-slow: '));
    expect(await deliverTo(`http://127.0.0.1:${port}/`)).toMatchObject({ state: 'pending', last_error: 'timeout' });
  });

  it('whose endless reply comes byte by byte counts as having accepted', async () => {
    const port = await listen(dripAfter('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n'));
    const delivery = await deliverTo(`http://127.0.0.1:${port}/`, 1_500);
    expect(delivery).toMatchObject({ state: 'delivered', last_status: 200 });
  });

  it.each([
    ['speaks another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['answers with zero bytes', '\0\0\0\0'],
    ['answers with a TLS alert', '\x15\x03\x01\0\x02\x02\x16'],
    ['sends a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
    ['sends a two-digit status', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['sends endless headers', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`],
  ])('that %s has not accepted, and gets a retry on the usual schedule', async (_, garbage) => {
    const attempts: string[] = [];
    const port = await listen(
      createServer((socket) => {
        socket.once('data', (data) => {
          attempts.push(/x-service-attempt: (\d+)/.exec(String(data))![1]!);
          socket.end(Buffer.from(garbage, 'latin1'));
        });
      }),
    );
    const { start, clock } = await prepareWebhooks();
    const process = start();
    await process.write({ url: `http://127.0.0.1:${port}/` });
    await settle(process);
    const failed = { state: 'pending', attempts: 1, last_status: null, last_error: 'invalid_reply' };
    expect(await process.log()).toMatchObject([{ ...failed, next_attempt_at: clock.now() + 5_000 }]);
    clock.advance(5_000);
    await settle(process);
    expect(await process.log()).toMatchObject([{ ...failed, attempts: 2, next_attempt_at: clock.now() + 60_000 }]);
    expect(attempts).toEqual(['1', '2']);
  });

  it('that accepts each webhook at the third attempt gets those of every session in order', async () => {
    const { start, clock } = await prepareWebhooks();
    const receiver: Receiver = await startReceiver((nth) => {
      const { body } = receiver.received[nth - 1]!;
      return receiver.received.filter((got) => got.body === body).length < 3 ? 503 : 200;
    });
    const process = start();
    const sessions = ['a', 'b', 'c'];
    for (let nth = 1; nth <= 3; nth += 1) {
      for (const sessionId of sessions)
        await process.write({ url: receiver.url, sessionId, body: `${sessionId}${nth}` });
    }
    for (let hour = 0; hour < 20; hour += 1) {
      await settle(process);
      clock.advance(3_600_000);
    }
    for (const session of sessions) {
      const got = receiver.received.map(({ body }) => JSON.parse(body) as string);
      const expected = [1, 1, 1, 2, 2, 2, 3, 3, 3].map((nth) => `${session}${nth}`);
      expect(got.filter((body) => body.startsWith(session))).toEqual(expected);
    }
  });
});

it('measures attempts by outcome, those given up and those waiting, with one query', async () => {
  const { start, clock, database } = await prepareWebhooks();
  const answers = [200, 200, 410, 503];
  const receiver = await startReceiver((nth) => answers[nth - 1]!);
  const { webhooks, ...process } = start();
  const metrics = createMetrics(false);
  let looks = 0;
  const pending = () => {
    looks += 1;
    return webhooks.pending();
  };
  registerWebhookMetrics(metrics, { ...webhooks, pending }, clock);
  for (let nth = 0; nth < answers.length; nth += 1) {
    await process.write({ url: receiver.url, sessionId: `s${nth}` });
    await settle({ ...process, webhooks });
  }
  await process.write({ url: receiver.url, sessionId: 'past its time', purgeAt: clock.now() });
  await settle({ ...process, webhooks });
  await process.write({ url: receiver.url, sessionId: 'deleted', purgeAt: clock.now() });
  await database.transact((trx) => webhooks.forgetSessions(trx, [named('deleted')]));
  clock.advance(4_000);
  expect((await metrics.text()).split('\n').filter((line) => /^limen_webhook/.test(line))).toEqual([
    'limen_webhook_attempts_total{outcome="delivered"} 2',
    'limen_webhook_attempts_total{outcome="gone"} 1',
    'limen_webhook_attempts_total{outcome="status"} 1',
    'limen_webhooks_dead_total 1',
    'limen_webhooks_pending 1',
    'limen_webhooks_oldest_pending_seconds 4',
  ]);
  expect(looks).toBe(1);
  await metrics.text();
  expect(looks).toBe(2);
});
