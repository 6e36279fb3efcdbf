// A camera that is refused, missing, busy, slow or lost: the person can continue or give up with a
// code.

import { IS_LONG } from '@limen/testing/rounds.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import { openJourneys } from '../testing/journeys/journey.ts';
import {
  cancelCheck,
  expectOutcome,
  PATIENCE_MS,
  press,
  waitForChallenge,
  waitForHeading,
  waitForText,
} from '../testing/journeys/journey-steps.ts';

describe.skipIf(!chromiumPath)('a camera', { timeout: 120_000 }, async () => {
  const journeys = await openJourneys(afterAll);

  it('captures after it was refused and then allowed', async () => {
    // Without a person the page stays on its screen, however long the test takes.
    const journey = await journeys.begin({ camera: { scene: 'nobody' } });
    const { page, camera, waitForScreen } = journey;
    await camera.refuse();
    await journey.start();
    await waitForHeading(page, 'The camera is blocked');
    await press(page, 'Try again');
    await expect.poll(async () => (await camera.measure()).timesAsked, { timeout: PATIENCE_MS }).toBe(2);
    await waitForHeading(page, 'The camera is blocked');
    expect(await page.getByRole('button', { name: 'Use another device' }).isVisible()).toBe(true);
    expect(await camera.timesOpened()).toBe(0);
    await camera.plugIn();
    await press(page, 'Try again');
    await waitForScreen('capture');
    expect(await camera.isOff()).toBe(false);

    await press(page, 'Cancel');
    await press(page, 'No, go on');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await page.locator('[data-screen]').getAttribute('data-screen')).toBe('capture');
    expect(await camera.isOff()).toBe(false);
    await cancelCheck(page);
    await waitForScreen('end');
    await waitForHeading(page, 'Cancelled');
    expect(await camera.isOff()).toBe(true);
    await expectOutcome(journey, 'CANCELLED', []);
  });

  // The flow's tests cover all codes; the short run covers an unplugged camera.
  it.runIf(IS_LONG).each([
    ['refuse', 'The camera is blocked'],
    ['missing', 'No camera found'],
    ['busy', 'The camera is in use'],
  ] as const)('shows that it is unavailable (%s), and reports a code when given up', async (answer, heading) => {
    const journey = await journeys.begin();
    const { page, camera } = journey;
    await camera[answer]();
    await journey.start();
    await waitForHeading(page, heading);
    await press(page, 'Try again');
    await waitForHeading(page, heading);
    expect(await page.getByRole('button', { name: 'Use another device' }).isVisible()).toBe(true);
    await cancelCheck(page);
    await waitForHeading(page, 'Cancelled');
    expect([await camera.timesOpened(), await camera.isOff()]).toEqual([0, true]);
    await expectOutcome(journey, 'CANCELLED', [-7]);
  });

  it.runIf(IS_LONG)('is turned off at once if allowed only after the check was canceled', async () => {
    const journey = await journeys.begin();
    const { page, camera } = journey;
    await camera.hang();
    await journey.start();
    await waitForText(page, 'Waiting for your answer in the browser’s question…');
    await expect.poll(async () => (await camera.measure()).timesAsked, { timeout: PATIENCE_MS }).toBe(1);
    await cancelCheck(page);
    await waitForHeading(page, 'Cancelled');
    await camera.plugIn();
    await expect.poll(() => camera.timesOpened(), { timeout: PATIENCE_MS }).toBe(1);
    await expect.poll(() => camera.isOff(), { timeout: PATIENCE_MS }).toBe(true);
    await waitForHeading(page, 'Cancelled');
    await expectOutcome(journey, 'CANCELLED', []);
  });

  it('can be plugged in again or given up after it was unplugged', async () => {
    const journey = await journeys.begin();
    const { page, camera } = journey;
    await journey.start();
    await waitForChallenge(page);
    await camera.unplug();
    await waitForHeading(page, 'The camera has stopped');
    expect(await camera.isOff()).toBe(true);
    await press(page, 'Try again');
    await waitForHeading(page, 'No camera found');
    await camera.plugIn();
    await press(page, 'Try again');
    await journey.waitForScreen('capture');
    expect(await camera.timesOpened()).toBe(2);
    await camera.unplug();
    await waitForHeading(page, 'The camera has stopped');
    await cancelCheck(page);
    await waitForHeading(page, 'Cancelled');
    expect(await camera.isOff()).toBe(true);
    await expectOutcome(journey, 'CANCELLED', [-7]);
  });

  it.runIf(IS_LONG)('is not requested if the person cancels on the first screen', async () => {
    const journey = await journeys.begin();
    const { page, camera } = journey;
    await cancelCheck(page, 'I do not want to do this');
    await waitForHeading(page, 'Cancelled');
    expect(await camera.timesOpened()).toBe(0);
    await expectOutcome(journey, 'CANCELLED', []);
  });

  it.runIf(IS_LONG)('is not requested if the person cancels just before', async () => {
    const journey = await journeys.begin();
    const { page, camera } = journey;
    await press(page, 'Start');
    await waitForHeading(page, 'Your camera');
    await cancelCheck(page);
    await waitForHeading(page, 'Cancelled');
    expect(await camera.timesOpened()).toBe(0);
    await expectOutcome(journey, 'CANCELLED', []);
  });

  it('is not requested before the models are loaded', async () => {
    const journey = await journeys.begin({
      // Never answered.
      prepare: (context) => context.route('**/launch/models/*.onnx*', () => undefined),
    });
    const { page, camera } = journey;
    await journey.start();
    await waitForHeading(page, 'Getting ready');
    await cancelCheck(page);
    await waitForHeading(page, 'Cancelled');
    expect(await camera.timesOpened()).toBe(0);
    await expectOutcome(journey, 'CANCELLED', []);
  });
});
