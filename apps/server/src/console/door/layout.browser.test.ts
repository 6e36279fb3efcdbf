// Rooms at phone, laptop and desktop widths: nothing overflows and no word is broken.
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '#testing/browser.ts';
import { ensurePages } from '#testing/built-pages.ts';
import { enter } from '#testing/console/console-visit.ts';
import { newHost } from '#testing/session-app.ts';
import { startTestApp, type TestApp } from '#testing/test-app.ts';

const WIDTHS = onlyWhenLong([390, 1024, 1440], [390, 1024]);
const ROOMS = ['overview', 'review', 'sessions', 'webhooks', 'keys', 'audit', 'operators', 'people', 'system'];

let app: TestApp;
let address: string;

beforeAll(async () => {
  if (!chromiumPath) return;
  await ensurePages('console');
  const environment = { SERVE: 'core,console', WEBHOOK_ALLOW_PRIVATE: 'true' };
  app = await startTestApp({ environment, atEnd: afterAll });
  address = await app.listen();
  const host = await newHost(app, 'test', 'Harbour Bank and Trust');
  for (const outcome of ['above', 'spoof', 'camera_failure']) {
    const { body } = await host.create({ callback: { url: 'http://127.0.0.1:9/hook' } });
    await host.simulate(body.token, { outcome, ...(outcome === 'above' && { flags: ['CAMERA_VIRTUAL_SOFTWARE'] }) });
  }
  await app.jobs.runDue();
  for (const { id, label } of await app.apiKeys.list()) {
    if (label === null) await app.apiKeys.relabel(id, 'Harbour Bank (production-like)');
  }
});

describe.skipIf(!chromiumPath)('the console', () => {
  it('breaks no word and fits the window at three widths', async () => {
    const { page, complaints } = await enter({ app, address }, 'admin', 'Ada Lovelace');
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      for (const room of ROOMS) {
        await page.goto(`${address}/console#/${room}`);
        await page.locator('main h1').waitFor();
        await page.waitForLoadState('networkidle');
        const found = { ...(await measure(page)), width, room };
        expect(found).toEqual({ width, room, scrollWidth: width, broken: [] });
      }
    }
    expect(complaints).toEqual([]);
  });
});

function measure(page: Page): Promise<{ scrollWidth: number; broken: string[] }> {
  return page.evaluate(() => {
    // biome-ignore lint/suspicious/noExplicitAny: the page's document, which this side has no types for
    const { document } = globalThis as any;
    const broken: string[] = [];
    const range = document.createRange();
    const texts = document.createTreeWalker(document.body, 4 /* text nodes */);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (!text.parentElement.checkVisibility()) continue;
      // Longer runs are keys and digests, which may break anywhere.
      for (const { 0: word, index } of text.data.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]{2,16}(?![\p{L}\p{N}])/gu)) {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const lines = [...range.getClientRects()].filter((box) => box.width > 1).map((box) => Math.round(box.top));
        if (new Set(lines).size > 1) broken.push(word);
      }
    }
    return { scrollWidth: document.documentElement.scrollWidth, broken };
  });
}
