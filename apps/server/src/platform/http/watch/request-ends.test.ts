// Logging of a request with a malformed path, for which no hooks run.
import { type AddressInfo, connect } from 'node:net';
import { PATIENCE } from '@limen/testing/patience.ts';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../watch/metrics.ts';
import { createHttpServer } from '../server.ts';

async function startServer() {
  const lines: Record<string, unknown>[] = [];
  const app = createHttpServer({
    metrics: createMetrics(false),
    log: pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
  });
  const held = Promise.withResolvers<void>();
  const state = { begun: 0, requests: 0 };
  app.get('/held', async () => {
    state.begun += 1;
    await held.promise;
    return {};
  });
  app.server.on('request', () => {
    state.requests += 1;
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').resume();
  onTestFinished(async () => {
    held.resolve();
    socket.destroy();
    await app.close();
  });
  const ask = (...paths: string[]) =>
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''));
  return { lines, state, ask };
}

it("logs a line without a caller's id if the caller sent none", async () => {
  const { lines, ask } = await startServer();
  ask('/%zz');
  await expect.poll(() => lines, PATIENCE).toMatchObject([{ route: 'unmatched', status: 400 }]);
  expect(lines[0]).not.toHaveProperty('correlationId');
});

it('does not count toward the limit of requests on its connection', async () => {
  const { lines, state, ask } = await startServer();
  const held = (times: number) => Array<string>(times).fill('/held');
  ask('/%zz', '/%zz', '/%zz', ...held(13));
  await expect.poll(() => [lines.length, state.begun], PATIENCE).toEqual([3, 13]);
  ask(...held(4));
  await expect.poll(() => state.requests, PATIENCE).toBe(20);
  await new Promise((resolve) => setImmediate(resolve));
  expect(state.begun).toBe(16);
});
