// A whole check in a host's page through the SDK's element. Only the host's server gets the
// outcome.
import { afterAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import { startHostSite } from '../testing/embedding/host-site.ts';
import { openJourneys } from '../testing/journeys/journey.ts';

describe.skipIf(!chromiumPath).each(['inline', 'modal'])('a person in an embedded check, %s', async (mode) => {
  const site = await startHostSite();
  const journeys = await openJourneys(afterAll, { FRAME_ANCESTORS: site.url });

  it('passes without revealing the outcome to the embedding page', { timeout: 180_000 }, async () => {
    const { page, launchUrl, result, webhooks } = await journeys.begin();
    site.show(`<limen-check mode="${mode}" launch-url="${launchUrl}"></limen-check><script>
      const heard = [];
      const check = document.querySelector('limen-check');
      for (const type of ['ready', 'step', 'ended', 'cancelled', 'error'])
        check.addEventListener(type, ({ detail }) => heard.push([type, detail]));
      customElements.whenDefined('limen-check').then(() => check.open());
    </script>`);
    await page.goto(site.url);
    const frame = page.frameLocator('limen-check iframe');
    for (const name of ['Start', 'Turn on the camera'])
      await frame.getByRole('button', { name }).click({ timeout: 60_000 });
    await frame.locator('[data-screen="capture"] video').waitFor({ timeout: 60_000 });
    await page.waitForFunction("heard.some(([type]) => type === 'ended')", undefined, { timeout: 150_000 });
    expect(await page.evaluate('heard')).toEqual([
      ['ready', null],
      ['step', { step: 'welcome' }],
      ['step', { step: 'camera' }],
      ['step', { step: 'check' }],
      ['ended', null],
    ]);
    await expect.poll(() => webhooks.length, { timeout: 60_000 }).toBe(1);
    expect(await result()).toMatchObject({ flowStatus: 'COMPLETED', sessionStatus: 'AGE_ABOVE_THRESHOLD' });
  });
});
