// More enrollments and sign-ins for the long run: repeats, shared devices, wrong and deleted
// people, handoff, and a missing key-holder.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { findZoneFont } from '@limen/documents/testing/font/index.ts';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import { createTestDatabase } from '../../server/testing/database/test-database.ts';
import { startKeyHolder } from '../../server/testing/faces/key-holder-process.ts';
import { photographDocument } from '../testing/camera/documents.ts';
import { STRANGER as NOT_THE_SITTER, ownDocument, showDocument } from '../testing/journeys/journey-documents.ts';
import { COMPUTER, PHONE, press, waitForHeading, waitForText } from '../testing/journeys/journey-steps.ts';
import {
  confirmPasskey,
  createWrongCode,
  moveToPhone,
  openVerificationJourneys,
  readReturnCode,
  readWebhook,
  replaceSitter,
  SHOP_URL,
  type Shop,
  STRANGER,
  typeReturnCode,
  type VerificationJourneys,
  type Visitor,
} from '../testing/journeys/verification-journey.ts';

vi.setConfig({ testTimeout: 600_000 });

describe.skipIf(!chromiumPath)('people with faces', async () => {
  const journeys = await openVerificationJourneys(afterAll);

  it('are one person when enrolled twice, and are rejected when compared with another person', async () => {
    const shop = await journeys.openShop();
    const [ann, bob] = [await journeys.openVisitor(), await journeys.openVisitor({ camera: { portrait: STRANGER } })];
    const first = await enroll(journeys, shop, ann);
    const again = await enroll(journeys, shop, await journeys.openVisitor());
    expect(again).toMatchObject({ puid: first['puid'], message: 'User already enrolled' });
    const other = await enroll(journeys, shop, bob);
    expect(other['puid']).not.toBe(first['puid']);

    const right = await journeys.invite(shop, 'VERIFY', { userId: first['puid'] as string });
    await ann.open(right);
    await ann.start();
    expect(await ann.finish()).toBe('It is you');
    expect(await readWebhook(right)).toMatchObject({ status: 'SUCCESS', puid: first['puid'] });

    const wrong = await journeys.invite(shop, 'VERIFY', { userId: first['puid'] as string });
    await bob.open(wrong);
    await bob.start();
    for (let left = 2; left > 0; left -= 1) {
      await bob.waitForScreen('not_recognized');
      await press(bob.page, 'Try again');
      await bob.waitForScreen('capture');
    }
    expect(await bob.finish()).toBe('You were not recognized');
    expect(await readWebhook(wrong)).toEqual({
      status: 'error',
      message: 'Face authentication failed',
      errorCodes: [153],
      sessionId: wrong.sessionId,
    });
    // A device that knows a face does not forget it after a comparison with another person.
    const own = await journeys.invite(shop, 'SIGN-IN');
    await bob.open(own);
    await bob.start();
    expect(await bob.finish()).toBe('Welcome back');
    expect(bob.calls).not.toContain('token');
    expect(await readWebhook(own)).toMatchObject({ status: 'SUCCESS', puid: other['puid'] });
  });

  it('can use their passkey in a cleared browser, and are rejected without it', async () => {
    const shop = await journeys.openShop();
    const ann = await journeys.openVisitor();
    const requirements: ('face' | 'passkey')[] = ['face', 'passkey'];
    const enrollment = await journeys.invite(shop, 'ENROLL', { requirements, contact: ['email', 'phone'] });
    await ann.open(enrollment);
    await ann.start();
    await ann.waitForScreen('contact');
    await ann.page.getByLabel('Email address').fill('ann@example.org');
    await press(ann.page, 'Continue');
    await confirmPasskey(ann, 'Make the passkey');
    expect(await ann.finish()).toBe('You are all set');
    const { puid, contactInformation } = await readWebhook(enrollment);
    expect(contactInformation).toEqual({ email: 'ann@example.org' });

    await ann.clearSiteData();
    const signIn = await journeys.invite(shop, 'SIGN-IN', { requirements });
    await ann.open(signIn);
    await ann.start();
    await confirmPasskey(ann, 'Use the passkey');
    expect(await ann.finish()).toBe('Welcome back');
    expect(ann.calls).toContain('token');
    const outcome = await readWebhook(signIn);
    expect(outcome).toMatchObject({ status: 'SUCCESS', puid, riskEvaluation: { recommendation: 'ALLOW' } });

    // Her face in a browser without her passkey.
    const twin = await journeys.openVisitor();
    const without = await journeys.invite(shop, 'SIGN-IN', { requirements });
    await twin.open(without);
    await twin.start();
    await confirmPasskey(twin, 'Use the passkey');
    await waitForHeading(twin.page, 'That did not work');
    await press(twin.page, 'Cancel');
    await press(twin.page, 'Yes, cancel');
    await twin.finish();
    expect((await readWebhook(without))['status']).not.toBe('SUCCESS');
  });

  it.skipIf(!findZoneFont())('enroll with their own document but not with another person’s', async () => {
    const shop = await journeys.openShop();
    const requirements: ('face' | 'identity_document')[] = ['face', 'identity_document'];
    const stranger = ownDocument('passport', { face: NOT_THE_SITTER });
    const other = await journeys.openVisitor({ camera: { document: await photographDocument(stranger) } });
    const refused = await journeys.invite(shop, 'ENROLL', { requirements });
    await other.open(refused);
    await other.start();
    await showDocument(other, 'passport');
    await other.finish();
    const outcome = await readWebhook(refused);
    expect(outcome).toMatchObject({ status: 'FAILED', errors: [{ code: -9 }] });
    expect(outcome).not.toHaveProperty('puid');

    const own = await journeys.openVisitor({ camera: { document: await photographDocument(ownDocument('passport')) } });
    const enrollment = await journeys.invite(shop, 'ENROLL', { requirements });
    await own.open(enrollment);
    await own.start();
    await showDocument(own, 'passport');
    expect(await own.finish()).toBe('You are all set');
    // The failed try enrolled no one.
    expect(await readWebhook(enrollment)).toMatchObject({
      status: 'SUCCESS',
      message: 'Enrollment successful',
      puid: expect.any(String),
      identityInformation: { documentType: 'passport', verificationDate: expect.stringMatching(/^\d{13}$/) },
    });
  });

  it('are told apart in a shared browser, and all forgotten at once', async () => {
    const shop = await journeys.openShop();
    const both = await journeys.openVisitor();
    const first = await enroll(journeys, shop, both);
    await replaceSitter(both, STRANGER);
    const second = await enroll(journeys, shop, both);
    expect(second['puid']).not.toBe(first['puid']);
    const here = await journeys.invite(shop, 'SIGN-IN');
    await both.open(here);
    await both.start();
    expect(await both.finish()).toBe('Welcome back');
    expect(both.calls).toContain('token/local');
    expect(both.calls).not.toContain('token');
    expect(await readWebhook(here)).toMatchObject({ puid: second['puid'] });

    const forgetful = await journeys.invite(shop, 'SIGN-IN');
    await both.open(forgetful);
    await both.waitForScreen('welcome');
    await press(both.page, 'Forget me on this device');
    await press(both.page, 'Yes, forget');
    await waitForText(both.page, 'This browser has forgotten you.');
    await both.start();
    expect(await both.finish()).toBe('Welcome back');
    expect(both.calls.filter((call) => call === 'token/forget')).toHaveLength(2);
    expect(both.calls).not.toContain('token/local');
    expect(await readWebhook(forgetful)).toMatchObject({ puid: second['puid'] });
  });

  it('are unknown everywhere after deletion, even on their own device', async () => {
    const shop = await journeys.openShop();
    const ann = await journeys.openVisitor();
    const { puid } = await enroll(journeys, shop, ann);
    const deletion = await fetch(`${journeys.url}/node/FACE3_1/deleteUser`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': shop.apiKey },
      body: JSON.stringify({ api_key: shop.apiKey, puid }),
    });
    expect(deletion.status).toBe(200);
    const visit = await journeys.invite(shop, 'SIGN-IN');
    await ann.open(visit);
    await ann.start();
    await ann.waitForScreen('not_recognized');
    // The device still knew the face, but the service knew neither the device nor a token.
    expect(ann.calls).toContain('token/local');
    expect(ann.calls).toContain('token');
    await press(ann.page, 'Cancel');
    await press(ann.page, 'Yes, cancel');
    expect(await ann.finish()).toBe('You were not recognized');
    expect(await readWebhook(visit)).toMatchObject({ status: 'error', errorCodes: [153] });
  });

  it('can continue from a computer on a phone, which the computer follows to the end', async () => {
    const shop = await journeys.openShop();
    const [computer, phone] = [
      await journeys.openVisitor({ context: COMPUTER }),
      await journeys.openVisitor({ context: PHONE }),
    ];
    const visit = await journeys.invite(shop, 'ENROLL', { enableDesktop: false });
    await computer.open(visit);
    await press(computer.page, 'Continue');
    await moveToPhone(visit, computer, phone);
    await typeReturnCode(computer, await readReturnCode(phone));
    await waitForHeading(computer.page, 'You are all set');
    const { puid } = await readWebhook(visit);
    expect(await computer.camera.timesOpened()).toBe(0);

    // The phone now knows the face; the computer stored nothing.
    const here = await journeys.invite(shop, 'SIGN-IN');
    await phone.open(here);
    await phone.start();
    expect(await phone.finish()).toBe('Welcome back');
    expect(phone.calls).not.toContain('token');
    expect(await readWebhook(here)).toMatchObject({ puid });

    // An attacker starts a sign-in and has her finish it. Her phone shows the code that the
    // attacker's page lacks.
    const bait = await journeys.invite(shop, 'SIGN-IN');
    const thief = await journeys.openVisitor({ context: COMPUTER });
    const letIn: string[] = [];
    thief.page.on('request', (request) => request.url().startsWith(SHOP_URL) && letIn.push(request.url()));
    await thief.open(bait);
    await press(thief.page, 'Use another device');
    await moveToPhone(bait, thief, phone);
    const code = await readReturnCode(phone);
    for (const [by, left] of [
      [1, 'You have 2 more tries.'],
      [2, 'You have 1 more try.'],
    ] as const) {
      await typeReturnCode(thief, createWrongCode(code, by));
      await waitForText(thief.page, left);
    }
    await typeReturnCode(thief, createWrongCode(code, 3));
    await waitForHeading(thief.page, 'The code was wrong too often');
    // The right code is void by now too.
    await thief.page.reload();
    await waitForHeading(thief.page, 'The code was wrong too often');
    expect(letIn).toEqual([]);
    const outcome = await readWebhook(bait);
    expect(outcome).toMatchObject({ status: 'SUCCESS', puid, riskEvaluation: { recommendation: 'REVIEW' } });
  });
});

describe.skipIf(!chromiumPath)('a service whose key-holder is gone', () => {
  it('shows the problem, continues without the key-holder if possible, and recovers once it is back', async () => {
    const folder = await createTestDatabase();
    onTestFinished(() => folder.dispose());
    const secret = randomBytes(32).toString('base64');
    const settings = {
      KEYHOLDER_SECRET: secret,
      KEYHOLDER_DATA_DIR: join(folder.dataDir, 'holder'),
      KEYHOLDER_MASTER_KEY: randomBytes(32).toString('base64'),
    };
    const holder = await startKeyHolder(settings);
    const environment = { KEYHOLDER_URL: holder.address, KEYHOLDER_SECRET: secret };
    const journeys = await openVerificationJourneys(onTestFinished, environment);
    const shop = await journeys.openShop();
    const ann = await journeys.openVisitor();
    const { puid } = await enroll(journeys, shop, ann);
    await holder.stop('SIGKILL');

    const here = await journeys.invite(shop, 'SIGN-IN');
    await ann.open(here);
    await ann.start();
    expect(await ann.finish()).toBe('Welcome back');
    expect(await readWebhook(here)).toMatchObject({ status: 'SUCCESS', puid });

    const visit = await journeys.invite(shop, 'SIGN-IN');
    const elsewhere = await journeys.openVisitor();
    await elsewhere.open(visit);
    await elsewhere.start();
    await elsewhere.waitForScreen('problem');
    expect(await elsewhere.page.locator('h1').textContent()).toBe('Not possible right now');
    expect((await visit.result()).status).toBe('PENDING');

    await startKeyHolder({ ...settings, KEYHOLDER_PORT: new URL(holder.address).port });
    await expect.poll(async () => (await fetch(`${journeys.url}/ready`)).text()).toMatch(/"keyholder":"ready"/);
    await press(elsewhere.page, 'Try again');
    expect(await elsewhere.finish()).toBe('Welcome back');
    expect(await readWebhook(visit)).toMatchObject({ status: 'SUCCESS', puid });
  });
});

/** Enrolls a person and returns the webhook. */
async function enroll(journeys: VerificationJourneys, shop: Shop, visitor: Visitor): Promise<Record<string, unknown>> {
  const visit = await journeys.invite(shop, 'ENROLL');
  await visitor.open(visit);
  await visitor.start();
  expect(await visitor.finish()).toBe('You are all set');
  const outcome = await readWebhook(visit);
  expect(outcome).toMatchObject({ status: 'SUCCESS', errors: [] });
  return outcome;
}
