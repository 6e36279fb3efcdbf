// Opening the page under difficult conditions: in an old browser, and with missing files.
import { afterAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import { openJourneys } from '../testing/journeys/journey.ts';
import { waitForChallenge } from '../testing/journeys/journey-steps.ts';
import { actLikeOldSafari } from '../testing/old-safari.ts';

vi.setConfig({ testTimeout: 180_000 });

/** Which of some removed features are still present. */
const LEFT = `['canParse' in URL, 'any' in AbortSignal, 'union' in Set.prototype, 'Iterator' in globalThis]`;

describe.skipIf(!chromiumPath)('the page', async () => {
  const journeys = await openJourneys(afterAll);

  it('reaches the first movement with only the features of Safari 16.4, in its worker too', async () => {
    const errors: string[] = [];
    const { page, start } = await journeys.begin({
      prepare: async (context) => {
        await actLikeOldSafari(context);
        context.on('weberror', (error) => errors.push(String(error.error())));
      },
    });
    expect(await page.evaluate(LEFT)).toEqual([false, false, false, false]);
    await start();
    await waitForChallenge(page);
    const worker = page.workers().find((worker) => worker.url().includes('face-worker'))!;
    expect(await worker.evaluate(LEFT)).toEqual([false, false, false, false]);
    expect(errors).toEqual([]);
  });

  it('falls back to English if the language fails to load', async () => {
    const { page, waitForScreen } = await journeys.begin({
      session: { locale: 'ja' },
      prepare: (context) => context.route(/\/assets\/ja-/, (route) => route.abort()),
    });
    await waitForScreen('welcome');
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
  });

  it('shows a loading state until the service answers', async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { page, waitForScreen } = await journeys.begin({
      prepare: (context) =>
        context.route(/\/device\//, async (route) => {
          await answered;
          await route.continue();
        }),
    });
    await page.locator('.opening').waitFor({ state: 'visible' });
    expect(await page.locator('[data-screen]').count()).toBe(0);
    answer();
    await waitForScreen('welcome');
    expect(await page.locator('#root > *').evaluateAll((parts) => parts.map((part) => part.className))).toEqual([
      'page',
    ]);
  });
});
