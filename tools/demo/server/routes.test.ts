// The demo's page alone: its exact headers, and the SDK's connection to the running service.
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createIds } from '../../../apps/server/src/platform/base/ids.ts';
import type { PageFile, PageFiles } from '../../../apps/server/src/platform/http/pages/files.ts';
import { createHttpServer } from '../../../apps/server/src/platform/http/server.ts';
import { createMetrics } from '../../../apps/server/src/platform/watch/metrics.ts';
import { createManualClock } from '../../../apps/server/testing/manual-clock.ts';
import { createInjectFetch } from './inject-fetch.ts';
import { openDemoWith } from './open-demo.ts';

const content = Buffer.from('<!doctype html>');
const PAGE: PageFile = {
  type: 'text/html; charset=utf-8',
  sha256: 'a'.repeat(64),
  compressed: new Map(),
  plain: { bytes: content.length, open: () => content },
};

function serve(page: PageFile | undefined) {
  const http = createHttpServer({ metrics: createMetrics(false), log: pino({ level: 'silent' }) });
  onTestFinished(() => http.close());
  const files: PageFiles = { page, findAsset: () => undefined, close() {} };
  const clock = createManualClock();
  openDemoWith(files, {
    http,
    baseUrl: () => 'http://x',
    apiKey: async () => undefined,
    webhooksArrive: true,
    stateOf: async () => undefined,
    clock,
    ids: createIds(clock),
  });
  return http;
}

it('runs only its own script and calls only its own address', async () => {
  const reply = await serve(PAGE).inject('/demo');
  expect([reply.statusCode, reply.body]).toEqual([200, String(content)]);
  expect(reply.headers).toMatchObject({
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    'cache-control': 'no-cache',
  });
});

it('explains what to do if it is not built', async () => {
  const reply = await serve(undefined).inject('/demo');
  expect(reply.statusCode).toBe(503);
  expect(reply.body).toContain('npm run build');
});

it('reaches the service below a proxy’s prefix and nothing outside it', async () => {
  const http = serve(PAGE);
  http.post('/echo', async ({ body, headers }, reply) => reply.code(202).send({ body, key: headers['x-api-key'] }));
  http.delete('/echo', async (_request, reply) => reply.code(204).send());
  const fetch = createInjectFetch(http, 'https://proxy.example/limen');
  const headers = { 'x-api-key': 'k', 'content-type': 'application/json' };
  const reply = await fetch('https://proxy.example/limen/echo?q=1', { method: 'POST', headers, body: '{"a":1}' });
  expect([reply.status, await reply.json()]).toEqual([202, { body: { a: 1 }, key: 'k' }]);
  expect((await fetch('https://proxy.example/limen/echo', { method: 'DELETE' })).status).toBe(204);
  await expect(fetch('https://proxy.example/echo', {})).rejects.toThrow(TypeError);
  await expect(fetch('https://proxy.example/limen/echo', { signal: AbortSignal.abort() })).rejects.toThrow();
});
