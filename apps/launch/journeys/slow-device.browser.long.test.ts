// A whole face check on a minimal device: a sixth of this machine's speed, 400 kB/s, and 2 GB of
// memory, most of it used by the system and the browser.
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { chromiumPath, launchBrowserWith } from '../../server/testing/browser.ts';
import { openJourneys, openPage } from '../testing/journeys/journey.ts';
import { limitMemory } from '../testing/slow/limited-memory.ts';
import { startSlowLink } from '../testing/slow/slow-link.ts';
import { slowDown } from '../testing/slow/slow-processor.ts';

const PATIENT_MS = 600_000;
vi.setConfig({ testTimeout: PATIENT_MS + 60_000 });

const TIMES_SLOWER = 6;
const LINK = { bytesPerSecond: 400_000, delayMs: 100 };
/** Limit for the browser with all its processes. The system needs part of the 2 GB too. */
const BROWSER_BYTES = 1_000_000_000;
/**
 * Limit for the page's process, including the rendered person, which a real device does not have.
 */
const MOST_BYTES = 800_000_000;
/** Three frames must show a pose, and a person without feedback holds on. */
const HOLD_MS = 3_000;

const megabytes = (bytes = Number.NaN) => (bytes / 1e6).toFixed(0);

describe.skipIf(!chromiumPath)('a slow device', async () => {
  const journeys = await openJourneys(afterAll, {}, {});

  it('completes the whole check, including the colors, within its memory', async () => {
    const link = await startSlowLink(journeys.url, LINK);
    onTestFinished(() => link.close());
    // Compiled as in people's browsers, unlike in other tests.
    const browser = await launchBrowserWith('--js-flags=');
    const memory = await limitMemory(browser, BROWSER_BYTES);
    onTestFinished(() => memory?.lift());
    const slow = await slowDown(browser, TIMES_SLOWER);
    onTestFinished(() => slow.stop());
    const { launchUrl, token } = await journeys.host.ageSessions.create({ enableDesktop: true });
    const { page, trail } = await openPage(browser, link.reach(launchUrl), {
      camera: { holdMs: HOLD_MS },
      context: { reducedMotion: 'no-preference' },
    });
    for (const screen of ['welcome', 'permission'])
      await page.locator(`[data-screen="${screen}"] button`).first().click({ timeout: PATIENT_MS });
    await page.locator('[data-screen="end"]').waitFor({ state: 'attached', timeout: PATIENT_MS });
    expect(await journeys.host.ageSessions.result(token), trail.join()).toMatchObject({
      flowStatus: 'COMPLETED',
      sessionStatus: 'AGE_ABOVE_THRESHOLD',
      errors: [],
    });
    expect(trail).toContain('capture guide.colours');
    expect(slow.peakBytes()).toBeLessThan(MOST_BYTES);
    // The kernel would have killed the page beyond the limit.
    expect(memory?.peakBytes() ?? 0).toBeLessThanOrEqual(BROWSER_BYTES);
    console.log(
      `The page had ${megabytes(slow.peakBytes())} MB at most, the browser ${megabytes(memory?.peakBytes())}.`,
    );
  });
});
