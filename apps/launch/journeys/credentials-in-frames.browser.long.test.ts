// Passkeys and wallets in a cross-site frame, through the SDK's element in Chromium.
import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import { startHostSite } from '../testing/embedding/host-site.ts';
import { FEW } from '../testing/journeys/journey.ts';
import { PATIENCE_MS, press } from '../testing/journeys/journey-steps.ts';
import { openVerificationJourneys, readWebhook } from '../testing/journeys/verification-journey.ts';
import { beginWithWallet, shows } from '../testing/journeys/wallet-journey.ts';

vi.setConfig({ testTimeout: 400_000 });

describe.skipIf(!chromiumPath)('a frame of another site', async () => {
  const site = await startHostSite();
  // Journeys leave out the colors, but a check earns an age key only with light.
  const SETTINGS = { FRAME_ANCESTORS: site.url, LIGHT_CHALLENGE: 'off' };
  const journeys = await openVerificationJourneys(afterAll, SETTINGS, FEW);

  async function embed(page: Page, launchUrl: string): Promise<FrameLocator> {
    site.show(`<limen-check launch-url="${launchUrl}"></limen-check>`);
    await page.goto(site.url);
    return page.frameLocator('limen-check iframe');
  }

  async function see(frame: FrameLocator, screen: string): Promise<void> {
    await frame.locator(`[data-screen="${screen}"]`).waitFor({ state: 'attached', timeout: 4 * PATIENCE_MS });
  }

  it('creates an age key after a check and uses it at the next one', async () => {
    const { page } = await journeys.openVisitor();
    const { limen } = await journeys.openShop();
    const invite = () => limen.ageSessions.create({ acceptedProofs: ['age_key'], enableDesktop: true });

    const first = await invite();
    const checked = await embed(page, first.launchUrl);
    await press(checked, 'Use the camera');
    await press(checked, 'Turn on the camera');
    await see(checked, 'end');
    await press(checked, 'Remember on this device');
    await checked.getByText('This device will remember it.').waitFor({ timeout: PATIENCE_MS });

    const second = await invite();
    const shown = await embed(page, second.launchUrl);
    await press(shown, 'Use my age key');
    await see(shown, 'end');
    expect(await limen.ageSessions.result(second.token)).toMatchObject({
      sessionStatus: 'AGE_ABOVE_THRESHOLD',
      result: { source: 'age_key' },
    });
  });

  it('enrolls a person with a passkey', async () => {
    const { page } = await journeys.openVisitor();
    const shop = await journeys.openShop();
    const enrollment = await journeys.invite(shop, 'ENROLL', { requirements: ['face', 'passkey'] });
    const enrolled = await embed(page, enrollment.launchUrl);
    await press(enrolled, 'Start');
    await press(enrolled, 'Turn on the camera');
    await see(enrolled, 'passkey');
    await press(enrolled, 'Make the passkey');
    await see(enrolled, 'end');
    expect(await readWebhook(enrollment)).toMatchObject({ status: 'SUCCESS', message: 'Enrollment successful' });
  });

  it('asks a wallet through the browser', async () => {
    const { page, launchUrl, use, result } = await beginWithWallet(journeys);
    const frame = await embed(page, launchUrl);
    await use(shows(), frame);
    await see(frame, 'end');
    expect(await result()).toMatchObject({ sessionStatus: 'AGE_ABOVE_THRESHOLD', result: { source: 'wallet' } });
  });
});
