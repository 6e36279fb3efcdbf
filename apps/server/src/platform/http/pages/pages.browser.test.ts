// The service's own pages in a real browser: accessible, narrow, dark, and silent towards the rest of the world.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { IS_LONG } from '@limen/testing/rounds.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '#testing/browser.ts';
import { startTestApp } from '#testing/test-app.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const PHONE = { width: 320, height: 640 };
const DESKTOP = { width: 1280, height: 900 };
const EVERYTHING = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const COLOURS = ['color-contrast', 'link-in-text-block'];
/** The reference shows every operation in the same clothes, and axe takes a second for each, also beside what it looks at. */
const ALIKE = 'section ~ section, article ~ article';

/** Runs on the page, so it holds all that it needs. */
async function findFaults(options: object): Promise<[string, string][]> {
  // biome-ignore lint/suspicious/noExplicitAny: axe is a global of the page
  const { axe } = globalThis as any;
  const { violations } = await axe.run({ ...options, resultTypes: ['violations'] });
  return violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => [id, nodes[0]?.html]);
}

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
    await page.addScriptTag({ content: AXE });
    // biome-ignore lint/suspicious/noExplicitAny: the page's document, which this side has no types for
    const widthOf = () => page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth);
    const inAll = { rules: Object.fromEntries(COLOURS.map((rule) => [rule, { enabled: false }])) };
    const everything = { runOnly: EVERYTHING, ...inAll };
    const colours = { runOnly: { type: 'rule', values: COLOURS } };
    expect(await widthOf()).toBeLessThanOrEqual(PHONE.width);
    await page.setViewportSize(DESKTOP);
    expect(await widthOf()).toBeLessThanOrEqual(DESKTOP.width);
    if (path === '/docs' && !IS_LONG)
      await page.locator(ALIKE).evaluateAll((all) => {
        for (const one of all) one.remove();
      });
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await page.evaluate(findFaults, colours)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(PHONE);
    expect(await page.evaluate(findFaults, everything)).toEqual([]);
    expect(await page.evaluate(findFaults, colours)).toEqual([]);
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
