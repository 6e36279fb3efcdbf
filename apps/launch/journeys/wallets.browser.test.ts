// A wallet in a real browser through the Digital Credentials API: declined, insufficient, and
// accepted.
import { afterAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import { openJourneys } from '../testing/journeys/journey.ts';
import { readOutcome } from '../testing/journeys/journey-documents.ts';
import { waitForText } from '../testing/journeys/journey-steps.ts';
import { beginWithWallet, declines, readCounts, shows } from '../testing/journeys/wallet-journey.ts';

vi.setConfig({ testTimeout: 180_000 });

describe.skipIf(!chromiumPath)('a person with a wallet', async () => {
  const journeys = await openJourneys(afterAll);

  it('can decline, present insufficient proof, and end the session with a sufficient one', async () => {
    const before = await readCounts(journeys.url);
    const journey = await beginWithWallet(journeys);
    await journey.use(declines);
    await waitForText(journey.page, 'The wallet sent nothing. Try again, or choose another way.');
    await journey.use(shows({ elements: { age_over_18: false } }));
    await waitForText(journey.page, 'That is not enough for this site. Please choose another way.');
    expect(await journey.page.getByRole('button', { name: 'Use the camera' }).count()).toBe(1);
    await journey.use(shows());
    expect(await readOutcome(journey)).toMatchObject({
      sessionStatus: 'AGE_ABOVE_THRESHOLD',
      riskEvaluation: { recommendation: expect.any(String), flags: expect.arrayContaining(['WALLET_USED']) },
      result: {
        walletProof: { thresholdResult: 'AGE_ABOVE_THRESHOLD', profile: 'eu_age', issuerCountry: 'UT' },
        source: 'wallet',
      },
    });
    expect(journey.trail).not.toContain('permission');
    const after = await readCounts(journeys.url);
    for (const outcome of ['declined', 'element_not_true', 'accepted'])
      expect([outcome, after.get(outcome)]).toEqual([outcome, (before.get(outcome) ?? 0) + 1]);
  });
});
