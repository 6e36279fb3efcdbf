// Connections and bodies on real sockets: which are admitted, which are evicted, and that a refusal
// reaches a client that is still sending.
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { PATIENCE } from '@limen/testing/patience.ts';
import type { FastifyRequest } from 'fastify';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../watch/metrics.ts';
import { createListener } from '../listener.ts';
import { readTls } from '../served-certificate.ts';
import { createHttpServer, type ServerHooks, type ServerSettings } from '../server.ts';
import type { HttpServer } from '../types.ts';

const MIB = 1024 * 1024;

type Options = ServerSettings & Pick<ServerHooks, 'timeouts'> & { prepare?: (http: HttpServer) => void };

async function startServer({ prepare, timeouts, ...settings }: Options = {}, host = '127.0.0.1') {
  const log = pino({ level: 'silent' });
  const http = createHttpServer({ metrics: createMetrics(false), log }, settings, { timeouts });
  onTestFinished(() => http.close());
  const held = Promise.withResolvers<void>();
  onTestFinished(() => held.resolve());
  http.post('/body', async (request) => ({ got: JSON.stringify(request.body ?? null).length }));
  http.post('/guarded', { onRequest: refuse }, async () => ({}));
  http.get('/held', async () => {
    await held.promise;
    return {};
  });
  http.get('/now', async () => ({}));
  prepare?.(http);
  await createListener(http, { host, port: 0, secure: false }).listen();
  const { port } = http.server.address() as AddressInfo;
  const open = async (text = '', address = '127.0.0.1') => {
    const socket = connect(port, address);
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    if (text !== '') socket.write(text);
    return socket;
  };
  return { http, open };
}

async function refuse(): Promise<never> {
  throw Object.assign(new Error('no'), { statusCode: 401 });
}

const head = (path: string, ...lines: string[]) =>
  `POST ${path} HTTP/1.1\r\n${['host: x', 'content-type: application/json', ...lines].join('\r\n')}\r\n\r\n`;

function collect(socket: Socket) {
  const client = { received: '', isClosed: false };
  socket.on('data', (chunk) => (client.received += chunk)).on('close', () => (client.isClosed = true));
  return client;
}

const countConnections = (http: HttpServer) =>
  new Promise((resolve) => http.server.getConnections((_, count) => resolve(count)));

const statusesIn = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

/**
 * Writes everything before it reads the first byte of the reply, as Python's standard library does.
 */
async function writeAllThenRead(socket: Socket, ...parts: (string | Buffer)[]): Promise<string> {
  socket.pause();
  for (const part of parts) await new Promise<void>((resolve) => socket.write(part, () => resolve()));
  const client = collect(socket);
  socket.resume();
  await expect.poll(() => client.isClosed || client.received.includes('"requestId"'), PATIENCE).toBe(true);
  return client.received;
}

describe('a refusal reaches a client that sends everything first', () => {
  it.each([
    ['/body', 6, 'connection: keep-alive', 413],
    ['/body', 20, 'connection: keep-alive', 413],
    ['/body', 20, 'connection: close', 413],
    ['/guarded', 20, 'connection: close', 400],
    ['/nothing', 20, 'connection: close', 404],
    ['/now', 20, 'connection: close', 405],
  ])('for %s with %i MiB, %s', async (path, mib, connection, status) => {
    const { open } = await startServer();
    const length = mib * MIB;
    const reply = await writeAllThenRead(
      await open(),
      head(path, connection, `content-length: ${length}`),
      Buffer.alloc(length, 'x'),
    );
    expect(statusesIn(reply)).toEqual([status]);
  });

  it('for chunked bodies and HTTP/1.0', async () => {
    const { open } = await startServer();
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB, 'x'), Buffer.from('\r\n')]);
    const chunked = [head('/body', 'transfer-encoding: chunked'), ...Array<Buffer>(8).fill(chunk), '0\r\n\r\n'];
    expect(statusesIn(await writeAllThenRead(await open(), ...chunked))).toEqual([413]);
    const old = head('/body', `content-length: ${8 * MIB}`).replace('HTTP/1.1', 'HTTP/1.0');
    expect(statusesIn(await writeAllThenRead(await open(), old, Buffer.alloc(8 * MIB, 'x')))).toEqual([413]);
  });

  it('and keeps the connection open if neither side asks to close it', async () => {
    const { open } = await startServer();
    const socket = await open();
    const client = collect(socket);
    const length = 5 * MIB;
    socket.write(head('/nothing', `content-length: ${length}`));
    socket.write(Buffer.alloc(length, 'x'));
    socket.write('GET /now HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(() => statusesIn(client.received), PATIENCE).toEqual([404, 200]);
  });

  it('but reads no more than 32 MiB', async () => {
    const { open } = await startServer();
    const socket = await open(head('/body', 'transfer-encoding: chunked'));
    const client = collect(socket);
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB, 'x'), Buffer.from('\r\n')]);
    let sent = 0;
    const send = () => new Promise<boolean>((resolve) => void socket.write(chunk, (error) => resolve(!error)));
    while (sent < 200 && (await send())) sent += 1;
    await expect.poll(() => client.isClosed, PATIENCE).toBe(true);
    expect(statusesIn(client.received)).toEqual([413]);
    expect(sent).toBeLessThan(200);
  });

  it('for eight connections of one address; a ninth is closed with its reply', async () => {
    const { http, open } = await startServer();
    const clients: ReturnType<typeof collect>[] = [];
    for (let count = 0; count < 9; count += 1) {
      const client = collect(await open(head('/nothing', 'content-length: 1000000')));
      clients.push(client);
      await expect.poll(() => statusesIn(client.received), PATIENCE).toEqual([404]);
    }
    await expect.poll(() => clients.filter(({ isClosed }) => isClosed).length, PATIENCE).toBe(1);
    expect(clients[8]!.isClosed).toBe(true);
    // A stop waits for none of them.
    await http.close();
  });
});

describe('after the last reply of a connection, nothing is processed or answered', () => {
  const store = `${head('/stored', 'content-length: 2')}{}`;

  async function startStore(timeouts?: ServerHooks['timeouts']) {
    let stored = 0;
    const prepare = (http: HttpServer) =>
      void http.post('/stored', async () => {
        stored += 1;
        return {};
      });
    const { http, open } = await startServer({ prepare, timeouts });
    /** Keeps its own side open, so that it can send more after the reply. */
    const openHalf = async (text: string) => {
      const socket = await open(text);
      socket.allowHalfOpen = true;
      return { socket, client: collect(socket) };
    };
    return { http, openHalf, countStored: () => stored };
  }

  it.each([
    ['a request', store],
    ['a request whose path is broken', 'GET /%zz HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['bytes that are not HTTP', 'no http\r\n\r\n'],
  ])('ignores %s after a refused body', async (_name, text) => {
    const { openHalf, countStored } = await startStore();
    const { socket, client } = await openHalf(head('/body', 'content-length: 100000'));
    await expect.poll(() => client.received, PATIENCE).toMatch(/ 413 .*connection: close/is);
    socket.write('x'.repeat(100_000) + text);
    await expect.poll(() => client.isClosed || socket.readableEnded, PATIENCE).toBe(true);
    expect([statusesIn(client.received), countStored()]).toEqual([[413], 0]);
  });

  it.each([
    [
      'the rest of a body that was too slow, and the next request',
      `${head('/stored', 'content-length: 2')}{`,
      `}${store}`,
    ],
    ['the rest of headers that were too slow', store.slice(0, 20), store.slice(20)],
  ])('ignores %s', async (_name, start, rest) => {
    const { http, openHalf, countStored } = await startStore({ headersMs: 100, bodyGraceMs: 100, idleMs: 60_000 });
    const { socket, client } = await openHalf(start);
    await expect.poll(() => statusesIn(client.received), PATIENCE).toEqual([408]);
    socket.write(rest);
    await expect.poll(() => countConnections(http), PATIENCE).toBe(0);
    expect([statusesIn(client.received), countStored()]).toEqual([[408], 0]);
  });
});

const pem = (name: string) => fileURLToPath(new URL(`../../../../testing/tls/${name}.pem`, import.meta.url));
const TLS = { pair: readTls({ certFile: pem('cert'), keyFile: pem('key') }), forGood: false };

describe('over TLS', () => {
  const secure = (socket: Socket) => {
    const over = connectTls({ socket, rejectUnauthorized: false });
    over.on('error', () => {});
    return over;
  };

  it('delivers a refusal to a client that sends everything first', async () => {
    const { open } = await startServer({ tls: TLS });
    const lines = ['connection: close', `content-length: ${8 * MIB}`];
    const reply = await writeAllThenRead(secure(await open()), head('/body', ...lines), Buffer.alloc(8 * MIB, 'x'));
    expect(statusesIn(reply)).toEqual([413]);
  });

  it('closes sockets without a handshake, but not those with a request in progress', async () => {
    const timeouts = { headersMs: 300, bodyGraceMs: 60_000, idleMs: 60_000 };
    const { open } = await startServer({ tls: TLS, timeouts, connectionLimits: { total: 100, perAddress: 3 } });
    const busy = [secure(await open()), secure(await open())];
    for (const socket of busy) socket.write('GET /held HTTP/1.1\r\nhost: x\r\n\r\n');
    const held = busy.map(collect);
    const late = secure(await open());
    const answered = collect(late);
    late.write('GET /now HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    await expect.poll(() => answered.isClosed, PATIENCE).toBe(true);
    expect(statusesIn(answered.received)).toEqual([200]);
    const silent = [collect(await open()), collect(await open()), collect(await open())];
    await expect.poll(() => silent.every(({ isClosed }) => isClosed), PATIENCE).toBe(true);
    expect(held.some(({ isClosed }) => isClosed)).toBe(false);
  });
});

describe('room for bodies', () => {
  const big = (path: string) => [
    head(path, `content-length: ${17 * MIB}`, 'connection: close'),
    Buffer.from(`"${'x'.repeat(17 * MIB - 2)}"`),
  ];

  it('gives an anonymous client one share, and a valid key a larger one', async () => {
    const { http, open } = await startServer({ prepare: addLargeRoutes });
    expect(statusesIn(await writeAllThenRead(await open(), ...big('/large')))).toEqual([503]);
    expect(statusesIn(await writeAllThenRead(await open(), ...big('/proven')))).toEqual([200]);
    // The refused body released its room.
    const small = await http.inject({ method: 'POST', url: '/large', payload: { a: 1 } });
    expect(small.statusCode).toBe(200);
  });

  function addLargeRoutes(http: HttpServer): void {
    const bodyLimit = 20 * MIB;
    http.post('/large', { bodyLimit }, async () => ({ requestId: 'x' }));
    const prove = async (request: FastifyRequest) => {
      request.apiKey = { id: 'a key' } as never;
    };
    http.post('/proven', { bodyLimit, onRequest: prove }, async () => ({ requestId: 'x' }));
  }
});

describe('an expectation of 100-continue', () => {
  const expecting = (path: string, length: number) => head(path, 'expect: 100-continue', `content-length: ${length}`);

  it('is met once the headers have passed the checks', async () => {
    const { open } = await startServer();
    const socket = await open(expecting('/body', 2));
    const client = collect(socket);
    await expect.poll(() => statusesIn(client.received), PATIENCE).toEqual([100]);
    socket.write('{}');
    await expect.poll(() => statusesIn(client.received), PATIENCE).toEqual([100, 200]);
  });

  it.each([
    ['a length above the limit', '/body', 6_000_000, 413],
    ['a refused caller', '/guarded', 10, 400],
    ['an unknown path', '/nothing', 10, 404],
  ])('is answered at once for %s', async (_name, path, length, status) => {
    const { open } = await startServer();
    const client = collect(await open(expecting(path, length)));
    await expect.poll(() => client.isClosed, PATIENCE).toBe(true);
    expect(statusesIn(client.received)).toEqual([status]);
  });
});

describe('connections', () => {
  const isAnswered = async (socket: Socket) => {
    const client = collect(socket);
    socket.write('GET /now HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(() => client.isClosed || client.received.includes('200 OK'), PATIENCE).toBe(true);
    return client.received.includes('200 OK');
  };
  const openMany = async (open: (text?: string, address?: string) => Promise<Socket>, count: number, text = '') => {
    const clients: ReturnType<typeof collect>[] = [];
    for (let made = 0; made < count; made += 1) clients.push(collect(await open(text)));
    return clients;
  };
  const closedOf = (clients: { isClosed: boolean }[]) => clients.filter(({ isClosed }) => isClosed).length;

  it.each([
    ['silent', ''],
    ['reading headers', 'GET /now HTTP/1.1\r\nhos'],
    ['announcing a body', head('/body', 'content-length: 60000')],
    ['announcing a body that is refused', head('/body', 'content-length: 8388608')],
  ])('of one address that are %s are closed for the next', async (_name, text) => {
    const { open } = await startServer({ connectionLimits: { total: 100, perAddress: 5 } });
    const clients = await openMany(open, 12, text);
    await expect.poll(() => closedOf(clients), PATIENCE).toBe(7);
    expect(await isAnswered(await open())).toBe(true);
  });

  it('with a request in progress are never closed; the new one is', async () => {
    const { open } = await startServer({ connectionLimits: { total: 100, perAddress: 3 } });
    const clients = await openMany(open, 3);
    const busy = await openMany(open, 3, 'GET /held HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(() => closedOf(clients), PATIENCE).toBe(3);
    expect(await isAnswered(await open())).toBe(false);
    expect(closedOf(busy)).toBe(0);
  });

  it('of an untrusted proxy have no share', async () => {
    const { open } = await startServer({ connectionLimits: { total: 100, perAddress: 3 } });
    const first = await open('GET /now HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 203.0.113.9\r\n\r\n');
    const client = collect(first);
    await expect.poll(() => client.received, PATIENCE).toContain('200 OK');
    const busy = await openMany(open, 6, 'GET /held HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(await isAnswered(await open())).toBe(true);
    expect(closedOf(busy)).toBe(0);
  });

  it('that are idle are closed first, the longest idle one before others', async () => {
    const { open } = await startServer({ connectionLimits: { total: 100, perAddress: 3 } });
    const sockets = [await open(), await open(), await open()];
    for (const socket of sockets) expect(await isAnswered(socket)).toBe(true);
    const clients = sockets.map(collect);
    sockets[0]!.write('GET /now HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(() => clients[0]!.received, PATIENCE).toContain('200 OK');
    expect(await isAnswered(await open())).toBe(true);
    await expect.poll(() => clients.map(({ isClosed }) => isClosed), PATIENCE).toEqual([false, true, false]);
  });

  it('are closed in order: silent, idle, reading headers, announcing a body', async () => {
    const { open } = await startServer({ connectionLimits: { total: 100, perAddress: 4 } });
    const body = collect(await open(head('/body', 'content-length: 9', 'expect: 100-continue')));
    await expect.poll(() => statusesIn(body.received), PATIENCE).toEqual([100]);
    const halfHead = await open('GET /now HTTP/1.1\r\nhost: x\r\n\r\n');
    const inHead = collect(halfHead);
    await expect.poll(() => statusesIn(inHead.received), PATIENCE).toEqual([200]);
    halfHead.write('GET /now HT');
    const idleSocket = await open();
    expect(await isAnswered(idleSocket)).toBe(true);
    const clients = [collect(await open()), collect(idleSocket), inHead, body];
    for (let closed = 1; closed <= 4; closed += 1) {
      await open('GET /held HTTP/1.1\r\nhost: x\r\n\r\n');
      await expect.poll(() => closedOf(clients), PATIENCE).toBe(closed);
      expect(closedOf(clients.slice(0, closed))).toBe(closed);
    }
  });

  it.each([
    ['a trusted proxy, which has no share', '127.0.0.1', 0],
    ['a peer other than the trusted proxy, which has a share', '10.9.9.9', 3],
  ])('have the limit of %s', async (_name, proxy, closed) => {
    const { open } = await startServer({ trustProxy: [proxy], connectionLimits: { total: 100, perAddress: 3 } });
    const busy = await openMany(open, 6, 'GET /held HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(() => closedOf(busy), PATIENCE).toBe(closed);
    const isAdmitted = await isAnswered(await open());
    expect([isAdmitted, closedOf(busy)]).toEqual([closed === 0, closed]);
  });

  it('through both addresses of localhost are counted together', async () => {
    const { open } = await startServer({ connectionLimits: { total: 4, perAddress: 100 } }, 'localhost');
    const held = 'GET /held HTTP/1.1\r\nhost: x\r\n\r\n';
    const hasIpv6 = await open('', '::1').then(
      () => true,
      () => false,
    );
    const clients: ReturnType<typeof collect>[] = [];
    for (let made = 0; made < 8; made += 1) {
      clients.push(collect(await open(held, hasIpv6 && made % 2 === 0 ? '::1' : '127.0.0.1')));
    }
    await expect.poll(() => closedOf(clients), PATIENCE).toBe(4);
  });

  it('that never send a byte are closed without a reply or a log line', async () => {
    const { open } = await startServer({ timeouts: { headersMs: 100, bodyGraceMs: 60_000, idleMs: 60_000 } });
    const client = collect(await open());
    await expect.poll(() => client.isClosed, PATIENCE).toBe(true);
    expect(client.received).toBe('');
  });

  it('are cut off if the client keeps its side open after the last reply', async () => {
    const { http, open } = await startServer();
    const socket = await open();
    socket.allowHalfOpen = true;
    const client = collect(socket);
    socket.write('no http\r\n\r\n');
    await expect.poll(() => statusesIn(client.received), PATIENCE).toEqual([400]);
    await expect.poll(() => countConnections(http), PATIENCE).toBe(0);
  });
});

it('reassemble a body that arrives byte by byte, and charge each byte', async () => {
  const { open } = await startServer();
  const socket = await open(head('/body', 'transfer-encoding: chunked', 'connection: close'));
  const client = collect(socket);
  const text = JSON.stringify({ a: 'b'.repeat(2_000) });
  socket.write(`${[...text].map((letter) => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n`);
  await expect.poll(() => client.isClosed, PATIENCE).toBe(true);
  expect(client.received).toContain(`{"got":${text.length}}`);
});
