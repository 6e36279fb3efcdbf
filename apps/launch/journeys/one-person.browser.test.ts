// A change of person during the check: no one can finish what another person started.

import { IS_LONG, onlyWhenLong } from '@limen/testing/rounds.ts';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import type { Scene } from '../testing/camera/scenes.ts';
import { openJourneys } from '../testing/journeys/journey.ts';
import { expectOutcome, press } from '../testing/journeys/journey-steps.ts';

vi.setConfig({ testTimeout: 300_000 });

/** The step's tests cover every frame. */
const SWAPS: Scene[] = ['swapped_first', 'swapped_second', 'swapped_third'];
const INTERRUPTIONS = onlyWhenLong<[Scene, string][]>(
  [
    ['left', 'guide.noFace'],
    ['joined', 'guide.severalFaces'],
  ],
  [],
);

describe.skipIf(!chromiumPath)('a change of person', async () => {
  const journeys = await openJourneys(afterAll);

  it('restarts everything without a decision', async () => {
    const { page, trail, start, result } = await journeys.begin({ camera: { scene: 'swapped_first' } });
    await start();
    // Another face in the same place may also look like a moved flat picture, which ends the check.
    const isOver = () => trail.includes('end');
    await expect.poll(() => isOver() || trail.includes('capture challenge.again'), { timeout: 240_000 }).toBe(true);
    if (!isOver()) {
      await press(page, 'Cancel');
      await press(page, 'Yes, cancel');
    }
    await expect.poll(isOver).toBe(true);
    expect(await result()).toMatchObject({ sessionStatus: 'AGE_UNKNOWN' });
  });

  it.skipIf(!IS_LONG).each(SWAPS)('is a spoof the second time: %s', async (scene) => {
    const journey = await journeys.begin({ camera: { scene } });
    const { page, camera, start, waitForScreen } = journey;
    await start();
    await waitForScreen('end', 240_000);
    expect(await page.locator('h1').textContent()).toBe('The check did not work');
    // Another face in the same place may also look like a moved flat picture before any movement.
    expect(await camera.isOff()).toBe(true);
    await expectOutcome(journey, 'COMPLETED', [1]);
  });

  it.each(INTERRUPTIONS)('restarts and passes after an interruption: %s', async (scene, prompt) => {
    const { page, trail, start, waitForScreen, result } = await journeys.begin({ camera: { scene } });
    await start();
    await waitForScreen('end', 240_000);
    expect(await page.locator('h1').textContent()).toBe('Done');
    expect(trail).toContain(`capture ${prompt}`);
    expect(trail).toContain('capture challenge.again');
    expect(await result()).toMatchObject({ sessionStatus: 'AGE_ABOVE_THRESHOLD', errors: [] });
  });
});
