// People who pass, in a real browser: from the launch page to the host's signed webhook.
import { afterAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import { IS_LONG } from '../../server/testing/rounds.ts';
import { loadLanguage } from '../src/i18n/index.ts';
import { openJourneys } from '../testing/journey.ts';

// A busy machine looks at three frames a second.
vi.setConfig({ testTimeout: 180_000 });

const PASSED = { sessionStatus: 'AGE_ABOVE_THRESHOLD', flowStatus: 'COMPLETED', errors: [] };

describe.skipIf(!chromiumPath)('a person in front of the camera', async () => {
  const journeys = await openJourneys(afterAll);

  it('does what is asked and is back with the host, which alone has the outcome', async () => {
    const redirectUrl = 'https://host.example/back?order=7';
    const { page, camera, trail, start, waitForScreen, webhooks, result } = await journeys.begin({
      session: { redirectUrl, metadata: { order: 7 } },
      prepare: (context) => context.route(redirectUrl, (route) => route.fulfill({ body: 'The shop' })),
    });
    await start();
    await waitForScreen('end', 150_000);
    expect(await page.locator('h1').textContent()).toBe('Done');
    expect(await camera.isOff()).toBe(true);
    await page.waitForURL((url) => url.host === 'host.example');
    expect(page.url()).toBe(redirectUrl);

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
    const asked = trail.filter((step) => /challenge\.(turn|look|blink)/.test(step));
    expect(asked).toHaveLength(3);
    expect(trail.at(-1)).toBe('end');

    // Back from the host is back at the end, from where nobody is sent round in circles.
    await page.goBack();
    await waitForScreen('end');
    expect(await page.locator('main .small').count()).toBe(0);
    expect(await page.locator('main button').count()).toBe(1);
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
