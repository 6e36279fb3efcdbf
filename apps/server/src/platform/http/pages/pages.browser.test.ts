// The service's own pages in a real browser: accessible, narrow, dark, and without requests to other hosts.
import { IS_LONG } from '@limen/testing/rounds.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringAxe, COLORS, EVERYTHING, findFaults } from '#testing/axe.ts';
import { chromiumPath, launchBrowser, shareBrowser } from '#testing/browser.ts';
import { startTestApp } from '#testing/test-app.ts';
import { AREAS } from '../reference/areas.ts';

const PHONE = { width: 320, height: 640 };
const DESKTOP = { width: 1280, height: 900 };
const MAX_PAGE_HEIGHT = 25_000;
/** The pages of all areas are built alike, and axe takes a second for each. */
const PATHS = IS_LONG ? ['/', '/docs', ...AREAS.slice(1).map(({ path }) => `/docs/${path}`)] : ['/', '/docs/strings'];

let address: string;

beforeAll(async () => {
  const app = await startTestApp({ atEnd: afterAll });
  address = await app.http.listen({ port: 0, host: '127.0.0.1' });
});

describe.skipIf(!chromiumPath).each(PATHS)('the page at %s', (path) => {
  it('has no accessibility violations and no horizontal scrolling, on a phone and on a dark desktop', async () => {
    const browser = await launchBrowser();
    // The driver injects axe despite the page's content security policy.
    const page = await browser.newPage({ viewport: PHONE, colorScheme: 'light', bypassCSP: true });
    await page.goto(address + path);
    await bringAxe(page);
    // biome-ignore lint/suspicious/noExplicitAny: the page's document, which this side has no types for
    const widthOf = () => page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth);
    // Closed folds hide most fields.
    await page.locator('main details').evaluateAll((folds) => {
      for (const fold of folds) fold.open = true;
    });
    expect(await widthOf()).toBeLessThanOrEqual(PHONE.width);
    expect(await findFaults(page, EVERYTHING)).toEqual([]);
    await page.setViewportSize(DESKTOP);
    expect(await widthOf()).toBeLessThanOrEqual(DESKTOP.width);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findFaults(page, IS_LONG ? EVERYTHING : COLORS)).toEqual([]);
  });

  it('is not too long on a desktop, sends no request to another host and follows its own policy', async () => {
    const browser = await launchBrowser();
    const page = await browser.newPage({ viewport: DESKTOP });
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(address + path, { waitUntil: 'networkidle' });
    expect(requests.length).toBeGreaterThanOrEqual(2);
    expect(requests.filter((url) => !url.startsWith(`${address}/`))).toEqual([]);
    expect(complaints).toEqual([]);
    // biome-ignore lint/suspicious/noExplicitAny: the page's document, which this side has no types for
    const height = await page.evaluate(() => (globalThis as any).document.documentElement.scrollHeight);
    expect(height).toBeLessThan(MAX_PAGE_HEIGHT);
  });
});

describe.skipIf(!chromiumPath)('the reference', () => {
  const TOKEN = 'a-token-for-the-metrics-of-a-test';
  const complaints: string[] = [];
  let home: string;
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
    home = `${await app.http.listen({ port: 0, host: '127.0.0.1' })}/docs`;
    await page.goto(`${home}#post-session`);
  });
  afterAll(() => page.context().close());
  const formOf = (operation: string) => page.locator(`form[aria-label="Try ${operation}"]`);
  const send = (operation: string) => formOf(operation).locator('button').click();
  const replyOf = (operation: string) => formOf(operation).locator('output').innerText();

  it('leads from an anchor of the former single page to the operation', async () => {
    await expect.poll(() => page.url()).toBe(`${home}/ages#post-session`);
  });

  it('finds a field and an error code by keyboard, and opens the folds around it', async () => {
    const search = async (words: string) => {
      await page.keyboard.press('/');
      await page.keyboard.type(words);
      await page.locator('#hits [aria-selected="true"]').waitFor();
      await page.keyboard.press('Enter');
    };
    await search('callback.url');
    await expect.poll(() => page.url()).toBe(`${home}/ages#post-session.body.callback.url`);
    await page.locator('[id="post-session.body.callback.url"]').waitFor();
    await page.getByRole('combobox').fill('');
    await page.getByRole('heading').first().click();
    await search('session_ended');
    await expect.poll(() => page.url()).toBe(`${home}/errors#http.409.session_ended`);
    await page.goto(`${home}/ages`);
  });

  it('sends the form with the key and shows the reply as it arrived', async () => {
    const create = formOf('POST /session');
    await create.getByText('Try it').click();
    await send('POST /session');
    await expect.poll(() => replyOf('POST /session')).toMatch(/^401[\s\S]*x-error-code: invalid_api_key/);
    await create.getByLabel('API key').fill(apiKey);
    // JavaScript would round this number.
    await create.getByLabel('Body').fill('{"metadata":{"order":9007199254740993}}');
    await send('POST /session');
    await expect.poll(() => replyOf('POST /session')).toMatch(/^201/);
    const [, token] = /"token": "([^"]+)"/.exec(await replyOf('POST /session')) ?? [];
    const read = formOf('GET /session/{token}/result');
    await read.getByText('Try it').click();
    await read.getByLabel('token').fill(token ?? '');
    await send('GET /session/{token}/result');
    await expect.poll(() => replyOf('GET /session/{token}/result')).toContain('"order": 9007199254740993');
    expect(await formOf('DELETE /session/{token}').locator('.secret').inputValue()).toBe(apiKey);
    // The browser reports the refused call. The page's policy was not violated.
    expect(complaints).toEqual([expect.stringContaining('401')]);
  });

  it.runIf(IS_LONG)('sends the bearer token if the operation takes one', async () => {
    await page.goto(`${home}/service`);
    await formOf('GET /metrics').getByText('Try it').click();
    await formOf('GET /metrics').getByLabel('Bearer token').fill(TOKEN);
    await send('GET /metrics');
    await expect.poll(() => replyOf('GET /metrics')).toMatch(/^200[\s\S]*limen_jobs/);
  });

  it.runIf(IS_LONG)('keeps its menu open on a desktop and folds it on a phone', async () => {
    const link = page.locator('nav a[href="#get-health"]');
    const fold = page.locator('nav').getByText('Menu');
    expect([await link.isVisible(), await fold.isVisible()]).toEqual([true, false]);
    await page.setViewportSize(PHONE);
    expect([await link.isVisible(), await fold.isVisible()]).toEqual([false, true]);
    await fold.click();
    await link.click();
    expect(page.url()).toContain('#get-health');
  });
});
