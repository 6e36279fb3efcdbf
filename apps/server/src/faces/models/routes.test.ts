// The face models over HTTP: manifest, caching, compression and missing files.
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { PATIENCE } from '@limen/testing/patience.ts';
import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeTestModels, sha256Of } from '#testing/model-manifest.ts';
import { createHttpServer } from '../../platform/http/server.ts';
import { createMetrics } from '../../platform/watch/metrics.ts';
import { openModels } from './open.ts';
import { registerModelRoutes } from './routes.ts';

const log = pino({ level: 'silent' });

async function serve({ start = true } = {}) {
  const files = makeTestModels();
  const models = await openModels({ ...files, log });
  const http = createHttpServer({ metrics: createMetrics(false), log });
  onTestFinished(async () => {
    await http.close();
    await models.close();
  });
  registerModelRoutes(http, models);
  if (start) models.start();
  const detect = models.find('detect.onnx')!;
  if (start) await vi.waitFor(async () => expect((await models.locate(detect, true))?.gzip).toBe(true), PATIENCE);
  if (start) await vi.waitFor(() => expect(models.state()).toBe('ready'), PATIENCE);
  return { http, models, content: files.contents.get('detect')!, hash: detect.sha256 };
}

describe('GET /launch/models/manifest.json', () => {
  it('is available from the start and never cached', async () => {
    const { http, models } = await serve({ start: false });
    const reply = await http.inject('/launch/models/manifest.json');
    expect(reply.statusCode).toBe(200);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-cache',
      etag: `"${sha256Of(reply.rawPayload)}"`,
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(reply.body).toBe(models.manifest.text);
    const headers = { 'if-none-match': `W/"other", ${String(reply.headers.etag)}` };
    const again = await http.inject({ url: '/launch/models/manifest.json', headers });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });
});

describe('GET /launch/models/:file', () => {
  it('sends the file unchanged', async () => {
    const { http, content, hash } = await serve();
    const reply = await http.inject('/launch/models/detect.onnx');
    expect(reply.statusCode).toBe(200);
    expect(reply.rawPayload).toEqual(content);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(content.length),
      'cache-control': 'no-cache',
      'cross-origin-resource-policy': 'same-origin',
      vary: 'accept-encoding',
      etag: `"${hash}"`,
    });
    expect(reply.headers['content-encoding']).toBeUndefined();
  });

  it('is immutable only if the address contains the hash', async () => {
    const { http, hash } = await serve();
    const cacheOf = async (query: string) =>
      (await http.inject(`/launch/models/detect.onnx${query}`)).headers['cache-control'];
    expect(await cacheOf(`?v=${hash}`)).toBe('public, max-age=31536000, immutable');
    for (const query of ['', '?v=', `?v=${hash.slice(1)}`, `?v=${hash}&v=${hash}`, `?V=${hash}`]) {
      expect(await cacheOf(query)).toBe('no-cache');
    }
  });

  it('is compressed for clients that accept it', async () => {
    const { http, content, hash } = await serve();
    const headers = { 'accept-encoding': 'br, gzip' };
    const reply = await http.inject({ url: '/launch/models/detect.onnx', headers });
    expect(reply.headers).toMatchObject({ 'content-encoding': 'gzip', etag: `"${hash}-gzip"` });
    expect(reply.headers['content-length']).toBe(String(reply.rawPayload.length));
    expect(reply.rawPayload.length).toBeLessThan(content.length);
    expect(gunzipSync(reply.rawPayload)).toEqual(content);
    for (const refused of ['identity', 'gzip;q=0', 'x-gzipped']) {
      const plain = await http.inject({ url: '/launch/models/detect.onnx', headers: { 'accept-encoding': refused } });
      expect(plain.headers['content-encoding']).toBeUndefined();
    }
  });

  it('answers 304 to clients that have it', async () => {
    const { http, hash } = await serve();
    for (const etag of [`"${hash}"`, `"${hash}-gzip"`]) {
      const reply = await http.inject({ url: '/launch/models/detect.onnx', headers: { 'if-none-match': etag } });
      expect([reply.statusCode, reply.body]).toEqual([304, '']);
    }
  });

  it('answers HEAD with the same headers and no body', async () => {
    const { http, content, hash } = await serve();
    const reply = await http.inject({ method: 'HEAD', url: `/launch/models/detect.onnx?v=${hash}` });
    expect([reply.statusCode, reply.body]).toEqual([200, '']);
    expect(reply.headers).toMatchObject({
      'content-length': String(content.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'application/octet-stream',
    });
  });

  it.each(['unknown.onnx', 'manifest.json.gz', 'detect.onnx.gz', 'constructor', '__proto__', 'DETECT.ONNX'])(
    'is 404 for %s',
    async (file) => {
      const { http } = await serve();
      expect((await http.inject(`/launch/models/${file}`)).statusCode).toBe(404);
    },
  );

  it.each(['../manifest.json', '..%2fmanifest.json', '%2e%2e/%2e%2e/detect.bin', 'detect.onnx%00', '..%5cdetect.bin'])(
    'does not leave the folder for %s, sent to the letter',
    async (path) => {
      const { http } = await serve();
      await http.listen({ port: 0 });
      const { port } = http.server.address() as { port: number };
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET /launch/models/${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      let reply = '';
      for await (const chunk of socket) reply += String(chunk);
      expect(reply).toMatch(/^HTTP\/1\.1 40[04] /);
    },
  );

  it('answers 503 with Retry-After while the file is missing', async () => {
    const { http, content } = await serve({ start: false });
    for (const method of ['GET', 'HEAD'] as const) {
      const reply = await http.inject({ method, url: '/launch/models/detect.onnx' });
      expect(reply.statusCode).toBe(503);
      expect(reply.headers).toMatchObject({ 'retry-after': '5', 'cache-control': 'no-store' });
      expect(reply.rawPayload).not.toEqual(content);
    }
  });
});
