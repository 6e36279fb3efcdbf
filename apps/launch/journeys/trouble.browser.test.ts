// Trouble during a check: reloads, lost networks, other tabs, and deleted sessions.
import { IS_LONG, onlyWhenLong } from '@limen/testing/rounds.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import { type Journey, openJourneys, openPage } from '../testing/journeys/journey.ts';
import {
  cancelCheck,
  expectOutcome,
  listErrorCodes,
  PATIENCE_MS,
  press,
  waitForChallenge,
  waitForHeading,
  waitForText,
  watchChannel,
} from '../testing/journeys/journey-steps.ts';
import { setVisibility } from '../testing/journeys/set-visibility.ts';

const NO_CONNECTION = 'No connection. We go on as soon as it is back';

describe.skipIf(!chromiumPath)('trouble during a check', { timeout: 150_000 }, async () => {
  const journeys = await openJourneys(afterAll);

  it('continues with the same plan after a reload, and reports the end once the network is back', async () => {
    const journey = await journeys.begin();
    const { page, camera } = journey;
    const { plans, log } = watchChannel(page);
    await journey.start();
    await waitForChallenge(page);
    await page.reload();
    await waitForText(page, 'You have begun this check already. You can go on with it.');
    await press(page, 'Continue');
    await press(page, 'Turn on the camera');
    await waitForChallenge(page);
    await page.context().setOffline(true);
    await waitForText(page, NO_CONNECTION);
    expect(await camera.isOff()).toBe(true);
    expect(await journey.result()).not.toHaveProperty('flowStatus');
    await page.context().setOffline(false);
    await finish(journey);
    expect(plans.length).toBeGreaterThan(1);
    expect(new Set(plans).size).toBe(1);
    expect(log.map(([event]) => event)).toContain('retried');
  });

  it.runIf(IS_LONG)('waits for a network that is lost at the start and at the end', async () => {
    const journey = await journeys.begin();
    const { page } = journey;
    await journey.waitForScreen('welcome');
    await page.context().setOffline(true);
    await press(page, 'Start');
    await waitForText(page, NO_CONNECTION);
    await page.context().setOffline(false);
    await waitForHeading(page, 'Your camera');
    await page.context().setOffline(true);
    await cancelCheck(page);
    await waitForText(page, NO_CONNECTION);
    await page.context().setOffline(false);
    await waitForHeading(page, 'Cancelled');
    await expectOutcome(journey, 'CANCELLED', []);
  });

  it.runIf(IS_LONG)('restarts the movements after the page was hidden, without counting an attempt', async () => {
    const journey = await journeys.begin();
    const { page } = journey;
    const { log } = watchChannel(page);
    await journey.start();
    await waitForChallenge(page);
    await setVisibility(page, 'hidden');
    await waitForText(page, 'The check was paused while the page was in the background.');
    const before = log.length;
    await setVisibility(page, 'visible');
    await waitForChallenge(page);
    await expect.poll(() => log.slice(before).map(([event]) => event), { timeout: PATIENCE_MS }).toContain('retried');
    await page.goBack();
    await page.getByRole('heading', { name: 'Cancel the check?' }).waitFor({ timeout: PATIENCE_MS });
    await press(page, 'No, go on');
    await page.goBack();
    await press(page, 'Yes, cancel');
    await waitForHeading(page, 'Cancelled');
    expect(await journey.camera.isOff()).toBe(true);
    await expectOutcome(journey, 'CANCELLED', []);
  });

  it.runIf(IS_LONG)('ends the check and turns the camera off when the host deletes the session', async () => {
    const { page, camera, token, start } = await journeys.begin({ camera: { scene: 'nobody' } });
    await start();
    await page.locator('[data-prompt="guide.noFace"]').waitFor({ state: 'attached', timeout: PATIENCE_MS });
    await journeys.host.ageSessions.redact(token);
    await camera.show('person');
    await waitForHeading(page, 'This link does not work');
    expect(await camera.isOff()).toBe(true);
  });

  it.skipIf(!IS_LONG)('can be ended for both tabs by a second tab of the same device', async () => {
    const journey = await journeys.begin({ camera: { scene: 'nobody' } });
    const { page: first, camera } = journey;
    await journey.start();
    await first.locator('[data-prompt="guide.noFace"]').waitFor({ state: 'attached', timeout: PATIENCE_MS });
    const second = await first.context().newPage();
    await second.goto(journey.launchUrl);
    await press(second, 'Continue');
    await press(second, 'Turn on the camera');
    await second.locator('[data-prompt="guide.noFace"]').waitFor({ state: 'attached', timeout: PATIENCE_MS });
    // The service keeps the other tab's log.
    await camera.show('person');
    await waitForChallenge(first);
    await cancelCheck(second);
    await waitForHeading(second, 'Cancelled');
    await waitForHeading(first, 'Cancelled');
    expect(await camera.isOff()).toBe(true);
    await expectOutcome(journey, 'CANCELLED', []);
  });

  it.each([
    ['a session that there is not', '?sessionId=7d1f0c52-9a3e-4b6d-8f21-5c0e9b7a4d13'],
    ['an invalid session id', '?sessionId=../../etc'],
    ['nothing', ''],
  ])('shows that a link with %s does not work', async (_, query) => {
    const { page } = await openPage(journeys.browser, `${journeys.url}/launch${query}`);
    await waitForHeading(page, 'This link does not work');
    expect(await page.getByRole('button', { name: 'Start' }).count()).toBe(0);
  });
});

describe.skipIf(!chromiumPath)('a session with little time', { timeout: 120_000 }, async () => {
  // Long enough to reach the camera or the first screen.
  const journeys = await openJourneys(afterAll, { SESSION_TTL_SECONDS: onlyWhenLong('12', '4') });

  it(`ends while somebody is ${onlyWhenLong('in front of the camera', 'still reading')}, and so it stays`, async () => {
    const journey = await journeys.begin({ camera: { scene: 'nobody' } });
    const { page, camera } = journey;
    if (IS_LONG) await journey.start();
    await waitForHeading(page, 'The time is over');
    expect(await camera.isOff()).toBe(true);
    await expectOutcome(journey, 'EXPIRED', [-8]);
    await page.reload();
    await waitForHeading(page, 'The time is over');
    expect(await page.getByRole('button', { name: 'Start' }).count()).toBe(0);
  });
});

/** A slow machine may see too few movements and report a spoof. */
async function finish({ page, waitForScreen, webhooks, result }: Journey): Promise<void> {
  await waitForScreen('end', 100_000);
  await expect.poll(() => webhooks.length, { timeout: PATIENCE_MS }).toBe(1);
  const seen = await result();
  expect(seen).toMatchObject({ flowStatus: 'COMPLETED' });
  const isBelieved = listErrorCodes(seen).length === 0;
  if (!isBelieved) expect(listErrorCodes(seen)).toEqual([1]);
  await waitForHeading(page, isBelieved ? 'Done' : 'The check did not work');
}
