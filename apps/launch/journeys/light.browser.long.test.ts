// The colours of the screen on a face: a person before it is never called a fake, and what does not know of them is never lit.

import { afterAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import type { Scene } from '../testing/camera/scenes.ts';
import { type Journey, openJourneys } from '../testing/journeys/journey.ts';

vi.setConfig({ testTimeout: 300_000 });

const FAKES: Scene[] = ['unlit', 'tinted', 'face_tinted'];

/** Journeys about anything else ask for less motion, which leaves the colours out. */
const COLOURS = { reducedMotion: 'no-preference' } as const;

/** A machine that is busy takes too few frames to tell: then nothing is said against anybody, and nothing for them. */
async function findFlags({ result }: Pick<Journey, 'result'>): Promise<string[]> {
  const { riskEvaluation } = (await result()) as { riskEvaluation: { signals: Record<string, { flags: string[] }> } };
  return Object.values(riskEvaluation.signals).flatMap(({ flags }) => flags);
}

describe.skipIf(!chromiumPath)('the light of the screen', async () => {
  const journeys = await openJourneys(afterAll);

  // The short run has the essence with the person who passes.
  it('is announced, shown after the movements, and says nothing against a person', async () => {
    const journey = await journeys.begin({ context: COLOURS });
    const { page, trail, start, waitForScreen } = journey;
    await waitForScreen('welcome');
    expect(await page.getByRole('checkbox', { name: 'Without changing colours' }).isChecked()).toBe(false);
    await start();
    await waitForScreen('end', 240_000);
    expect(trail.lastIndexOf('capture guide.colours')).toBeGreaterThan(trail.lastIndexOf('capture challenge.done'));
    expect(await findFlags(journey)).not.toContain('LIGHT_NOT_AS_DRAWN');
    expect(await journey.result()).toMatchObject({ sessionStatus: 'AGE_ABOVE_THRESHOLD', errors: [] });
  });

  it('ends at a press of its button, with no movement to be made again', async () => {
    const journey = await journeys.begin({ context: COLOURS });
    const { page, trail, start, waitForScreen } = journey;
    await start();
    await page.getByRole('button', { name: 'Stop the colours' }).click({ timeout: 240_000 });
    const before = trail.length;
    await waitForScreen('end', 240_000);
    expect(trail.slice(before).filter((seen) => seen.startsWith('capture challenge.'))).toEqual([]);
    expect(await findFlags(journey)).toContain('LIGHT_INCONCLUSIVE');
    expect(await journey.result()).toMatchObject({ sessionStatus: 'AGE_ABOVE_THRESHOLD', errors: [] });
  });

  it.each(FAKES)('does not light an animation that knows nothing of it: %s', async (scene) => {
    const journey = await journeys.begin({ camera: { scene }, context: COLOURS });
    await journey.start();
    await journey.waitForScreen('end', 240_000);
    const flags = await findFlags(journey);
    expect(flags.some((flag) => flag === 'LIGHT_NOT_AS_DRAWN' || flag === 'LIGHT_INCONCLUSIVE')).toBe(true);
  });
});
