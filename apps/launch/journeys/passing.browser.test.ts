// People who pass in a real browser: from the launch page to the signed webhook, with nothing left
// behind.

import { IS_LONG } from '@limen/testing/rounds.ts';
import type { BrowserContext } from 'playwright-core';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import { loadLanguage } from '../src/i18n/index.ts';
import { openJourneys } from '../testing/journeys/journey.ts';

// A busy machine analyzes three frames a second.
vi.setConfig({ testTimeout: 180_000 });

const PASSED = { sessionStatus: 'AGE_ABOVE_THRESHOLD', flowStatus: 'COMPLETED', errors: [] };

describe.skipIf(!chromiumPath)('a person in front of the camera', async () => {
  const journeys = await openJourneys(afterAll, {}, {});

  it('completes the check and returns to the host, which alone gets the outcome', async () => {
    const redirectUrl = 'https://host.example/back?order=7';
    const { asked, complaints, watch } = watchPage();
    // Delays the automatic redirect until the page was inspected.
    const seen = Promise.withResolvers<void>();
    const { page, camera, trail, start, waitForScreen, webhooks, result } = await journeys.begin({
      session: { redirectUrl, metadata: { order: 7 } },
      context: { reducedMotion: 'no-preference' },
      async prepare(context) {
        await context.route(redirectUrl, async (route) => {
          await seen.promise;
          await route.fulfill({ body: 'The shop' });
        });
        await watch(context);
      },
    });
    await start();
    await waitForScreen('end', 150_000);
    expect(await page.locator('h1').textContent()).toBe('Done');
    expect(await camera.isOff()).toBe(true);
    seen.resolve();
    await page.waitForURL((url) => url.host === 'host.example');
    expect(page.url()).toBe(redirectUrl);

    // The page only contacts its own server, in small requests. Includes the worker's requests.
    expect(asked.filter(({ url }) => !url.startsWith(`${journeys.url}/`)).map(({ url }) => url)).toEqual([redirectUrl]);
    expect(asked.some(({ url }) => url.includes('.onnx'))).toBe(true);
    const sent = asked.filter(({ bytes }) => bytes > 0);
    expect(Math.max(...sent.map(({ bytes }) => bytes))).toBe(2_048);
    expect(sent.filter(({ bytes }) => bytes > 1_000).length).toBe(1);
    expect(complaints).toEqual([]);

    await expect.poll(() => webhooks.length).toBe(1);
    const reply = await result();
    expect(reply).toMatchObject({ ...PASSED, metadata: { order: 7 } });
    // No age leaves the device if only the threshold is requested.
    expect(reply['result']).toEqual({ facialAgeEstimation: { thresholdResult: 'AGE_ABOVE_THRESHOLD' } });
    expect(webhooks[0]!.body).toEqual(reply);
    const { flags } = reply['riskEvaluation'] as { flags: string[] };
    expect(flags).toContain('HEADLESS_WEBDRIVER');
    // A person is slow and uneven enough, and followed the order of the plan.
    expect(flags.filter((flag) => flag.startsWith('BEHAVIOR_'))).toEqual([]);
    // The test camera behaves like a camera, also when asked for another frame rate.
    expect(flags.filter((flag) => flag.startsWith('CAMERA_'))).toEqual([]);
    const movements = trail.filter((step) => /challenge\.(turn|look|blink)/.test(step));
    expect(movements).toHaveLength(3);
    expect(trail.at(-1)).toBe('end');
    expect(trail.lastIndexOf('capture guide.colours')).toBeGreaterThan(trail.lastIndexOf('capture challenge.done'));
    expect(flags).not.toContain('LIGHT_NOT_AS_DRAWN');

    // Going back from the host shows the end without another redirect.
    await page.goBack();
    await waitForScreen('end');
    expect(await page.locator('main .small').count()).toBe(0);
    expect(await page.locator('main button').count()).toBe(1);
    expect(await page.evaluate(LEFT_BEHIND)).toEqual({
      local: 0,
      session: 0,
      cookie: '',
      caches: [],
      workers: 0,
      databases: ['limen-device'],
      stored: [['pair', 'savedAt', 'sessionId']],
      readable: false,
    });
  });

  it.skipIf(!IS_LONG)('sees everything in Arabic, from right to left, and sends the requested age', async () => {
    const words = await loadLanguage('ar');
    const { page, camera, start, waitForScreen, webhooks, result } = await journeys.begin({
      // The document is only requested below the threshold.
      session: { locale: 'ar-EG', facialAgeEstimationReturnFormat: 'both', stepUpEnabled: true },
      camera: { size: { width: 480, height: 640 } },
    });
    await waitForScreen('welcome');
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    expect(await page.locator('html').getAttribute('lang')).toBe('ar');
    expect(await page.locator('h1').textContent()).toBe(words.text('welcome.heading'));
    expect(await page.locator('main').textContent()).toContain(words.text('welcome.sentAge'));
    await start();
    await waitForScreen('end', 150_000);
    expect(await page.locator('h1').textContent()).toBe(words.text('end.doneHeading'));
    expect(await camera.isOff()).toBe(true);

    await expect.poll(() => webhooks.length).toBe(1);
    const reply = await result();
    expect(reply).toMatchObject(PASSED);
    expect(webhooks[0]!.body).toEqual(reply);
    const { age, facialAgeEstimation } = reply['result'] as Record<string, number> & {
      facialAgeEstimation: Record<string, number>;
    };
    const { thresholdResult, exact, lowerBound } = facialAgeEstimation;
    expect(thresholdResult).toBe('AGE_ABOVE_THRESHOLD');
    expect(age).toBe(exact);
    expect(lowerBound).toBeGreaterThanOrEqual(19);
    expect(exact).toBeGreaterThan(lowerBound!);
    expect(exact).toBeLessThan(100);
  });
});

/** Records the page's requests and the browser's complaints. */
function watchPage() {
  const asked: { url: string; bytes: number }[] = [];
  const complaints: string[] = [];
  const watch = async (context: BrowserContext) => {
    context.on('request', (request) => {
      asked.push({ url: request.url(), bytes: request.postDataBuffer()?.length ?? 0 });
    });
    context.on('console', (message) => message.type() !== 'debug' && complaints.push(message.text()));
    await context.addInitScript(
      "addEventListener('securitypolicyviolation', ({ violatedDirective }) => console.warn(violatedDirective))",
    );
  };
  return { asked, complaints, watch };
}

/** Runs on the page as text, so it must not be compiled here. */
const LEFT_BEHIND = `(async () => {
  const opened = await new Promise((resolve) => {
    const request = indexedDB.open('limen-device');
    request.onsuccess = () => resolve(request.result);
  });
  const stored = await new Promise((resolve) => {
    const request = opened.transaction('pairs').objectStore('pairs').getAll();
    request.onsuccess = () => resolve(request.result);
  });
  return {
    local: localStorage.length,
    session: sessionStorage.length,
    cookie: document.cookie,
    caches: await caches.keys(),
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    databases: (await indexedDB.databases()).map(({ name }) => name),
    stored: stored.map((entry) => Object.keys(entry).sort()),
    readable: stored.some(({ pair }) => pair.privateKey.extractable),
  };
})()`;
