// The service's own pages in a real browser: accessible, narrow, dark, and silent towards the rest of the world.
import { IS_LONG } from '@limen/testing/rounds.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringAxe, COLOURS, EVERYTHING, findFaults } from '#testing/axe.ts';
import { chromiumPath, launchBrowser, shareBrowser } from '#testing/browser.ts';
import { startTestApp } from '#testing/test-app.ts';

const PHONE = { width: 320, height: 640 };
const DESKTOP = { width: 1280, height: 900 };
/** The reference shows every operation in the same clothes, and axe takes a second for each, also beside what it looks at. */
const ALIKE = 'section ~ section, article ~ article';

let address: string;

beforeAll(async () => {
  const app = await startTestApp({ atEnd: afterAll });
  address = await app.http.listen({ port: 0, host: '127.0.0.1' });
});

describe.skipIf(!chromiumPath).each(['/', '/docs'])('the page at %s', (path) => {
  it('has no accessibility fault and no sideways scrolling, on a phone and on a dark desktop', async () => {
    const browser = await launchBrowser();
    // axe is put in by the driver, past the page's own policy.
    const page = await browser.newPage({ viewport: PHONE, colorScheme: 'light', bypassCSP: true });
    await page.goto(address + path);
    await bringAxe(page);
    // biome-ignore lint/suspicious/noExplicitAny: the page's document, which this side has no types for
    const widthOf = () => page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth);
    expect(await widthOf()).toBeLessThanOrEqual(PHONE.width);
    await page.setViewportSize(DESKTOP);
    expect(await widthOf()).toBeLessThanOrEqual(DESKTOP.width);
    if (path === '/docs' && !IS_LONG)
      await page.locator(ALIKE).evaluateAll((all) => {
        for (const one of all) one.remove();
      });
    if (path === '/' || IS_LONG) {
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await findFaults(page, COLOURS)).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(PHONE);
    expect(await findFaults(page, EVERYTHING)).toEqual([]);
  });

  it('asks nobody but its own server, and breaks none of its own policy', async () => {
    const browser = await launchBrowser();
    const page = await browser.newPage();
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(address + path, { waitUntil: 'networkidle' });
    expect(requests.length).toBeGreaterThanOrEqual(2);
    expect(requests.filter((url) => !url.startsWith(`${address}/`))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

/** One page for both: it is long, and a browser takes seconds to lay it out and to look through it by roles. */
describe.skipIf(!chromiumPath)('the reference', () => {
  const TOKEN = 'a-token-for-the-metrics-of-a-test';
  const complaints: string[] = [];
  let page: Page;
  let apiKey: string;
  beforeAll(async () => {
    const app = await startTestApp({ atEnd: afterAll, environment: { METRICS_TOKEN: TOKEN } });
    ({ apiKey } = await app.apiKeys.create({ kind: 'test', clientCredentials: false }));
    const browser = await shareBrowser();
    page = await browser.newPage({ viewport: DESKTOP });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(`${await app.http.listen({ port: 0, host: '127.0.0.1' })}/docs`);
  });
  afterAll(() => page.context().close());
  const formOf = (operation: string) => page.locator(`form[aria-label="Try ${operation}"]`);
  const send = (operation: string) => formOf(operation).locator('button').click();
  const replyOf = (operation: string) => formOf(operation).locator('output').innerText();

  it('sends what is filled in with the key, and shows the reply as it came', async () => {
    const create = formOf('POST /session');
    await create.getByText('Try it').click();
    await send('POST /session');
    await expect.poll(() => replyOf('POST /session')).toMatch(/^401[\s\S]*x-error-code: invalid_api_key/);
    await page.getByLabel('API key').fill(apiKey);
    // As a number of JavaScript it would be another.
    await create.getByLabel('Body').fill('{"metadata":{"order":9007199254740993}}');
    await send('POST /session');
    await expect.poll(() => replyOf('POST /session')).toMatch(/^201/);
    const [, token] = /"token": "([^"]+)"/.exec(await replyOf('POST /session')) ?? [];
    const read = formOf('GET /session/{token}/result');
    await read.getByText('Try it').click();
    await read.getByLabel('token').fill(token ?? '');
    await send('GET /session/{token}/result');
    await expect.poll(() => replyOf('GET /session/{token}/result')).toContain('"order": 9007199254740993');
    // The browser notes the refusal; the page's policy was not broken.
    expect(complaints).toEqual([expect.stringContaining('401')]);
  });

  it.runIf(IS_LONG)('sends the bearer token where the operation takes one', async () => {
    await page.getByText('Client id and secret, or a bearer token').click();
    await page.getByLabel('Bearer token').fill(TOKEN);
    await formOf('GET /metrics').getByText('Try it').click();
    await send('GET /metrics');
    await expect.poll(() => replyOf('GET /metrics')).toMatch(/^200[\s\S]*limen_jobs/);
  });

  it.runIf(IS_LONG)(
    'has its list of operations open on a desktop, and folded on a phone until it is wanted',
    async () => {
      const link = page.locator('nav a[href="#get-health"]');
      const fold = page.locator('nav').getByText('All operations');
      expect([await link.isVisible(), await fold.isVisible()]).toEqual([true, false]);
      await page.setViewportSize(PHONE);
      expect([await link.isVisible(), await fold.isVisible()]).toEqual([false, true]);
      await fold.click();
      await link.click();
      expect(page.url()).toContain('#get-health');
    },
  );
});
