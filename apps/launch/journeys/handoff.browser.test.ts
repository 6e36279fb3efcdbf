// From a computer to a phone: the code, the phone that takes over, and the computer that follows it
// to the end.

import { findZoneFont } from '@limen/documents/testing/font/index.ts';
import { IS_LONG } from '@limen/testing/rounds.ts';
import type { Page } from 'playwright-core';
import { encode } from 'uqr';
import { afterAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import { photographDocument } from '../testing/camera/documents.ts';
import { openJourneys, openPage } from '../testing/journeys/journey.ts';
import { ownDocument, readOutcome, showDocument } from '../testing/journeys/journey-documents.ts';
import {
  COMPUTER,
  cancelCheck,
  chooseShownNumber,
  expectOutcome,
  listErrorCodes,
  PATIENCE_MS,
  PHONE,
  press,
  readHandoffLink,
  waitForHeading,
  waitForText,
  watchChannel,
} from '../testing/journeys/journey-steps.ts';

describe.skipIf(!chromiumPath)('a handoff from a computer to a phone', { timeout: 240_000 }, async () => {
  const journeys = await openJourneys(afterAll);
  const withZoneWhenLong = it.skipIf(!findZoneFont() || !IS_LONG);
  const openPhone = (url: string) => openPage(journeys.browser, url, { context: PHONE });

  withZoneWhenLong('captures the face on the computer and the document on the phone, and compares them', async () => {
    // Portrait orientation, like phones.
    const document = await photographDocument(ownDocument('passport', { frame: { width: 1080, height: 1920 } }));
    const requirements: ('face' | 'identity_document')[] = ['face', 'identity_document'];
    const journey = await journeys.begin({
      session: { requirements, redirectUrl: 'https://shop.example/done' },
      context: COMPUTER,
      prepare: (context) => context.route('https://shop.example/**', (route) => route.fulfill({ status: 204 })),
    });
    const { page: computer } = journey;
    await journey.start();
    await journey.waitForScreen('document', 150_000);
    await press(computer, 'Use another device');
    const url = await readCode(computer);
    const [code, key] = new URLSearchParams(new URL(url).hash.slice(1)).get('handoff')!.split('.');
    expect([code?.length, key?.length]).toEqual([22, 22]);

    const [addresses, bodies]: [string[], string[]] = [[], []];
    const opened = await openPage(journeys.browser, url, {
      context: PHONE,
      camera: { document },
      async prepare(context) {
        context.on('request', (request) => {
          addresses.push(`${request.url()} ${request.headers()['referer'] ?? ''}`);
          bodies.push(request.postData() ?? '');
        });
      },
    });
    const { page: phone, driver, trail } = opened;
    const { log } = watchChannel(phone);
    await waitForHeading(phone, 'Did you start this yourself?');
    expect(await phone.locator('dd').allInnerTexts()).toEqual([
      expect.stringContaining('development'),
      expect.stringMatching(/shop/),
      expect.stringMatching(/Chrome · Linux/),
      expect.stringMatching(/now|ago/),
    ]);
    await chooseShownNumber(phone, computer);
    const waitForScreen = (name: string, timeout = 150_000) =>
      phone.locator(`[data-screen="${name}"]`).waitFor({ state: 'attached', timeout });
    await waitForScreen('document');
    expect(new URL(phone.url()).hash).toBe('');
    // The code is sent only to the service, and the key to no one.
    expect(bodies.filter((body) => body.includes(code!)).length).toBeGreaterThan(1);
    expect(addresses.filter((address) => address.includes(code!))).toEqual([]);
    expect([...addresses, ...bodies].filter((text) => text.includes(key!))).toEqual([]);

    // The code was used, and the session has been on two devices.
    const { page: third } = await openPhone(url);
    await waitForHeading(third, 'This device cannot take part');

    await showDocument({ page: phone, waitForScreen }, 'passport');
    await waitForText(computer, 'Your phone is at: document');
    await waitForScreen('end');
    await waitForHeading(computer, 'Done');
    const reply = await readOutcome(journey);
    expect(reply).toMatchObject({ sessionStatus: 'AGE_ABOVE_THRESHOLD', flowStatus: 'COMPLETED', errors: [] });
    expect(reply['result']).toMatchObject({ faceMatch: true, document: { type: 'passport', country: 'DEU' } });
    // The face was captured on the computer only.
    expect(log[0]?.slice(0, 2)).toEqual(['carried', 0]);
    expect(trail.filter((step) => step.startsWith('capture'))).toEqual([]);
    expect(await driver.measure()).toMatchObject({ facing: ['environment'], isOff: true });
  });

  it('voids the code after a wrong number or a refusal, and works with a new code', async () => {
    const journey = await journeys.begin({ session: { enableDesktop: false }, context: COMPUTER });
    const { page: computer } = journey;
    await press(computer, 'Continue');
    const url = await readCode(computer);
    const shown = (await computer.locator('.compare .number').textContent())!.trim();
    const { page: stranger } = await openPhone(url);
    await waitForHeading(stranger, 'Did you start this yourself?');
    const choices = await stranger.locator('.numbers button').allInnerTexts();
    expect(choices).toContain(shown);
    await press(stranger, 'None of these, or I did not start this');
    await waitForHeading(stranger, 'Good that you looked');
    // The computer is notified, and the code is void.
    await waitForHeading(computer, 'The code no longer works');
    await waitForText(computer, 'Somebody declined on the other device');
    const { page: phone } = await openPhone(url);
    await waitForHeading(phone, 'The code no longer works');

    const second = await showNewCode(computer, url);
    await phone.goto('about:blank');
    await phone.goto(second);
    await waitForHeading(phone, 'Did you start this yourself?');
    const shownNow = (await computer.locator('.compare .number').textContent())!.trim();
    const wrongNumbers = (await phone.locator('.numbers button').allInnerTexts()).filter(
      (number) => number !== shownNow,
    );
    await press(phone, wrongNumbers[0]!);
    await waitForHeading(phone, 'Another number was chosen');
    await waitForHeading(computer, 'Another number was chosen');
    const third = await showNewCode(computer, second);
    await phone.goto('about:blank');
    await phone.goto(third);
    await chooseShownNumber(phone, computer);
    await waitForHeading(phone, 'Your camera');
    await cancelCheck(phone);
    await waitForHeading(phone, 'Cancelled');
    const { riskEvaluation } = await journey.result();
    expect((riskEvaluation as { flags: string[] }).flags).toContain('HANDOFF_NUMBER_WRONG');
  });

  it.runIf(IS_LONG)('completes the check on the phone while the computer follows', async () => {
    const journey = await journeys.begin({ session: { enableDesktop: false }, context: COMPUTER });
    const { page: computer, camera } = journey;
    await waitForText(computer, 'This check needs a phone. Next, you get a code to scan with it.');
    expect(await computer.getByRole('button', { name: 'Start' }).count()).toBe(0);
    await press(computer, 'Continue');
    const url = await readCode(computer);
    const { page: phone, driver: phoneCamera } = await openPage(journeys.browser, url, {
      context: PHONE,
      camera: { scene: 'nobody' },
    });
    await chooseShownNumber(phone, computer);
    await waitForHeading(phone, 'Your camera');
    await waitForText(computer, 'Your phone has opened the check.');

    await press(phone, 'Turn on the camera');
    await waitForText(computer, 'Your phone is at: face');
    expect(await computer.getByRole('button', { name: 'Cancel' }).count()).toBe(0);

    await phoneCamera.show('person');
    await phone.locator('[data-screen="end"]').waitFor({ timeout: 100_000 });
    const heading = (await phone.locator('h1').textContent())!;
    await waitForHeading(computer, heading);
    expect(await phoneCamera.isOff()).toBe(true);
    expect(await camera.timesOpened()).toBe(0);
    await expect.poll(() => journey.webhooks.length, { timeout: PATIENCE_MS }).toBe(1);
    const outcome = await journey.result();
    expect(outcome).toMatchObject({ flowStatus: 'COMPLETED' });
    // A slow machine sees too few frames of the movements.
    expect([listErrorCodes(outcome), heading]).toEqual(
      heading === 'Done' ? [[], 'Done'] : [[1], 'The check did not work'],
    );
  });

  it('reports a cancellation on the computer', async () => {
    const journey = await journeys.begin({ session: { enableDesktop: false }, context: COMPUTER });
    await press(journey.page, 'Continue');
    await readCode(journey.page);
    await cancelCheck(journey.page);
    await waitForHeading(journey.page, 'Cancelled');
    await expectOutcome(journey, 'CANCELLED', [-5]);
  });

  it.runIf(IS_LONG)('rejects a replaced code and accepts the new one', async () => {
    const journey = await journeys.begin({ session: { enableDesktop: false }, context: COMPUTER });
    const { page: computer } = journey;
    await computer.clock.install();
    await press(computer, 'Continue');
    const old = await readCode(computer);
    await computer.clock.fastForward('05:01');
    const fresh = await showNewCode(computer, old);

    const { page: late } = await openPhone(old);
    await waitForHeading(late, 'The code no longer works');
    const { page: phone } = await openPhone(fresh);
    await chooseShownNumber(phone, computer);
    await waitForHeading(phone, 'Your camera');
    await cancelCheck(phone);
    await waitForHeading(phone, 'Cancelled');
    await expectOutcome(journey, 'CANCELLED', []);
  });

  it.runIf(IS_LONG)('can be started on a capable computer and reverted', async () => {
    const journey = await journeys.begin({ context: COMPUTER });
    const { page: computer, camera } = journey;
    await press(computer, 'Use another device');
    await readCode(computer);
    await press(computer, 'Back');
    await waitForHeading(computer, 'A quick age check');
    await press(computer, 'Use another device');
    const url = await readCode(computer);
    const { page: phone } = await openPhone(url);
    await chooseShownNumber(phone, computer);
    await waitForText(computer, 'Your phone has opened the check.');
    await computer.reload();
    await waitForHeading(computer, 'Continue on your phone');
    await waitForText(computer, 'Your phone has opened the check.');
    await cancelCheck(phone);
    await waitForHeading(computer, 'Cancelled');
    expect(await camera.timesOpened()).toBe(0);
    await expectOutcome(journey, 'CANCELLED', []);
  });

  it('shows on a device without a code where the check is', async () => {
    const journey = await journeys.begin({ context: COMPUTER });
    await press(journey.page, 'Start');
    await waitForHeading(journey.page, 'Your camera');
    const { page: other } = await openPhone(journey.launchUrl);
    await waitForHeading(other, 'Open on another device');
    await cancelCheck(journey.page);
    await waitForHeading(journey.page, 'Cancelled');
    await expectOutcome(journey, 'CANCELLED', []);
  });
});

/** Shows a new code and returns its link. */
async function showNewCode(computer: Page, before: string): Promise<string> {
  await press(computer, 'Show a new code');
  await expect.poll(() => readCode(computer), { timeout: PATIENCE_MS }).not.toBe(before);
  return readCode(computer);
}

/** Returns the copied link and checks that the QR code encodes the same. */
async function readCode(page: Page): Promise<string> {
  const url = await readHandoffLink(page);
  expect(await readModules(page)).toEqual(encode(url, { ecc: 'M', border: 4 }).data);
  return url;
}

/** Reads the dark modules from the path that draws them. */
async function readModules(page: Page): Promise<boolean[][]> {
  const picture = page.getByRole('img', { name: 'QR code with a link to continue on your phone' });
  const path = (await picture.locator('path').getAttribute('d'))!;
  const size = Number((await picture.getAttribute('viewBox'))!.split(' ')[2]);
  const rows = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1H\d+z/g))
    rows[Number(y)]!.fill(true, Number(x), Number(x) + Number(width));
  return rows;
}
