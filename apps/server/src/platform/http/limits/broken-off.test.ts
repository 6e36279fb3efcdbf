// Requests whose client disconnects before the reply are logged and measured once, like all others.
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../watch/metrics.ts';
import { createHttpServer } from '../server.ts';

async function startServer() {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const metrics = createMetrics(false);
  const app = createHttpServer({ metrics, log });
  onTestFinished(() => app.close());
  const asked = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const handled = Promise.withResolvers<void>();
  app.get('/endless/:id', (_request, reply) => {
    const endless = new Readable({ read: () => void endless.push(Buffer.alloc(64 * 1024)) });
    return reply.send(endless);
  });
  app.get('/late/:id', async (_request, reply) => {
    reply.raw.once('close', left.resolve);
    asked.resolve();
    await left.promise;
    setImmediate(() => setImmediate(handled.resolve));
    return { too: 'late' };
  });
  app.get('/short/:id', async () => ({}));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const ask = (path: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
    return socket;
  };
  const requests = () =>
    lines
      .map((line) => JSON.parse(line))
      .flatMap(({ msg, route, status }) => (msg === 'request' ? [[route, status]] : []));
  return { ask, requests, metrics, asked: asked.promise, handled: handled.promise };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

it('records a disconnect while the reply is sent', async () => {
  const { ask, requests, metrics } = await startServer();
  const socket = ask('/endless/1');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  await until(() => requests().length > 0);
  expect(requests()).toEqual([['/endless/:id', 499]]);
  expect(await metrics.text()).toMatch(/_count\{method="GET",route="\/endless\/:id",status="499"\} 1\n/);
});

it('records a disconnect before the reply exists', async () => {
  const { ask, requests, asked, handled } = await startServer();
  const socket = ask('/late/1');
  await asked;
  socket.destroy();
  await handled;
  expect(requests()).toEqual([['/late/:id', 499]]);
});

it('keeps the status of answered requests', async () => {
  const { ask, requests } = await startServer();
  const socket = ask('/short/1');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  await until(() => requests().length > 0);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(requests()).toEqual([['/short/:id', 200]]);
});
