// From a computer to a phone: the code, the phone that takes over, and the computer that follows it to the end.

import type { Page } from 'playwright-core';
import { encode } from 'uqr';
import { afterAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import { IS_LONG } from '../../server/testing/rounds.ts';
import { openJourneys, openPage } from '../testing/journey.ts';
import {
  COMPUTER,
  cancelCheck,
  codesOf,
  expectOutcome,
  PATIENCE_MS,
  PHONE,
  press,
  readHandoffLink,
  waitForHeading,
  waitForText,
} from '../testing/journey-steps.ts';

describe.skipIf(!chromiumPath)('from a computer to a phone', { timeout: 150_000 }, async () => {
  const journeys = await openJourneys(afterAll);
  const openPhone = (url: string) => openPage(journeys.browser, url, { context: PHONE });

  it('the phone does the check, the computer follows it and ends with it, and the code reaches no server', async () => {
    const journey = await journeys.begin({ session: { enableDesktop: false }, context: COMPUTER });
    const { page: computer, camera } = journey;
    await waitForText(computer, 'This check needs a phone. Next, you get a code to scan with it.');
    expect(await computer.getByRole('button', { name: 'Start' }).count()).toBe(0);
    await press(computer, 'Continue');
    const url = await readCode(computer);
    const code = new URLSearchParams(new URL(url).hash.slice(1)).get('handoff')!;
    expect(code.length).toBeGreaterThan(20);

    const asked: string[] = [];
    const { page: phone, driver: phoneCamera } = await openPage(journeys.browser, url, {
      context: PHONE,
      camera: { scene: 'nobody' },
      prepare: async (context) =>
        void context.on('request', (request) => asked.push(`${request.url()} ${request.headers()['referer'] ?? ''}`)),
    });
    await press(phone, 'Start');
    await waitForHeading(phone, 'Your camera');
    await waitForText(computer, 'Your phone has opened the check.');
    expect(new URL(phone.url()).hash).toBe('');
    expect(asked.length).toBeGreaterThan(3);
    expect(asked.filter((address) => address.includes(code))).toEqual([]);

    await press(phone, 'Turn on the camera');
    await waitForText(computer, 'Your phone is at: face');
    expect(await computer.getByRole('button', { name: 'Cancel' }).count()).toBe(0);

    // Used once, and the session has been on two devices.
    const { page: third } = await openPhone(url);
    await press(third, 'Start');
    await waitForHeading(third, 'This device cannot take part');

    await phoneCamera.show('person');
    await phone.locator('[data-screen="end"]').waitFor({ timeout: 100_000 });
    const heading = (await phone.locator('h1').textContent())!;
    await waitForHeading(computer, heading);
    expect(await phoneCamera.isOff()).toBe(true);
    expect(await camera.timesOpened()).toBe(0);
    await expect.poll(() => journey.webhooks.length, { timeout: PATIENCE_MS }).toBe(1);
    const outcome = await journey.result();
    expect(outcome).toMatchObject({ flowStatus: 'COMPLETED' });
    // A slow machine sees too little of the movements to believe in them.
    expect([codesOf(outcome), heading]).toEqual(heading === 'Done' ? [[], 'Done'] : [[1], 'The check did not work']);
  });

  it('giving up at the computer says that it was one', async () => {
    const journey = await journeys.begin({ session: { enableDesktop: false }, context: COMPUTER });
    await press(journey.page, 'Continue');
    await readCode(journey.page);
    await cancelCheck(journey.page);
    await waitForHeading(journey.page, 'Cancelled');
    await expectOutcome(journey, 'CANCELLED', [-5]);
  });

  it.runIf(IS_LONG)('a code that was replaced no longer works, and the new one does', async () => {
    const journey = await journeys.begin({ session: { enableDesktop: false }, context: COMPUTER });
    const { page: computer } = journey;
    await computer.clock.install();
    await press(computer, 'Continue');
    const old = await readCode(computer);
    await computer.clock.fastForward('05:01');
    await press(computer, 'Show a new code');
    await expect.poll(() => readCode(computer), { timeout: PATIENCE_MS }).not.toBe(old);
    const fresh = await readCode(computer);

    const { page: late } = await openPhone(old);
    await press(late, 'Start');
    await waitForHeading(late, 'The code no longer works');
    const { page: phone } = await openPhone(fresh);
    await press(phone, 'Start');
    await waitForHeading(phone, 'Your camera');
    await cancelCheck(phone);
    await waitForHeading(phone, 'Cancelled');
    await expectOutcome(journey, 'CANCELLED', []);
  });

  it.runIf(IS_LONG)('a computer that would do can choose the phone, and come back', async () => {
    const journey = await journeys.begin({ context: COMPUTER });
    const { page: computer, camera } = journey;
    await press(computer, 'Use another device');
    await readCode(computer);
    await press(computer, 'Back');
    await waitForHeading(computer, 'A quick age check');
    await press(computer, 'Use another device');
    const url = await readCode(computer);
    const { page: phone } = await openPhone(url);
    await press(phone, 'Start');
    await waitForText(computer, 'Your phone has opened the check.');
    await computer.reload();
    await waitForHeading(computer, 'Continue on your phone');
    await waitForText(computer, 'Your phone has opened the check.');
    await cancelCheck(phone);
    await waitForHeading(computer, 'Cancelled');
    expect(await camera.timesOpened()).toBe(0);
    await expectOutcome(journey, 'CANCELLED', []);
  });

  it('the same link on another device, without a code, is told where the check is', async () => {
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

/** The link that the page offers for copying; the picture has to say the same. */
async function readCode(page: Page): Promise<string> {
  const url = await readHandoffLink(page);
  expect(await readModules(page)).toEqual(encode(url, { ecc: 'M', border: 4 }).data);
  return url;
}

/** Which modules are dark, from the path that draws them. */
async function readModules(page: Page): Promise<boolean[][]> {
  const picture = page.getByRole('img', { name: 'QR code with a link to continue on your phone' });
  const size = Number((await picture.getAttribute('viewBox'))!.split(' ')[2]);
  const rows = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  const path = (await picture.locator('path').getAttribute('d'))!;
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1H\d+z/g))
    rows[Number(y)]!.fill(true, Number(x), Number(x) + Number(width));
  return rows;
}
