// Policies of the launch page in a real browser: the page works, and each directive is known.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import pino from 'pino';
import type { Frame } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chromiumPath, launchBrowser } from '#testing/browser.ts';
import { ensurePages } from '#testing/built-pages.ts';
import { buildPage } from '../../../../scripts/pages/build-page.ts';
import { distOf, listPages } from '../../../../scripts/pages/page-list.ts';
import { LARGE_BYTES, makePage } from '../../../../scripts/testing/page.ts';
import { createPageFiles } from '../platform/http/pages/files.ts';
import { createHttpServer } from '../platform/http/server.ts';
import { createMetrics } from '../platform/watch/metrics.ts';
import { registerLaunchPage } from './page.ts';

async function serveTiny(frameAncestors?: string[]) {
  const page = makePage();
  await buildPage(page);
  const http = createHttpServer({ metrics: createMetrics(false), log: pino({ level: 'silent' }) });
  onTestFinished(() => http.close());
  registerLaunchPage(http, { files: createPageFiles(distOf(page)), embedders: async () => frameAncestors ?? [] });
  return http;
}

describe.skipIf(!chromiumPath)('in a browser', () => {
  it('runs page and worker isolated, with WebAssembly and camera, without eval and violations', async () => {
    const address = await (await serveTiny()).listen({ port: 0, host: '127.0.0.1' });
    const page = await (await launchBrowser()).newPage();
    const [complaints, elsewhere]: string[][] = [[], []];
    page.on('console', (message) => complaints?.push(message.text()));
    page.on('request', (request) => {
      if (!request.url().startsWith(`${address}/`)) elsewhere?.push(request.url());
    });
    await page.goto(`${address}/launch?sessionId=1`);
    await expect.poll(() => page.textContent('#said')).toBe(`${LARGE_BYTES} true true false`);
    const allowed = (feature: string) => page.evaluate(`document.featurePolicy.allowsFeature('${feature}')`);
    expect([await allowed('camera'), await allowed('microphone'), await allowed('geolocation')]).toEqual([
      ...[true, false, false],
    ]);
    expect(await allowed('publickey-credentials-get')).toBe(true);
    expect(await allowed('digital-credentials-get')).toBe(true);
    expect(await page.evaluate('crossOriginIsolated')).toBe(true);
    expect(complaints?.filter((text) => !text.includes("'unsafe-eval'"))).toEqual([]);
    expect(elsewhere).toEqual([]);
  });

  it('refuses inline scripts and styles', async () => {
    const address = await (await serveTiny()).listen({ port: 0, host: '127.0.0.1' });
    const page = await (await launchBrowser()).newPage();
    await page.goto(`${address}/launch`);
    const outcome = await page.evaluate(`(() => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.ran = true';
      document.head.append(script);
      const style = document.createElement('style');
      style.textContent = 'p { color: rgb(1, 2, 3) }';
      document.head.append(style);
      return [globalThis.ran ?? false, getComputedStyle(document.querySelector('p')).color === 'rgb(1, 2, 3)'];
    })()`);
    expect(outcome).toEqual([false, false]);
  });

  it.each<[string, Framing, boolean, boolean]>([
    ['by nobody', { named: 'nobody', isolated: false }, false, false],
    ['by a host that is named', { named: 'host', isolated: false }, true, false],
    ['by a host that is named and isolated, with threads', { named: 'host', isolated: true }, true, true],
    ['not by a host beside the one that is named', { named: 'other', isolated: false }, false, false],
  ])('is framed %s', async (_, framing, shown, threads) => {
    const frame = await showInFrame(framing);
    expect(await frame?.evaluate("document.querySelector('#said') !== null").catch(() => false)).toBe(shown);
    if (!shown) return;
    expect(await frame?.evaluate("document.featurePolicy.allowsFeature('camera')")).toBe(true);
    expect(await frame?.evaluate('crossOriginIsolated')).toBe(threads);
  });
});

interface Framing {
  named: 'nobody' | 'host' | 'other';
  isolated: boolean;
}

/** A page of another origin with a frame written as documented. */
async function showInFrame({ named, isolated }: Framing): Promise<Frame | undefined> {
  const host = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    if (isolated) {
      response.setHeader('cross-origin-opener-policy', 'same-origin');
      response.setHeader('cross-origin-embedder-policy', 'require-corp');
    }
    response.end(`<!doctype html><iframe allow="camera; cross-origin-isolated" src="${framed}"></iframe>`);
  });
  onTestFinished(() => void host.close());
  await once(host.listen(0, '127.0.0.1'), 'listening');
  const hostAddress = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  const ancestors = { nobody: undefined, host: [hostAddress], other: ['https://shop.example'] }[named];
  const address = await (await serveTiny(ancestors)).listen({ port: 0, host: '127.0.0.1' });
  const framed = `${address.replace('127.0.0.1', 'localhost')}/launch`;
  const page = await (await launchBrowser()).newPage();
  await page.goto(hostAddress, { waitUntil: 'networkidle' });
  return page.frames()[1];
}

it('has no inline script or style, and only relative addresses', async () => {
  await ensurePages('launch');
  const launch = listPages().find(({ name }) => name === 'launch')!;
  const page = readFileSync(join(distOf(launch), 'index.html'), 'utf8');
  const scripts = page.match(/<script\b[^>]*>/g) ?? [];
  expect(scripts.length).toBeGreaterThan(0);
  for (const script of scripts) expect(script).toMatch(/\ssrc="launch\/assets\/[\w.-]+"/);
  expect(page).not.toMatch(/<style\b|\sstyle=|\son\w+=|javascript:|<base\b/i);
  for (const [, address] of page.matchAll(/\s(?:src|href)="([^"]*)"/g)) expect(address).toMatch(/^launch\/assets\//);
});
