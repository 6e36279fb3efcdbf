// People who pass, in a real browser: from the launch page to the host's signed webhook, with nothing left behind.

import { IS_LONG } from '@limen/testing/rounds.ts';
import type { BrowserContext } from 'playwright-core';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import { loadLanguage } from '../src/i18n/index.ts';
import { openJourneys } from '../testing/journeys/journey.ts';

// A busy machine looks at three frames a second.
vi.setConfig({ testTimeout: 180_000 });

const PASSED = { sessionStatus: 'AGE_ABOVE_THRESHOLD', flowStatus: 'COMPLETED', errors: [] };

describe.skipIf(!chromiumPath)('a person in front of the camera', async () => {
  const journeys = await openJourneys(afterAll, {}, {});

  it('does what is asked and is back with the host, which alone has the outcome; nobody else was talked to', async () => {
    const redirectUrl = 'https://host.example/back?order=7';
    const { asked, complaints, watch } = watchPage();
    // The page leaves by itself; it is not let go before it was looked at.
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

    // Its own server alone, and that in small pieces. The worker's requests are among them: else half would be watched.
    expect(asked.filter(({ url }) => !url.startsWith(`${journeys.url}/`)).map(({ url }) => url)).toEqual([redirectUrl]);
    expect(asked.some(({ url }) => url.includes('.onnx'))).toBe(true);
    const sent = asked.filter(({ bytes }) => bytes > 0);
    expect(Math.max(...sent.map(({ bytes }) => bytes))).toBe(2_048);
    expect(sent.filter(({ bytes }) => bytes > 1_000).length).toBe(1);
    expect(complaints).toEqual([]);

    await expect.poll(() => webhooks.length).toBe(1);
    const told = await result();
    expect(told).toMatchObject({ ...PASSED, metadata: { order: 7 } });
    // With the threshold alone asked for, no age leaves the device.
    expect(told['result']).toEqual({ facialAgeEstimation: { thresholdResult: 'AGE_ABOVE_THRESHOLD' } });
    expect(webhooks[0]!.body).toEqual(told);
    const { flags } = told['riskEvaluation'] as { flags: string[] };
    expect(flags).toContain('HEADLESS_WEBDRIVER');
    // A person is slow and uneven enough, and did everything in the order of the plan.
    expect(flags.filter((flag) => flag.startsWith('BEHAVIOR_'))).toEqual([]);
    // The test camera does what cameras do, also when it is asked for another frame rate.
    expect(flags.filter((flag) => flag.startsWith('CAMERA_'))).toEqual([]);
    const movements = trail.filter((step) => /challenge\.(turn|look|blink)/.test(step));
    expect(movements).toHaveLength(3);
    expect(trail.at(-1)).toBe('end');
    expect(trail.lastIndexOf('capture guide.colours')).toBeGreaterThan(trail.lastIndexOf('capture challenge.done'));
    expect(flags).not.toContain('LIGHT_NOT_AS_DRAWN');

    // Back from the host is back at the end, from where nobody is sent round in circles.
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

  it.skipIf(!IS_LONG)(
    'is told everything in Arabic, from right to left, and sends the age that the host asked for',
    async () => {
      const words = await loadLanguage('ar');
      const { page, camera, start, waitForScreen, webhooks, result } = await journeys.begin({
        // The document is asked for below the threshold only.
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
      const told = await result();
      expect(told).toMatchObject(PASSED);
      expect(webhooks[0]!.body).toEqual(told);
      const { age, facialAgeEstimation } = told['result'] as Record<string, number> & {
        facialAgeEstimation: Record<string, number>;
      };
      const { thresholdResult, exact, lowerBound } = facialAgeEstimation;
      expect(thresholdResult).toBe('AGE_ABOVE_THRESHOLD');
      expect(age).toBe(exact);
      expect(lowerBound).toBeGreaterThanOrEqual(19);
      expect(exact).toBeGreaterThan(lowerBound!);
      expect(exact).toBeLessThan(100);
    },
  );
});

/** Whom the page talks to, and what the browser has to say against it. */
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

/** As text: functions of a test are compiled for the test. */
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
