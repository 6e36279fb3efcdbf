// A wallet link by QR code in a real browser that cannot ask the wallet. The wallet answers the
// service.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import { openJourneys } from '../testing/journeys/journey.ts';
import { readOutcome } from '../testing/journeys/journey-documents.ts';
import { press, readHandoffLink, waitForText } from '../testing/journeys/journey-steps.ts';
import { beginWithLink } from '../testing/journeys/wallet-journey.ts';

vi.setConfig({ testTimeout: 300_000 });

describe.skipIf(!chromiumPath)('a wallet link', async () => {
  const journeys = await openJourneys(afterAll);

  it.each(['eu_age', 'mdl'] as const)('ends the session with %s, and the page continues by itself', async (profile) => {
    const journey = await beginWithLink(journeys);
    expect(await journey.answer(await journey.showCode(), { profile })).toBe(200);
    await journey.waitForScreen('end');
    expect(await readOutcome(journey)).toMatchObject({
      sessionStatus: 'AGE_ABOVE_THRESHOLD',
      result: { walletProof: { profile }, source: 'wallet' },
    });
  });

  it('works with the command-line test wallet and the copied link', async () => {
    const journey = await beginWithLink(journeys);
    await journey.showCode();
    const command = ['scripts/run.js', 'tools/main.ts', 'test-wallet', await readHandoffLink(journey.page)];
    const { environment: env } = journeys.storage;
    const { stdout } = await promisify(execFile)(process.execPath, command, { env });
    expect(stdout).toContain('The service took it.');
    await journey.waitForScreen('end');
    expect(await readOutcome(journey)).toMatchObject({ result: { source: 'wallet' } });
  });

  it('leads back to the page in a new window on the same phone, and both continue', async () => {
    const journey = await beginWithLink(journeys, {}, { isPhone: true });
    const { page, showCode, answerHere, waitForScreen } = journey;
    const address = await answerHere(await showCode());
    expect(await journey.result()).toMatchObject({ sessionStatus: 'AGE_UNKNOWN' });
    // Another person's browser that opens the address ends nothing.
    const stranger = await page.context().browser()!.newContext();
    const theirs = await stranger.newPage();
    await theirs.goto(address);
    await waitForText(theirs, 'This check was opened on another device.');
    await stranger.close();
    expect(await journey.result()).toMatchObject({ sessionStatus: 'AGE_UNKNOWN' });
    const back = await page.context().newPage();
    await back.goto(address);
    await waitForScreen('end');
    expect(new URL(back.url()).hash).toBe('');
    expect(await readOutcome(journey)).toMatchObject({
      sessionStatus: 'AGE_ABOVE_THRESHOLD',
      result: { source: 'wallet' },
    });
  });

  it('leads back with a message after a refusal or decline, and the camera is still offered', async () => {
    const journey = await beginWithLink(journeys);
    const { page, showCode, answer, decline, waitForScreen } = journey;
    expect(await answer(await showCode(), { elements: { age_over_18: false } })).toBe(400);
    await waitForText(page, 'That is not enough for this site. Please choose another way.');
    expect(await decline(await showCode())).toBe(200);
    await waitForText(page, 'The wallet sent nothing. Try again, or choose another way.');
    await showCode();
    await press(page, 'Back');
    await waitForScreen('welcome');
    await press(page, 'Use the camera');
    await waitForScreen('permission');
    expect(await journey.result()).toMatchObject({ sessionStatus: 'AGE_UNKNOWN' });
  });
});
