// Enrollment and sign-in with a face in a real browser, with a passkey and a selfie. The long run
// adds other devices and the service's comparison.
import { afterAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import {
  confirmPasskey,
  openVerificationJourneys,
  readWebhook,
  SHOP_URL,
} from '../testing/journeys/verification-journey.ts';
import { findTraces } from '../testing/journeys/verification-traces.ts';

vi.setConfig({ testTimeout: 400_000 });

const WITH_PASSKEY: { requirements: ('face' | 'passkey')[] } = { requirements: ['face', 'passkey'] };

describe.skipIf(!chromiumPath)('a person with a face', async () => {
  const journeys = await openVerificationJourneys(afterAll);

  it('enrolls with a passkey and a selfie for the host, and signs in on the device with the passkey', async () => {
    const shop = await journeys.openShop();
    const ann = await journeys.openVisitor();
    const { page, calls } = ann;
    const arrivals: string[] = [];
    page.on('request', (request) => request.url().startsWith(SHOP_URL) && arrivals.push(request.url()));

    const enrollment = await journeys.invite(shop, 'ENROLL', { sendImages: true, ...WITH_PASSKEY });
    await ann.open(enrollment);
    await ann.waitForScreen('welcome');
    expect(await page.locator('main').textContent()).toContain(
      'One photo of your face is sent to the site that asked.',
    );
    await ann.start();
    await confirmPasskey(ann, 'Make the passkey');
    expect(await ann.finish()).toBe('You are all set');
    const { images, ...enrolled } = await readWebhook(enrollment);
    expect(enrolled).toMatchObject({ status: 'SUCCESS', message: 'Enrollment successful', errors: [] });
    const { puid, guid } = enrolled;
    expect(await enrollment.result()).toEqual({ type: 'ENROLL', ...enrolled });
    expect(images).toEqual([{ type: 'selfie', data: expect.any(String) }]);
    const selfie = Buffer.from((images as { data: string }[])[0]!.data, 'base64');
    expect(selfie.subarray(0, 3).toString('hex')).toBe('ffd8ff');
    expect(await page.evaluate(KEPT)).toEqual({ people: 1, extractable: false });

    const here = await journeys.invite(shop, 'SIGN-IN', WITH_PASSKEY);
    await ann.open(here);
    await ann.waitForScreen('welcome');
    expect(await page.locator('main').textContent()).toContain('Your picture stays on this device. It is not sent.');
    await ann.start();
    await confirmPasskey(ann, 'Use the passkey');
    expect(await ann.finish()).toBe('Welcome back');
    // Compared in the browser: nothing of the face left it, encrypted or not.
    expect(calls).toContain('token/local');
    expect(calls.filter((call) => ['token', 'token/challenge', 'selfie'].includes(call))).toEqual([]);
    const known = await readWebhook(here);
    expect(known).toMatchObject({ status: 'SUCCESS', message: 'Sign-in successful', puid, guid });
    expect(known).not.toHaveProperty('images');
    expect(listFlags(known)).not.toContain('NEW_DEVICE');

    await expect.poll(() => arrivals.at(-1)).toBe(SHOP_URL);

    // Only the host has the selfie: no file or log of the service contains it.
    expect(await findTraces(selfie, { folder: journeys.dataDir, text: journeys.app.logged() })).toEqual([]);
  });
});

function listFlags(outcome: Record<string, unknown>): string[] {
  return (outcome['riskEvaluation'] as { flags: string[] }).flags;
}

/** Runs on the page as text, so it must not be compiled here. */
const KEPT = `(async () => {
  const opened = await new Promise((resolve) => {
    const request = indexedDB.open('limen-people');
    request.onsuccess = () => resolve(request.result);
  });
  const isThere = opened.objectStoreNames.contains('people');
  const people = !isThere ? [] : await new Promise((resolve) => {
    const request = opened.transaction('people').objectStore('people').getAll();
    request.onsuccess = () => resolve(request.result);
  });
  opened.close();
  const keys = people.flatMap((person) => Object.values(person)).flatMap((value) =>
    value instanceof CryptoKey ? [value] : value?.privateKey ? [value.privateKey] : []);
  return { people: people.length, extractable: keys.some((key) => key.extractable) || (people.length > 0 && keys.length < 2) };
})()`;
