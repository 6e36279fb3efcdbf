// An age key in a real browser: created after a check, used at another shop of the same customer,
// rejected elsewhere, and deleted.
import type { CreateAgeSessionRequest } from '@limen/sdk';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import { FEW } from '../testing/journeys/journey.ts';
import { PATIENCE_MS, press, waitForText } from '../testing/journeys/journey-steps.ts';
import { openVerificationJourneys, type Shop } from '../testing/journeys/verification-journey.ts';

vi.setConfig({ testTimeout: 400_000 });

const DAY_MS = 86_400_000;
const NOT_ENOUGH = 'That is not enough for this site. Please choose another way.';

describe.skipIf(!chromiumPath)('a person with a completed check', async () => {
  let daysLater = 0;
  const clock = { now: () => Date.now() + daysLater * DAY_MS };
  // Journeys leave out the colors, but a check earns a key only with light.
  const journeys = await openVerificationJourneys(afterAll, { LIGHT_CHALLENGE: 'off' }, { ...FEW, clock });

  async function readCount(outcome: string): Promise<number> {
    const text = await (await fetch(`${journeys.url}/metrics`)).text();
    const line = new RegExp(`^limen_age_keys_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm');
    return Number(line.exec(text)?.[1] ?? 0);
  }

  async function invite({ limen }: Shop, wish: CreateAgeSessionRequest = {}) {
    const { token, launchUrl } = await limen.ageSessions.create({
      acceptedProofs: ['age_key'],
      enableDesktop: true,
      ...wish,
    });
    return { launchUrl, result: () => limen.ageSessions.result(token) };
  }

  it('can use an age key at another shop of the customer until deleting it', async () => {
    const { page, open, waitForScreen, finish, calls } = await journeys.openVisitor();
    const [wine, games] = [await journeys.openShop('acme'), await journeys.openShop('acme')];
    const visit = async (invitation: Awaited<ReturnType<typeof invite>>) => {
      await open({ sessionId: '', webhooks: [], ...invitation } as never);
      await waitForScreen('welcome');
    };

    const first = await invite(wine);
    await visit(first);
    await press(page, 'Use the camera');
    await waitForScreen('permission');
    await page.locator('[data-screen="permission"] button').first().click();
    expect(await finish()).toBe('Done');
    expect(await first.result()).toMatchObject({
      result: { source: 'face' },
      riskEvaluation: { recommendation: 'ALLOW' },
    });
    await waitForText(page, 'This device can remember that you are 18 or older.');
    await press(page, 'Remember on this device');
    await waitForText(page, 'This device will remember it.');

    const second = await invite(games, { ageThreshold: 16 });
    await visit(second);
    await press(page, 'Use my age key');
    expect(await finish()).toBe('Done');
    const { sessionStatus, result, riskEvaluation } = await second.result();
    expect([sessionStatus, riskEvaluation?.recommendation]).toEqual(['AGE_ABOVE_THRESHOLD', 'ALLOW']);
    const verifiedAt = expect.stringMatching(/^\d{4}-\d{2}$/);
    expect(result).toEqual({
      ageKey: { thresholdResult: 'AGE_ABOVE_THRESHOLD', method: 'face', verifiedAt },
      source: 'age_key',
    });
    expect(calls).toEqual(['claim', 'age-key/options', 'age-key']);
    // A check by age key offers no second one.
    expect(await page.getByRole('button', { name: 'Remember on this device' }).count()).toBe(0);

    await visit(await invite(await journeys.openShop()));
    await press(page, 'Use my age key');
    await waitForText(page, 'This age key is no longer known here.');

    const stronger = await invite(games, { requirements: ['identity_document'] });
    await visit(stronger);
    await press(page, 'Use my age key');
    await waitForText(page, NOT_ENOUGH);
    expect(await readCount('too_weak')).toBe(1);
    await press(page, 'Use the camera');
    await waitForScreen('document');
    expect((await stronger.result()).flowStatus).toBeUndefined();

    daysLater = 35;
    const newer = await invite(games, { ageKeyMaxDays: 30 });
    await visit(newer);
    await press(page, 'Use my age key');
    await waitForText(page, NOT_ENOUGH);
    expect(await readCount('too_old')).toBe(1);
    expect(journeys.app.logged()).toContain('"reason":"too_old"');
    await press(page, 'Use the camera');
    await waitForScreen('permission');
    expect((await newer.result()).flowStatus).toBeUndefined();

    await page.goto(new URL('/launch/my-age-key', journeys.url).href);
    await waitForScreen('my_age_key');
    await press(page, 'What happens with my data?');
    await page.getByRole('dialog').getByText('With an age key, the service keeps').waitFor({ timeout: PATIENCE_MS });
    await press(page, 'Close');
    await press(page, 'Delete my age key');
    expect(await finish()).toBe('Done');
    await waitForText(page, 'What was kept for your age key is deleted.');

    const last = await invite(games);
    await visit(last);
    await press(page, 'Use my age key');
    await waitForText(page, 'This age key is no longer known here.');
    await expect
      .poll(() => page.getByRole('button', { name: 'Use the camera' }).count(), { timeout: PATIENCE_MS })
      .toBe(1);
  });
});
