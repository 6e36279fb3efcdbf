// Pictures before the camera instead of people: the page finds nobody there, and the host is told so.

import { IS_LONG, onlyWhenLong } from '@limen/testing/rounds.ts';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import type { Scene } from '../testing/camera/scenes.ts';
import type { CameraOptions } from '../testing/camera/test-camera.ts';
import { openJourneys } from '../testing/journeys/journey.ts';

vi.setConfig({ testTimeout: 300_000 });

const ALL: Scene[] = ['still', 'flat_moved', 'flat_tilted', 'flat_zoomed', 'flat_squeezed'];
/** The one that comes nearest to a person; what does not move at all is also refused in the tests of the movements. */
const FAKES = onlyWhenLong<Scene[]>(ALL, ['flat_tilted']);
/** A fake uses up three times the whole time, of which the short run gives less, and still enough for a person. */
const TUNING = onlyWhenLong({}, { movements: { ms: 4_000 } });

describe.skipIf(!chromiumPath)('a fake before the camera', async () => {
  const journeys = await openJourneys(afterAll, {}, TUNING);

  // Else the fakes might fail only because nobody can be so quick.
  it.skipIf(!IS_LONG)('does worse than a person, who passes in the time that is given here', async () => {
    const { page, start, waitForScreen, result } = await journeys.begin();
    await start();
    await waitForScreen('end', 240_000);
    expect(await page.locator('h1').textContent()).toBe('Done');
    expect(await result()).toMatchObject({ sessionStatus: 'AGE_ABOVE_THRESHOLD', errors: [] });
  });

  // A person, but a stream that no camera gives: what is shown does not do what is asked, or the host is told of it.
  it.runIf(IS_LONG).each<[string, Omit<CameraOptions, 'scene'>, string, string]>([
    ['is frozen', { manner: 'frozen' }, 'AGE_UNKNOWN', 'CAMERA_REPEATED_NOISE'],
    ['is a looped clip', { manner: 'looped' }, 'AGE_UNKNOWN', 'CAMERA_REPEATED_NOISE'],
    ['answers as no camera does', { manner: 'deaf' }, 'AGE_ABOVE_THRESHOLD', 'CAMERA_REQUEST_IGNORED'],
  ])('is known by a stream that %s', async (_name, camera, sessionStatus, flag) => {
    const { start, waitForScreen, result } = await journeys.begin({ camera: { scene: 'person', ...camera } });
    await start();
    await waitForScreen('end', 240_000);
    const told = await result();
    expect(told).toMatchObject({ sessionStatus });
    const { flags } = told['riskEvaluation'] as { flags: string[] };
    expect(flags.filter((one) => one.startsWith('CAMERA_'))).toEqual([flag]);
  });

  it.each(FAKES)('does not pass: %s', async (scene) => {
    const { page, camera, trail, start, waitForScreen, webhooks, result } = await journeys.begin({ camera: { scene } });
    await start();
    await waitForScreen('end', 240_000);
    expect(trail.some((step) => /challenge\.(turn|look|blink)/.test(step))).toBe(true);
    // Nothing that it did was taken for an answer.
    expect(trail).not.toContain('capture challenge.done');
    expect(await page.locator('h1').textContent()).toBe('The check did not work');
    expect(await page.locator('main').textContent()).toContain('We could not see that a person was in front');
    expect(await camera.isOff()).toBe(true);
    await expect.poll(() => webhooks.length).toBe(1);
    const told = await result();
    expect(told).toMatchObject({
      sessionStatus: 'AGE_UNKNOWN',
      flowStatus: 'COMPLETED',
      errors: [{ code: 1, message: 'Image spoof' }],
    });
    expect(told['result']).toEqual({});
    expect(webhooks[0]!.body).toEqual(told);
  });
});
