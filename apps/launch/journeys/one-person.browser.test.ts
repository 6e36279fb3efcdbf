// Who is before the camera changes in the middle: what one person began, nobody else can finish.

import { IS_LONG, onlyWhenLong } from '@limen/testing/rounds.ts';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import type { Scene } from '../testing/camera/scenes.ts';
import { openJourneys } from '../testing/journeys/journey.ts';
import { expectOutcome, press } from '../testing/journeys/journey-steps.ts';

vi.setConfig({ testTimeout: 300_000 });

/** Frame by frame, all of it is in the tests of the step. */
const SWAPS: Scene[] = ['swapped_first', 'swapped_second', 'swapped_third'];
const INTERRUPTIONS = onlyWhenLong<[Scene, string][]>(
  [
    ['left', 'guide.noFace'],
    ['joined', 'guide.severalFaces'],
  ],
  [],
);

describe.skipIf(!chromiumPath)('one person from the first frame to the last', async () => {
  const journeys = await openJourneys(afterAll);

  it('is nobody who takes over: all begins anew, and nothing is decided', async () => {
    const { page, trail, start, result } = await journeys.begin({ camera: { scene: 'swapped_first' } });
    await start();
    // Another face where the first one was may also look like a flat thing that is moved, which ends it.
    const isOver = () => trail.includes('end');
    await expect.poll(() => isOver() || trail.includes('capture challenge.again'), { timeout: 240_000 }).toBe(true);
    if (!isOver()) {
      await press(page, 'Cancel');
      await press(page, 'Yes, cancel');
    }
    await expect.poll(isOver).toBe(true);
    expect(await result()).toMatchObject({ sessionStatus: 'AGE_UNKNOWN' });
  });

  it.skipIf(!IS_LONG).each(SWAPS)(
    'is what somebody who takes over is not, and the second time it is a spoof: %s',
    async (scene) => {
      const journey = await journeys.begin({ camera: { scene } });
      const { page, camera, start, waitForScreen } = journey;
      await start();
      await waitForScreen('end', 240_000);
      expect(await page.locator('h1').textContent()).toBe('The check did not work');
      // Another face where the first one was may also look like a flat thing that is moved, before anything is done with it.
      expect(await camera.isOff()).toBe(true);
      await expectOutcome(journey, 'COMPLETED', [1]);
    },
  );

  it.each(INTERRUPTIONS)('begins anew, and passes, after an interruption: %s', async (scene, prompt) => {
    const { page, trail, start, waitForScreen, result } = await journeys.begin({ camera: { scene } });
    await start();
    await waitForScreen('end', 240_000);
    expect(await page.locator('h1').textContent()).toBe('Done');
    expect(trail).toContain(`capture ${prompt}`);
    expect(trail).toContain('capture challenge.again');
    expect(await result()).toMatchObject({ sessionStatus: 'AGE_ABOVE_THRESHOLD', errors: [] });
  });
});
