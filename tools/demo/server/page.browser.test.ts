// The demo's page in a real browser: a complete round by clicking, accessible in both color schemes
// from 320 px on.
import { IS_LONG } from '@limen/testing/rounds.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringAxe, COLORS, EVERYTHING, findFaults } from '../../../apps/server/testing/axe.ts';
import { chromiumPath, launchBrowser } from '../../../apps/server/testing/browser.ts';
import { startTestApp } from '../../../apps/server/testing/test-app.ts';

const API_KEY = 'key-of-the-demo-in-the-browser';

const NARROW = 320;
const WIDE = 1280;

const NO_COLORS = { ...EVERYTHING, rules: { 'color-contrast': { enabled: false } } };

let address: string;

beforeAll(async () => {
  const app = await startTestApp({ environment: { DEV_API_KEY: API_KEY }, atEnd: afterAll });
  address = await app.listen();
  await app.jobs.start();
});

const station = (page: Page, name: string, state = 'done') =>
  page.locator(`[data-station=${name}][data-state=${state}]`);

/**
 * Both widths and both color schemes, which are independent, in one page, because a new browser for
 * each is slow. Parts that were seen before are checked in one of three in the short run.
 */
async function expectAccessible(page: Page, { seenBefore = false } = {}): Promise<void> {
  for (const [width, colorScheme, lookedFor] of [
    [NARROW, 'light', EVERYTHING],
    [NARROW, 'dark', COLORS],
    [WIDE, 'light', NO_COLORS],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    // biome-ignore lint/suspicious/noExplicitAny: the page's document, which this side has no types for
    const needed = await page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth);
    expect(needed).toBeLessThanOrEqual(width);
    if (!IS_LONG && (seenBefore ? lookedFor !== EVERYTHING : lookedFor === NO_COLORS)) continue;
    expect([width, colorScheme, await findFaults(page, lookedFor)]).toEqual([width, colorScheme, []]);
  }
}

describe.skipIf(!chromiumPath)('the demo', () => {
  it('is accessible from the options to the result, narrow and wide, light and dark', async () => {
    const browser = await launchBrowser();
    // The driver injects axe past the page's own policy.
    const page = await browser.newPage({ bypassCSP: true });
    await page.goto(`${address}/demo`);
    await bringAxe(page);
    await page.getByRole('button', { name: 'Challenge 25' }).click();
    await page.getByLabel('Metadata').fill('{ not json');
    await expectAccessible(page);

    await page.getByLabel('Metadata').fill('');
    await page.getByRole('button', { name: 'Start a check' }).click();
    await page.getByRole('heading', { name: 'The check is running' }).waitFor();
    await expectAccessible(page, { seenBefore: true }); // its columns are those of the result

    await page.getByRole('button', { name: 'Old enough' }).click();
    await station(page, 'result').waitFor();
    await expectAccessible(page);
  });

  it('goes from the options to the result by clicking and shows the wire traffic', async () => {
    const browser = await launchBrowser();
    const page = await browser.newPage();
    const requests: string[] = [];
    const complaints: string[] = [];
    const bodies: Promise<string>[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('response', (response) => {
      // A body must be read before the page reloads.
      if (!response.url().endsWith('/events')) bodies.push(response.text().catch(() => ''));
    });
    await page.goto(`${address}/demo`);
    await page.getByRole('button', { name: 'Challenge 25' }).click();
    await page.getByLabel('Language').selectOption('ja');
    await page.getByLabel('Metadata').fill('{ "order": 9007199254740993 }');
    const code = page.getByRole('region', { name: 'Code for your back end' });
    await expect
      .poll(() => code.innerText())
      .toMatch(/ageThreshold: 25,\n {2}documentAgeThreshold: 18,\n {2}stepUpEnabled: true/);
    await expect.poll(() => code.innerText()).toContain("locale: 'ja'");

    await page.getByRole('button', { name: 'Start a check' }).click();
    await station(page, 'opened', 'next').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('The check is running');
    const request = page.getByRole('region', { name: 'Body of the request' });
    expect(await request.innerText()).toContain('\n  "metadata": { "order": 9007199254740993 }');
    expect(JSON.parse(await request.innerText())).toMatchObject({
      ageThreshold: 25,
      stepUpEnabled: true,
      locale: 'ja',
    });
    const launch = await page.getByRole('link', { name: 'Open in a new tab' }).getAttribute('href');
    expect(launch).toContain(`${address}/launch?sessionId=`);
    await page.getByRole('img', { name: 'QR code for the launch address' }).waitFor();
    expect(await page.locator('.phone').innerText()).toContain('npm run dev-cert');

    await page.getByRole('button', { name: 'Too young' }).click();
    await station(page, 'webhook').waitFor();
    await station(page, 'result').waitFor();
    expect(await page.locator('[data-column=webhook]').innerText()).toMatch(/✓ verified.*x-service-signature/s);
    const result = await page.getByRole('region', { name: 'Body of the result', exact: true }).innerText();
    expect(result).toContain('\n  "metadata": { "order": 9007199254740993 }');
    expect(JSON.parse(result)).toMatchObject({ flowStatus: 'COMPLETED', sessionStatus: 'AGE_BELOW_THRESHOLD' });
    await page.getByRole('heading', { name: 'Refuse' }).waitFor();

    // Unchanged after a reload, with the previous options preselected.
    await page.reload();
    await station(page, 'result').waitFor();
    await page.getByRole('button', { name: 'New check' }).click();
    await page.getByRole('button', { name: 'Start a check' }).waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe('');

    expect(requests.filter((url) => !url.startsWith(`${address}/`))).toEqual([]);
    expect(complaints).toEqual([]);
    expect((await Promise.all(bodies)).join('')).not.toContain(API_KEY);
    expect(await page.content()).not.toContain(API_KEY);
  });

  it.runIf(IS_LONG)(
    'enrolls a face by keyboard and simulation, shows its picture, and offers the person for the next check',
    async () => {
      const browser = await launchBrowser();
      const page = await browser.newPage({ bypassCSP: true });
      await page.goto(`${address}/demo`);
      await bringAxe(page);
      const purpose = (name: string) => page.getByRole('radio', { name });
      await purpose('Check an age').focus();
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => purpose('Set up face sign-in').isChecked()).toBe(true);
      await page.getByLabel('Selfie').check();
      await page.getByLabel('Email').check();
      await expect
        .poll(() => page.getByRole('region', { name: 'Code for your back end' }).innerText())
        .toMatch(/type: 'ENROLL',\n {2}contact: \['email'\],\n {2}sendImages: true/);

      await page.getByRole('button', { name: 'Start a check' }).click();
      await page.getByRole('button', { name: 'Enrolled' }).click();
      await station(page, 'result').waitFor();
      await page.getByRole('heading', { name: 'Enrolled' }).waitFor();
      const result = JSON.parse(
        await page.getByRole('region', { name: 'Body of the result', exact: true }).innerText(),
      );
      expect(result).toMatchObject({ type: 'ENROLL', status: 'SUCCESS', puid: expect.any(String) });
      await expectAccessible(page, { seenBefore: true });
      // With the page's policy, which must allow the picture.
      const other = await browser.newPage();
      await other.goto(page.url());
      const picture = other.getByRole('img', { name: 'The selfie that came in the webhook' });
      await expect.poll(() => picture.evaluate((image) => Reflect.get(image, 'naturalWidth'))).toBe(8);

      await page.getByRole('button', { name: 'New check' }).click();
      await purpose('Confirm who it is').check();
      await page.getByLabel('Person').selectOption(result.puid);
      await expect.poll(() => page.getByLabel('Their puid').inputValue()).toBe(result.puid);
      await expectAccessible(page, { seenBefore: true });
      await page.getByRole('button', { name: 'Start a check' }).click();
      await page.getByRole('button', { name: 'Somebody else' }).click();
      await page.getByRole('heading', { name: 'Refuse' }).waitFor();
    },
  );

  it("shows refusals next to the options or the simulation's buttons, and disables impossible outcomes", async () => {
    const browser = await launchBrowser();
    const page = await browser.newPage();
    await page.goto(`${address}/demo`);
    await page.getByLabel('Metadata').fill(JSON.stringify({ large: 'x'.repeat(17_000) }));
    await page.getByRole('button', { name: 'Start a check' }).click();
    await page.getByRole('alert').filter({ hasText: 'refused this request with 400' }).waitFor();

    await page.getByLabel('Metadata').fill('');
    await page.getByRole('button', { name: 'Start a check' }).click();
    const impossible = page.getByRole('button', { name: 'Someone else’s document needs a face and a document' });
    expect(await impossible.getAttribute('aria-disabled')).toBe('true');
    const asked: string[] = [];
    // Only requests with effects, because the page opens its event stream at any time.
    page.on('request', (request) => request.method() === 'POST' && asked.push(request.url()));
    await impossible.click({ force: true });
    expect(asked).toEqual([]);
    await page.waitForURL(/#./);
    // The service itself would refuse it.
    await page.evaluate(async (id) => {
      const headers = { 'content-type': 'application/json' };
      await fetch(`demo/checks/${id}/simulate`, { method: 'POST', headers, body: '{"outcome":"face_mismatch"}' });
    }, new URL(page.url()).hash.slice(1).split('/')[0]);
    await page.getByRole('alert').filter({ hasText: 'no step in which that could happen' }).waitFor();
    await page.getByRole('button', { name: 'Old enough' }).click();
    await page.getByRole('heading', { name: 'Let in' }).waitFor();
  });

  it('reports a check that was forgotten', async () => {
    const browser = await launchBrowser();
    const page = await browser.newPage();
    await page.goto(`${address}/demo#${crypto.randomUUID()}/back`);
    await page.getByRole('alert').filter({ hasText: 'no longer has this check' }).waitFor();
    await page.getByRole('button', { name: 'Start a check' }).waitFor();
  });
});
