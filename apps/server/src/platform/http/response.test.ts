// Headers that every reply carries, on the wire and in `inject`.
import { type AddressInfo, connect } from 'node:net';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../watch/metrics.ts';
import { API_HEADERS } from './security-headers.ts';
import { createHttpServer } from './server.ts';

const OWN = { 'cache-control': 'public', 'content-security-policy': "default-src 'self'", 'x-own': 'yes' };

async function startServer() {
  const app = createHttpServer({ metrics: createMetrics(false), log: pino({ level: 'silent' }) });
  onTestFinished(() => app.close());
  app.get('/plain', async () => ({ a: 'ä' }));
  app.get('/own', async (_request, reply) => reply.headers(OWN).send({}));
  app.get('/empty', async (_request, reply) => reply.code(204).send());
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const ask = (path: string) =>
    new Promise<[string, string][]>((resolve, reject) => {
      let text = '';
      const socket = connect(port, '127.0.0.1').on('error', reject).setEncoding('utf8');
      socket.on('data', (chunk) => (text += chunk)).on('close', () => resolve(headersIn(text)));
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nx-request-id: mine\r\nconnection: close\r\n\r\n`);
    });
  return { app, ask };
}

/** Returns the headers sorted by name, duplicates included. */
function headersIn(text: string): [string, string][] {
  const [, ...lines] = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n');
  return lines.map((line): [string, string] => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 2),
  ]);
}

const COMMON = { ...API_HEADERS, 'x-request-id': 'mine' };

it.each([
  ['/plain', COMMON],
  ['/nothing/here', COMMON],
  ['/strings/%zz', COMMON],
  ['/empty', COMMON],
  ['/own', { ...COMMON, ...OWN }],
])("sends each header once with %s, and keeps the reply's own value", async (path, expected) => {
  const { app, ask } = await startServer();
  const received = await ask(path);
  const names = received.map(([name]) => name);
  expect(names).toEqual([...new Set(names)]);
  expect(Object.fromEntries(received)).toMatchObject(expected);
  const injected = await app.inject({ url: path, headers: { 'x-request-id': 'mine' } });
  expect(injected.headers).toMatchObject(expected);
});
