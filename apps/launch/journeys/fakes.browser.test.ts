// Pictures in place of a person: the page finds no person, and the host is notified.

import { IS_LONG, onlyWhenLong } from '@limen/testing/rounds.ts';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import type { Scene } from '../testing/camera/scenes.ts';
import type { CameraOptions } from '../testing/camera/test-camera.ts';
import { openJourneys } from '../testing/journeys/journey.ts';

vi.setConfig({ testTimeout: 300_000 });

const ALL: Scene[] = ['still', 'flat_moved', 'flat_tilted', 'flat_zoomed', 'flat_squeezed'];
/** The fake nearest to a person. The tests of the movements also cover still pictures. */
const FAKES = onlyWhenLong<Scene[]>(ALL, ['flat_tilted']);
/** A fake uses up three time limits, so the short run shortens them. */
const TUNING = onlyWhenLong({}, { movements: { ms: 4_000 } });

describe.skipIf(!chromiumPath)('a fake in front of the camera', async () => {
  const journeys = await openJourneys(afterAll, {}, TUNING);

  // Proves that the fakes do not fail only because the time is too short.
  it.skipIf(!IS_LONG)('has enough time, because a person passes within it', async () => {
    const { page, start, waitForScreen, result } = await journeys.begin();
    await start();
    await waitForScreen('end', 240_000);
    expect(await page.locator('h1').textContent()).toBe('Done');
    expect(await result()).toMatchObject({ sessionStatus: 'AGE_ABOVE_THRESHOLD', errors: [] });
  });

  // A person in a stream that no camera produces: the movements fail, or the host gets a flag.
  it.runIf(IS_LONG).each<[string, Omit<CameraOptions, 'scene'>, string, string]>([
    ['is frozen', { manner: 'frozen' }, 'AGE_UNKNOWN', 'CAMERA_REPEATED_NOISE'],
    ['is a looped clip', { manner: 'looped' }, 'AGE_UNKNOWN', 'CAMERA_REPEATED_NOISE'],
    ['answers as no camera does', { manner: 'deaf' }, 'AGE_ABOVE_THRESHOLD', 'CAMERA_REQUEST_IGNORED'],
  ])('is detected if the stream %s', async (_name, camera, sessionStatus, flag) => {
    const { start, waitForScreen, result } = await journeys.begin({ camera: { scene: 'person', ...camera } });
    await start();
    await waitForScreen('end', 240_000);
    const outcome = await result();
    expect(outcome).toMatchObject({ sessionStatus });
    const { flags } = outcome['riskEvaluation'] as { flags: string[] };
    expect(flags.filter((flag) => flag.startsWith('CAMERA_'))).toEqual([flag]);
  });

  it.each(FAKES)('does not pass: %s', async (scene) => {
    const { page, camera, trail, start, waitForScreen, webhooks, result } = await journeys.begin({ camera: { scene } });
    await start();
    await waitForScreen('end', 240_000);
    expect(trail.some((step) => /challenge\.(turn|look|blink)/.test(step))).toBe(true);
    // None of its movements was accepted.
    expect(trail).not.toContain('capture challenge.done');
    expect(await page.locator('h1').textContent()).toBe('The check did not work');
    expect(await page.locator('main').textContent()).toContain('We could not see that a person was in front');
    expect(await camera.isOff()).toBe(true);
    await expect.poll(() => webhooks.length).toBe(1);
    const outcome = await result();
    expect(outcome).toMatchObject({
      sessionStatus: 'AGE_UNKNOWN',
      flowStatus: 'COMPLETED',
      errors: [{ code: 1, message: 'Image spoof' }],
    });
    expect(outcome['result']).toEqual({});
    expect(webhooks[0]!.body).toEqual(outcome);
  });
});
