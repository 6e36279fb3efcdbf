// Obstacles between a face and the camera: the page shows them, waits, and continues once they are
// fixed.

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
/** The flow's tests cover the code of each problem; the short run covers one. */
const GIVEN_UP = onlyWhenLong(3, 1);
const GIVING_UP: [scene: Scene, prompt: string, heading: string, error: { code: number; message: string }][] = [
  ['dark', 'guide.tooDark', 'It is too dark', { code: -10, message: 'Too dark' }],
  ['two_people', 'guide.severalFaces', 'More than one face', { code: -11, message: 'Several faces' }],
  ['nobody', 'guide.noFace', 'We could not see you well enough', { code: -22, message: 'Face scan error' }],
];
/** Longer than the 40 seconds of guidance after which the page offers another way. */
const PAST_PATIENCE_MS = 41_000;

describe.skipIf(!chromiumPath)('a face that the page cannot use', async () => {
  const journeys = await openJourneys(afterAll);

  // The handoff also covers a person who arrives late.
  it.runIf(IS_LONG)('gets one prompt after the other, and passes once nothing is wrong', async () => {
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
    'gets prompts, ends with the problem of %s, and reports its code to the host',
    async (scene, prompt, heading, error) => {
      const journey = await journeys.begin({ camera: { scene: IS_LONG ? scene : FAULTS[0]![0] } });
      const { page, camera, start, giveUp, waitForPrompt, waitForScreen, webhooks, result } = journey;
      await start();
      if (!IS_LONG) {
        await walkThroughFaults(journey);
        // Only the most frequent problem since the last pause counts.
        await setVisibility(page, 'hidden');
        await camera.show(scene);
        await setVisibility(page, 'visible');
      }
      await waitForPrompt(prompt);
      await page.waitForTimeout(IS_LONG ? 0 : 3_000); // frames of the previous scene may arrive after the pause
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
      const outcome = await result();
      expect(outcome).toMatchObject({ sessionStatus: 'AGE_UNKNOWN', flowStatus: 'CANCELLED', errors: [error] });
      expect(webhooks[0]!.body).toEqual(outcome);
    },
  );
});

async function walkThroughFaults({ page, camera, trail, waitForPrompt }: Journey): Promise<void> {
  for (const [scene, prompt] of FAULTS) {
    await camera.show(scene);
    await waitForPrompt(prompt);
    expect(await page.locator('.prompt').textContent()).not.toBe('');
  }
  // No movement was requested.
  expect(trail.filter((step) => step.includes('challenge.'))).toEqual([]);
}
