// The launch page: exact headers, listed files, and nothing else.
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildPage } from '../../../../scripts/pages/build-page.ts';
import { distOf, type PageSource } from '../../../../scripts/pages/page-list.ts';
import { LARGE_BYTES, makePage } from '../../../../scripts/testing/page.ts';
import type { BuildRecord } from '../platform/http/pages/files.ts';
import { createPageFiles } from '../platform/http/pages/files.ts';
import { createHttpServer } from '../platform/http/server.ts';
import { createMetrics } from '../platform/watch/metrics.ts';
import { registerLaunchPage } from './page.ts';

const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ";
const FOR_EVER = 'public, max-age=31536000, immutable';

function serve(folder: string, frameAncestors?: string[]) {
  const http = createHttpServer({ metrics: createMetrics(false), log: pino({ level: 'silent' }) });
  onTestFinished(() => http.close());
  registerLaunchPage(http, { files: createPageFiles(folder), embedders: async () => frameAncestors ?? [] });
  return http;
}

let shared: { page: PageSource; record: BuildRecord };
const ends: (() => void)[] = [];
beforeAll(async () => {
  const page = makePage((dispose) => ends.push(dispose));
  shared = { page, record: await buildPage(page) };
});
afterAll(() => {
  for (const end of ends) end();
});

async function serveBuilt(frameAncestors?: string[], page = shared.page) {
  const { assets, page: index } = page === shared.page ? shared.record : await buildPage(page);
  const http = serve(distOf(page), frameAncestors);
  const nameOf = (end: string) => Object.keys(assets).find((name) => name.endsWith(end))!;
  const urlOf = (end: string) => `/launch/assets/${nameOf(end)}`;
  return { http, index, assets, nameOf, urlOf };
}

describe('GET /launch', () => {
  it('is the built page under a strict policy, equal for every session id', async () => {
    const { http, index } = await serveBuilt();
    const reply = await http.inject('/launch?sessionId=%3Cscript%3E');
    expect(reply.statusCode).toBe(200);
    const { 'x-request-id': _id, date: _date, connection: _connection, ...headers } = reply.headers;
    expect(headers).toEqual({
      'cache-control': 'no-cache',
      'content-length': String(reply.rawPayload.length),
      'content-security-policy': `${POLICY}'none'`,
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      etag: `"${index.sha256}"`,
      'permissions-policy':
        'camera=(self), digital-credentials-get=(self), publickey-credentials-create=(self), publickey-credentials-get=(self), accelerometer=(), clipboard-read=(), display-capture=(), encrypted-media=(), fullscreen=(), gamepad=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), local-fonts=(), magnetometer=(), microphone=(), midi=(), otp-credentials=(), payment=(), picture-in-picture=(), serial=(), storage-access=(), sync-xhr=(), usb=(), window-management=(), xr-spatial-tracking=()',
      'referrer-policy': 'no-referrer',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(reply.body).toContain('<title>Tiny</title>');
    expect((await http.inject('/launch')).body).toBe(reply.body);
  });

  it('lists its frame ancestors and supports cross-origin isolated ones', async () => {
    const { http } = await serveBuilt(['https://shop.example', 'https://club.example:8443']);
    const { headers } = await http.inject('/launch');
    expect(headers['content-security-policy']).toBe(`${POLICY}https://shop.example https://club.example:8443`);
    expect(headers).not.toHaveProperty('x-frame-options');
    expect(headers).toMatchObject({
      'cross-origin-resource-policy': 'cross-origin',
      'cross-origin-embedder-policy': 'require-corp',
    });
    expect(headers['permissions-policy']).toMatch(/^camera=\(self\), /);
  });

  it('allows no inline script or style and no eval', async () => {
    const { http, urlOf } = await serveBuilt(['https://shop.example']);
    for (const url of ['/launch', urlOf('.js')]) {
      const policy = String((await http.inject(url)).headers['content-security-policy']);
      expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|data:|blob:|https?:\/\/(?!shop)|\*/);
    }
  });

  it('answers 304 to clients that have it, and HEAD without a body', async () => {
    const { http } = await serveBuilt();
    const { headers } = await http.inject('/launch');
    const again = await http.inject({ url: '/launch', headers: { 'if-none-match': String(headers.etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect(again.headers['content-security-policy']).toBe(headers['content-security-policy']);
    const head = await http.inject({ method: 'HEAD', url: '/launch' });
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', headers['content-length']]);
  });

  it('shows a readable 503 page if not built', async () => {
    const page = makePage();
    const http = serve(distOf(page));
    const reply = await http.inject('/launch?sessionId=x');
    expect(reply.statusCode).toBe(503);
    expect(reply.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
    });
    expect(reply.body).toContain('The check is not available');
    expect(reply.body).toContain('npm run build');
    expect((await http.inject('/launch/assets/index.js')).statusCode).toBe(404);
  });
});

describe('GET /launch/assets/:file', () => {
  it.each([
    ['.js', 'text/javascript; charset=utf-8'],
    ['.css', 'text/css; charset=utf-8'],
    ['.wasm', 'application/wasm'],
  ])('sends a %s as immutable %s', async (end, type) => {
    const { http, urlOf, nameOf, assets } = await serveBuilt();
    const reply = await http.inject(urlOf(end));
    expect(reply.statusCode).toBe(200);
    const built = assets[nameOf(end)];
    expect(reply.headers).toMatchObject({
      'cache-control': FOR_EVER,
      'content-length': String(built?.bytes),
      'content-type': type,
      'cross-origin-resource-policy': 'same-origin',
      etag: `"${built?.sha256}"`,
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
    });
    expect(reply.rawPayload.length).toBe(built?.bytes);
  });

  it("applies the page's policy to every script, because it may run as a worker", async () => {
    const { http, nameOf } = await serveBuilt();
    const reply = await http.inject(`/launch/assets/${nameOf('.js')}`);
    expect(reply.headers).toMatchObject({
      'content-security-policy': `${POLICY}'none'`,
      'cross-origin-embedder-policy': 'require-corp',
      'referrer-policy': 'no-referrer',
    });
  });

  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br;q=0.5', 'gzip'],
    ['gzip', 'gzip'],
    ['BR;q=1.0, gzip;q=0.8', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', undefined],
    ['gzip;q=0, br;q=0', undefined],
    ['*', undefined],
    ['br;q=x', undefined],
    ['x-brotli', undefined],
  ])('answers accept-encoding %s with %s', async (accepted, encoding) => {
    const { http, urlOf, nameOf, assets } = await serveBuilt();
    const plain = (await http.inject(urlOf('.wasm'))).rawPayload;
    const reply = await http.inject({ url: urlOf('.wasm'), headers: { 'accept-encoding': accepted } });
    expect(reply.headers['content-encoding']).toBe(encoding);
    const sha = assets[nameOf('.wasm')]?.sha256;
    expect(reply.headers.etag).toBe(encoding ? `"${sha}-${encoding}"` : `"${sha}"`);
    expect(reply.headers['content-length']).toBe(String(reply.rawPayload.length));
    const decode =
      encoding === 'br' ? brotliDecompressSync : encoding === 'gzip' ? gunzipSync : (bytes: Buffer) => bytes;
    expect(decode(reply.rawPayload)).toEqual(plain);
    if (encoding) expect(reply.rawPayload.length).toBeLessThan(LARGE_BYTES / 10);
  });

  it('answers 304 to clients that have it, and HEAD without a body', async () => {
    const { http, urlOf, nameOf, assets } = await serveBuilt();
    const { sha256, bytes } = assets[nameOf('.wasm')]!;
    for (const etag of [`"${sha256}"`, `W/"other", "${sha256}-br"`]) {
      const again = await http.inject({ url: urlOf('.wasm'), headers: { 'if-none-match': etag } });
      expect([again.statusCode, again.body]).toEqual([304, '']);
    }
    const head = await http.inject({ method: 'HEAD', url: urlOf('.wasm') });
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', String(bytes)]);
  });

  it('stays available when the page is rebuilt', async () => {
    const page = makePage();
    const { http, urlOf } = await serveBuilt(undefined, page);
    const before = (await http.inject(urlOf('.wasm'))).rawPayload;
    writeFileSync(`${page.folder}/src/large.wasm`, 'another '.repeat(60_000));
    await buildPage(page);
    for (const _ of [1, 2]) expect((await http.inject(urlOf('.wasm'))).rawPayload).toEqual(before);
    expect((await http.inject(urlOf('.css'))).statusCode).toBe(200);
  });

  it('stays available after clients that disconnected midway', async () => {
    const { http, urlOf } = await serveBuilt();
    await http.listen({ port: 0 });
    const { port } = http.server.address() as { port: number };
    for (let client = 0; client < 3; client += 1) {
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () =>
          socket.write(`GET ${urlOf('.wasm')} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
        );
        socket.once('data', () => socket.destroy());
        socket.once('close', () => resolve());
      });
    }
    expect((await http.inject(urlOf('.wasm'))).rawPayload.length).toBe(LARGE_BYTES);
  });

  it('serves only listed names', async () => {
    const { http, nameOf } = await serveBuilt();
    const script = nameOf('.js');
    const names = [
      ...[`${script}.gz`, `${script}.br`, script.toUpperCase(), `${script}%20`, `${script}/`, ''],
      ...['build.json', 'index.html', 'constructor', '__proto__', 'toString', '.', '%2e', 'a'.repeat(5_000)],
    ];
    for (const name of names) {
      const reply = await http.inject(`/launch/assets/${name}`);
      expect([name, reply.statusCode, reply.headers['cache-control']]).toEqual([name, 404, 'no-store']);
    }
  });

  it.each([
    './index.html',
    '../index.html',
    '..%2findex.html',
    '%2e%2e/build.json',
    '..%5cindex.html',
    'index.js%00',
    '%c0%ae%c0%ae/x',
  ])('does not leave the list for %s, sent literally', async (path) => {
    const { http } = await serveBuilt();
    await http.listen({ port: 0 });
    const { port } = http.server.address() as { port: number };
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET /launch/assets/${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    let reply = '';
    for await (const chunk of socket) reply += String(chunk);
    expect(reply).toMatch(/^HTTP\/1\.1 40[04] /);
  });
});
