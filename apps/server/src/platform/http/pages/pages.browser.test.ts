// The service's own pages in a real browser: accessible, narrow, dark, and silent towards the rest of the world.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '#testing/browser.ts';
import { startTestApp } from '#testing/test-app.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const VIEWS = [
  { name: 'a phone', viewport: { width: 320, height: 640 }, colorScheme: 'light' as const },
  { name: 'a dark desktop', viewport: { width: 1280, height: 900 }, colorScheme: 'dark' as const },
];

describe.skipIf(!chromiumPath).each(['/', '/docs'])('the page at %s', (path) => {
  it.each(VIEWS)('has no accessibility fault and no sideways scrolling on $name', async ({ viewport, colorScheme }) => {
    const app = await startTestApp();
    const address = await app.http.listen({ port: 0, host: '127.0.0.1' });
    const browser = await launchBrowser();
    // axe is put in by the driver, past the page's own policy.
    const page = await browser.newPage({ viewport, colorScheme, bypassCSP: true });
    await page.goto(address + path);
    await page.addScriptTag({ content: AXE });
    const violations = await page.evaluate(async () => {
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
      // biome-ignore lint/suspicious/noExplicitAny: axe is a global of the page
      const result = await (globalThis as any).axe.run({ runOnly: tags });
      return result.violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => [id, nodes[0]?.html]);
    });
    expect(violations).toEqual([]);
    // biome-ignore lint/suspicious/noExplicitAny: the page's document, which this side has no types for
    const overflow = await page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth);
    expect(overflow).toBeLessThanOrEqual(viewport.width);
  });

  it('asks nobody but its own server, and breaks none of its own policy', async () => {
    const app = await startTestApp();
    const address = await app.http.listen({ port: 0, host: '127.0.0.1' });
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
