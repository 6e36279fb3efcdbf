// The whole check by face on a device with next to nothing: a sixth of this machine's speed, 400 kB a second, and 2 GB of memory, of
// which the system and the rest of the browser have most.
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
/** For the browser with all of its processes, of the 2 GB that there are: the system needs some, too. */
const BROWSER_BYTES = 1_000_000_000;
/** Of the page's process, the drawn person before the camera included, whom a real device does not have. */
const MOST_BYTES = 800_000_000;
/** Three frames of it have to be seen, and whoever sees nothing happen holds on. */
const HOLD_MS = 3_000;

const megabytes = (bytes = Number.NaN) => (bytes / 1e6).toFixed(0);

describe.skipIf(!chromiumPath)('a slow device', async () => {
  const journeys = await openJourneys(afterAll, {}, {});

  it('gets through the whole check, colours and all, with the memory that it has', async () => {
    const link = await startSlowLink(journeys.url, LINK);
    onTestFinished(() => link.close());
    // Compiled as people's browsers do it, and not as the other tests'.
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
    expect(slow.mostBytes()).toBeLessThan(MOST_BYTES);
    // Where the kernel held it to that; it would have ended the page.
    expect(memory?.mostBytes() ?? 0).toBeLessThanOrEqual(BROWSER_BYTES);
    console.log(
      `The page had ${megabytes(slow.mostBytes())} MB at most, the browser ${megabytes(memory?.mostBytes())}.`,
    );
  });
});
