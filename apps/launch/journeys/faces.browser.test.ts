// What stands between a face and the camera: the page says it, waits, and goes on once it is put right.

import { IS_LONG, onlyWhenLong } from '@limen/testing/rounds.ts';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import type { Scene } from '../testing/camera/scenes.ts';
import { type Journey, openJourneys } from '../testing/journeys/journey.ts';
import { setVisibility } from '../testing/journeys/set-visibility.ts';

vi.setConfig({ testTimeout: 180_000 });

const FAULTS: [scene: Scene, prompt: string][] = [
  ['nobody', 'guide.noFace'],
  ['two_people', 'guide.severalFaces'],
  ['dark', 'guide.tooDark'],
  ['blurred', 'guide.blurred'],
  ['far', 'guide.tooFar'],
];
/** Which problem gives which code is also in the tests of the flow: the short run walks through one. */
const GIVEN_UP = onlyWhenLong(3, 1);
const GIVING_UP: [scene: Scene, prompt: string, heading: string, error: { code: number; message: string }][] = [
  ['dark', 'guide.tooDark', 'It is too dark', { code: -10, message: 'Too dark' }],
  ['two_people', 'guide.severalFaces', 'More than one face', { code: -11, message: 'Several faces' }],
  ['nobody', 'guide.noFace', 'We could not see you well enough', { code: -22, message: 'Face scan error' }],
];
/** The page guides for 40 seconds before it offers another way. */
const PAST_PATIENCE_MS = 41_000;

describe.skipIf(!chromiumPath)('a face that the page cannot use', async () => {
  const journeys = await openJourneys(afterAll);

  // Somebody who comes before the camera late also passes in the handoff.
  it.runIf(IS_LONG)('is told what is wrong, one thing after the other, and passes once nothing is', async () => {
    const journey = await journeys.begin({ camera: { scene: FAULTS[0]![0] } });
    const { page, camera, start, waitForScreen, webhooks, result } = journey;
    await start();
    await walkThroughFaults(journey);
    await camera.show('person');
    await waitForScreen('end', 120_000);
    expect(await page.locator('h1').textContent()).toBe('Done');
    expect(await camera.isOff()).toBe(true);
    await expect.poll(() => webhooks.length).toBe(1);
    expect(await result()).toMatchObject({ sessionStatus: 'AGE_ABOVE_THRESHOLD', flowStatus: 'COMPLETED' });
  });

  it.each(GIVING_UP.slice(0, GIVEN_UP))(
    'is told what is wrong, gives up at last where there is %s, and the host is told why',
    async (scene, prompt, heading, error) => {
      const journey = await journeys.begin({ camera: { scene: IS_LONG ? scene : FAULTS[0]![0] } });
      const { page, camera, start, giveUp, waitForPrompt, waitForScreen, webhooks, result } = journey;
      await start();
      if (!IS_LONG) {
        await walkThroughFaults(journey);
        // What counts is what stood in the way most of the time, from the last pause on.
        await setVisibility(page, 'hidden');
        await camera.show(scene);
        await setVisibility(page, 'visible');
      }
      await waitForPrompt(prompt);
      await page.waitForTimeout(IS_LONG ? 0 : 3_000); // frames of the scene before may have come after the pause
      await page.clock.install();
      await page.clock.fastForward(PAST_PATIENCE_MS);
      await waitForScreen('problem');
      expect(await page.locator('h1').textContent()).toBe(heading);
      expect(await page.locator('main button').allTextContents()).toEqual([
        'Try again',
        'Use another device',
        'Cancel',
      ]);
      expect(await camera.isOff()).toBe(true);
      await giveUp();
      await waitForScreen('end');
      expect(await page.locator('h1').textContent()).toBe('Cancelled');
      await expect.poll(() => webhooks.length).toBe(1);
      const told = await result();
      expect(told).toMatchObject({ sessionStatus: 'AGE_UNKNOWN', flowStatus: 'CANCELLED', errors: [error] });
      expect(webhooks[0]!.body).toEqual(told);
    },
  );
});

async function walkThroughFaults({ page, camera, trail, waitForPrompt }: Journey): Promise<void> {
  for (const [scene, prompt] of FAULTS) {
    await camera.show(scene);
    await waitForPrompt(prompt);
    expect(await page.locator('.prompt').textContent()).not.toBe('');
  }
  // Nothing was asked of anybody.
  expect(trail.filter((step) => step.includes('challenge.'))).toEqual([]);
}
