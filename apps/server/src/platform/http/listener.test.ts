// The listener: its addresses and ports, and that all of them form one server.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../watch/metrics.ts';
import { createListener, originAt } from './listener.ts';
import { createHttpServer } from './server.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);
const LOOPBACK = hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1'];

function serverWithListener(host: string, port = 0) {
  const http = createHttpServer({ metrics: createMetrics(false), log: pino({ level: 'silent' }) });
  onTestFinished(() => http.close());
  const listener = createListener(http, { host, port, secure: false });
  const asked = Promise.withResolvers<void>();
  const mayAnswer = Promise.withResolvers<void>();
  http.get('/now', async () => ({ answered: true }));
  http.get('/later', async () => {
    asked.resolve();
    await mayAnswer.promise;
    return { answered: true };
  });
  return { http, listener, asked: asked.promise, answer: mayAnswer.resolve };
}

/** Returns everything received on a new connection. */
async function ask(host: string, port: number, head: string): Promise<string> {
  const socket = connect(port, host);
  onTestFinished(() => void socket.destroy());
  socket.write(`${head}\r\n\r\n`);
  return text(socket);
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close`;

describe('localhost', () => {
  it('covers both loopback addresses on one port, and is logged by name', async () => {
    const { http, listener } = serverWithListener('localhost');
    const address = await listener.listen();
    const { port } = http.server.address() as AddressInfo;
    expect(address).toBe(`http://localhost:${port}`);
    expect(listener.address()).toBe(address);
    for (const host of LOOPBACK) expect(await ask(host, port, get('/now'))).toContain('{"answered":true}');
  });

  it.each(LOOPBACK)('handles invalid HTTP and exceeded limits the same way on %s', async (host) => {
    const { http, listener } = serverWithListener('localhost');
    await listener.listen();
    const { port } = http.server.address() as AddressInfo;
    expect(await ask(host, port, 'not http')).toContain('"message":"This is not a well-formed HTTP request."');
    expect(await ask(host, port, `${get('/now')}\r\nexpect: wonders`)).toMatch(/^HTTP\/1\.1 417 /);
    expect(await ask(host, port, `${get('/now')}\r\nx: ${'y'.repeat(20_000)}`)).toMatch(/^HTTP\/1\.1 431 /);
  });

  it.each(LOOPBACK)('finishes a request on %s before it closes, and takes no new one', async (host) => {
    const { http, listener, asked, answer } = serverWithListener('localhost');
    await listener.listen();
    const { port } = http.server.address() as AddressInfo;
    const inFlight = ask(host, port, 'GET /later HTTP/1.1\r\nhost: x');
    await asked;
    let closed = false;
    const closing = http.close().then(() => (closed = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toBe(false);
    answer();
    expect(await inFlight).toContain('{"answered":true}');
    await closing;
    for (const each of LOOPBACK) await expect(once(connect(port, each), 'connect')).rejects.toThrow('ECONNREFUSED');
  });

  it.each(LOOPBACK)('is refused if another process uses the port on %s', async (host) => {
    const other = createServer().listen(0, host);
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { listener } = serverWithListener('localhost', port);
    await expect(listener.listen()).rejects.toMatchObject({ code: 'EADDRINUSE', port });
  });
});

it('binds a numeric address only to that address', async () => {
  const { http, listener } = serverWithListener('127.0.0.1');
  const { port } = new URL(await listener.listen());
  expect(listener.address()).toBe(`http://127.0.0.1:${port}`);
  expect(http.addresses()).toHaveLength(1);
  if (hasIpv6) await expect(once(connect(Number(port), '::1'), 'connect')).rejects.toThrow('ECONNREFUSED');
});

it.each([
  [{ host: 'localhost', port: 8080, secure: false }, 'http://localhost:8080'],
  [{ host: '::1', port: 8443, secure: true }, 'https://[::1]:8443'],
])('reports that %j will be reached at %s', (place, origin) => {
  expect(originAt(place)).toBe(origin);
  expect(serverWithListener(place.host, place.port).listener.address()).toBe(origin.replace('https', 'http'));
});
