// The screen's colors on a face: a person is never flagged, and a source that ignores them is never
// lit.

import { afterAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import type { Scene } from '../testing/camera/scenes.ts';
import { type Journey, openJourneys } from '../testing/journeys/journey.ts';

vi.setConfig({ testTimeout: 300_000 });

const FAKES: Scene[] = ['unlit', 'tinted', 'face_tinted'];

/** All other journeys request reduced motion, which leaves out the colors. */
const COLORS = { reducedMotion: 'no-preference' } as const;

/** A busy machine takes too few frames for a finding, for or against anyone. */
async function findFlags({ result }: Pick<Journey, 'result'>): Promise<string[]> {
  const { riskEvaluation } = (await result()) as { riskEvaluation: { signals: Record<string, { flags: string[] }> } };
  return Object.values(riskEvaluation.signals).flatMap(({ flags }) => flags);
}

describe.skipIf(!chromiumPath)('the light of the screen', async () => {
  const journeys = await openJourneys(afterAll);

  // The short run covers the essentials in the passing journey.
  it('is announced, follows the movements, and raises no flag for a person', async () => {
    const journey = await journeys.begin({ context: COLORS });
    const { page, trail, start, waitForScreen } = journey;
    await waitForScreen('welcome');
    expect(await page.getByRole('checkbox', { name: 'Without changing colors' }).isChecked()).toBe(false);
    await start();
    await waitForScreen('end', 240_000);
    expect(trail.lastIndexOf('capture guide.colours')).toBeGreaterThan(trail.lastIndexOf('capture challenge.done'));
    expect(await findFlags(journey)).not.toContain('LIGHT_NOT_AS_DRAWN');
    expect(await journey.result()).toMatchObject({ sessionStatus: 'AGE_ABOVE_THRESHOLD', errors: [] });
  });

  it('stops at a press of its button without repeating a movement', async () => {
    const journey = await journeys.begin({ context: COLORS });
    const { page, trail, start, waitForScreen } = journey;
    await start();
    await page.getByRole('button', { name: 'Stop the colors' }).click({ timeout: 240_000 });
    const before = trail.length;
    await waitForScreen('end', 240_000);
    expect(trail.slice(before).filter((seen) => seen.startsWith('capture challenge.'))).toEqual([]);
    expect(await findFlags(journey)).toContain('LIGHT_INCONCLUSIVE');
    expect(await journey.result()).toMatchObject({ sessionStatus: 'AGE_ABOVE_THRESHOLD', errors: [] });
  });

  it.each(FAKES)('finds an animation that ignores it unlit: %s', async (scene) => {
    const journey = await journeys.begin({ camera: { scene }, context: COLORS });
    await journey.start();
    await journey.waitForScreen('end', 240_000);
    const flags = await findFlags(journey);
    expect(flags.some((flag) => flag === 'LIGHT_NOT_AS_DRAWN' || flag === 'LIGHT_INCONCLUSIVE')).toBe(true);
  });
});
