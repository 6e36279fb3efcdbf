// Requests that Node's server rejects, on a real socket: the reply, the log line and the metrics.
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { PATIENCE } from '@limen/testing/patience.ts';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../watch/metrics.ts';
import { createHttpServer } from './server.ts';

/** Short timeouts for requests that never end. The idle timeout stays long for slow machines. */
const HURRIED = { headersMs: 100, bodyGraceMs: 100, idleMs: 60_000 };
const PATIENT = { headersMs: 60_000, bodyGraceMs: 60_000, idleMs: 60_000 };

async function startServer(timeouts = PATIENT) {
  const lines: string[] = [];
  const metrics = createMetrics(false);
  const app = createHttpServer(
    { metrics, log: pino({ base: null }, { write: (line: string) => void lines.push(line) }) },
    {},
    { timeouts },
  );
  const stream = new PassThrough();
  const held = Promise.withResolvers<void>();
  let broken = 0;
  app.server.on('clientError', () => (broken += 1));
  app.get('/held/:id', async () => {
    await held.promise;
    return {};
  });
  app.get('/stream', (_request, reply) => reply.send(stream));
  app.post('/body', async () => ({}));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  onTestFinished(async () => {
    held.resolve();
    stream.end();
    socket.destroy();
    await app.close();
  });
  const client = { received: '', isClosed: false };
  socket.on('data', (chunk) => (client.received += chunk)).on('close', () => (client.isClosed = true));
  const requests = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  return {
    client,
    stream,
    metrics,
    lines,
    requests,
    /** Like `requests`, but only what is the same in each run */
    noted: () => requests().map(({ method, route, status }) => [method, route, status]),
    send: (text: string) => void socket.write(text),
    endHalf: () => void socket.end(),
    letGo: held.resolve,
    isBroken: () => expect.poll(() => broken, PATIENCE).toBeGreaterThan(0),
    isClosed: () => expect.poll(() => client.isClosed, PATIENCE).toBe(true),
  };
}

const statusesIn = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

const HELD = 'GET /held/1 HTTP/1.1\r\nhost: x\r\n\r\n';
const NO_HTTP = 'hunter2\0\r\n\r\n';
const HALF = 'GET / HT';
const CHUNKED =
  'POST /body HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';

describe('after a reply in progress', () => {
  it.each([
    ['a request that is not HTTP', NO_HTTP, ['unknown', 'unmatched', 499]],
    [
      'a request with oversized headers',
      `GET / HTTP/1.1\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`,
      ['unknown', 'unmatched', 499],
    ],
    ['a broken body', `${CHUNKED}zz\r\n`, ['POST', '/body', 499]],
    ['a request that ends within its headers', HALF, ['unknown', 'unmatched', 499]],
    ['CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nhost: x\r\n\r\n', ['CONNECT', 'unmatched', 499]],
  ])('%s gets no reply: the first reply completes, and the connection closes', async (_name, text, line) => {
    const { client, send, noted, letGo, isClosed } = await startServer(text === HALF ? HURRIED : PATIENT);
    send(HELD + text);
    await expect.poll(noted, PATIENCE).toEqual([line]);
    expect(client.received).toBe('');
    letGo();
    await isClosed();
    expect(statusesIn(client.received)).toEqual([200]);
    expect(client.received).toMatch(/\r\n\r\n\{\}$/);
    expect(noted()).toEqual([line, ['GET', '/held/:id', 200]]);
  });

  it('lets a running stream complete', async () => {
    const { client, send, stream, noted, isBroken, isClosed } = await startServer();
    send('GET /stream HTTP/1.1\r\nhost: x\r\n\r\n');
    stream.write('one');
    await expect.poll(() => client.received, PATIENCE).toContain('3\r\none\r\n');
    send(NO_HTTP);
    await isBroken();
    send(NO_HTTP);
    stream.end('two');
    await isClosed();
    expect(client.received).toMatch(/\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n$/);
    expect(statusesIn(client.received)).toEqual([200]);
    expect(noted()).toEqual([
      ['unknown', 'unmatched', 499],
      ['GET', '/stream', 200],
    ]);
  });
});

it('sends no second reply for a body that breaks after its request was answered', async () => {
  const { client, send, noted, isClosed } = await startServer();
  send(CHUNKED.replace('/body', '/nothing'));
  await expect.poll(() => statusesIn(client.received), PATIENCE).toEqual([404]);
  send('zz\r\n');
  await isClosed();
  expect(statusesIn(client.received)).toEqual([404]);
  expect(noted()).toEqual([['POST', 'unmatched', 404]]);
});

describe("a log line with the reply's id, and a metric", () => {
  it.each([
    ['a request that is not HTTP', NO_HTTP, ['unknown', 'unmatched', 400]],
    ['oversized headers', `GET / HTTP/1.1\r\nx-hunter2: ${'a'.repeat(20_000)}\r\n\r\n`, ['unknown', 'unmatched', 431]],
    ['headers that never end', 'GET /hunter2 HTTP/1.1\r\nhost: x\r\nx-', ['unknown', 'unmatched', 408]],
    ['a body that never ends', `${CHUNKED}5\r\n"hunt`, ['POST', '/body', 408]],
    ['a broken body', `${CHUNKED}hunter2\r\n`, ['POST', '/body', 400]],
    ['an unmet expectation', 'GET /held/2 HTTP/1.1\r\nhost: x\r\nexpect: hunter2\r\n\r\n', ['GET', '/held/:id', 417]],
    ['CONNECT', 'CONNECT hunter2:443 HTTP/1.1\r\nhost: x\r\n\r\n', ['CONNECT', 'unmatched', 405]],
  ] as const)('covers %s', async (_name, text, line) => {
    const [method, route, status] = line;
    const timeouts = status === 408 ? HURRIED : PATIENT;
    const { client, send, requests, noted, lines, metrics, isClosed } = await startServer(timeouts);
    send(text);
    await isClosed();
    expect(statusesIn(client.received)).toEqual([status]);
    expect(noted()).toEqual([line]);
    expect(client.received).toContain(`x-request-id: ${requests()[0].requestId}\r\n`);
    expect(client.received).toContain(`"requestId":"${requests()[0].requestId}"`);
    expect(lines.join('')).not.toContain('hunter2');
    expect(await metrics.text()).toContain(`_count{method="${method}",route="${route}",status="${status}"} 1\n`);
  });

  it('covers a client that ends its side in the middle of the body, as a disconnect with a reply', async () => {
    const { client, send, endHalf, noted, isClosed } = await startServer();
    send(`${CHUNKED}5\r\n"hunt`);
    endHalf();
    await isClosed();
    expect(statusesIn(client.received)).toEqual([400]);
    expect(noted()).toEqual([['POST', '/body', 499]]);
  });
});
