// Runs the same journeys in every installed engine. The short run has one: the document in WebKit,
// which differs most from Chromium.

import { findZoneFont } from '@limen/documents/testing/font/index.ts';
import { IS_LONG, onlyWhenLong } from '@limen/testing/rounds.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../../testing/postgres-cluster.ts';
import { chromiumPath } from '../../server/testing/browser.ts';
import { photographDocument } from '../testing/camera/documents.ts';
import { startHostSite } from '../testing/embedding/host-site.ts';
import type { Engine } from '../testing/engines/engine.ts';
import { openDevice } from '../testing/engines/engine-device.ts';
import { ENGINES } from '../testing/engines/engines.ts';
import { createJourneyRecord } from '../testing/engines/journey-record.ts';
import { openJourneys } from '../testing/journeys/journey.ts';
import { ownDocument } from '../testing/journeys/journey-documents.ts';
import { openVerificationJourneys, readWebhook } from '../testing/journeys/verification-journey.ts';

vi.setConfig({ testTimeout: 300_000 });

const PASSED = { sessionStatus: 'AGE_ABOVE_THRESHOLD', flowStatus: 'COMPLETED', errors: [] };
const PATIENT_MS = 120_000;
const record = createJourneyRecord();
const MET = onlyWhenLong(
  ENGINES,
  ENGINES.filter(({ name }) => name === 'WebKit'),
);

describe.skipIf(!chromiumPath).each(MET)('in $name', async ({ isThere, start }) => {
  const journeys = await openJourneys(afterAll);
  const whenLong = it.runIf(isThere && IS_LONG);
  let engine: Engine;
  beforeAll(async () => {
    if (!isThere) return;
    engine = await start();
    record.meet(engine);
  });
  afterAll(async () => {
    await engine?.close();
    record.keep();
  });

  whenLong('completes a face check, and the host gets the outcome', async () => {
    const end = record.begin(engine, 'Age by face');
    const { launchUrl, token } = await journeys.host.ageSessions.create({ enableDesktop: true });
    const person = await openDevice({ engine, url: journeys.url });
    await person.open(launchUrl);
    await person.start();
    await person.waitForScreen('end', PATIENT_MS);
    const reply = await journeys.host.ageSessions.result(token);
    expect(reply, (await person.trail()).join()).toMatchObject(PASSED);
    expect(await person.read('h1')).toBe('Done');
    expect(await person.camera.isOff()).toBe(true);
    expect((await person.trail()).filter((step) => step.includes('challenge.')).length).toBeGreaterThan(0);
    end('works');
  });

  const withZone = it.runIf(isThere && findZoneFont());
  withZone('completes a passport check', async () => {
    const end = record.begin(engine, 'Document');
    const { launchUrl, token } = await journeys.host.ageSessions.create({
      enableDesktop: true,
      requirements: ['identity_document'],
    });
    const document = await photographDocument(ownDocument('passport'));
    const person = await openDevice({ engine, url: journeys.url, camera: { document } });
    await person.open(launchUrl);
    await person.waitForScreen('welcome');
    await person.click('[data-screen="welcome"] button');
    await person.waitForScreen('document');
    await person.click('[data-kind="passport"]');
    await person.waitForScreen('document_hold');
    await person.click('[data-screen="document_hold"] .primary');
    await person.waitForScreen('end', PATIENT_MS);
    const reply = await journeys.host.ageSessions.result(token);
    expect(reply, (await person.trail()).join()).toMatchObject(PASSED);
    expect(reply.result).toMatchObject({ document: { type: 'passport', country: 'DEU' } });
    end('works');
  });

  whenLong('hands off from a computer to a phone, and ends with it', async () => {
    const end = record.begin(engine, 'Handoff to a phone');
    const { launchUrl, token } = await journeys.host.ageSessions.create({ enableDesktop: false });
    const computer = await openDevice({ engine, url: journeys.url });
    await computer.open(launchUrl);
    await computer.press('Continue');
    await computer.waitForScreen('handoff');
    await computer.tab.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(new Error('closed')))");
    await computer.press('Copy the link');
    const link = await computer.read('p.link');
    const phone = await openDevice({ engine, url: journeys.url, isPhone: true });
    await phone.open(link);
    await phone.waitForHeading('Did you start this yourself?');
    await phone.press(await computer.read('.compare .number'));
    await phone.waitForScreen('permission');
    await phone.click('[data-screen="permission"] button');
    await phone.waitForScreen('end', PATIENT_MS);
    await computer.waitForHeading('Done');
    expect(await journeys.host.ageSessions.result(token)).toMatchObject(PASSED);
    expect(await computer.camera.timesOpened()).toBe(0);
    end('works');
  });

  whenLong('completes a face check in a host’s page, which is notified of the end', async () => {
    const end = record.begin(engine, 'Inside a host’s page');
    const site = await startHostSite();
    const { apiKeys } = journeys.app;
    const { id } = (await apiKeys.list()).find(({ kind }) => kind === 'development')!;
    await apiKeys.limitOrigins(id, [site.url]);
    onTestFinished(async () => void (await apiKeys.limitOrigins(id, [])));
    const { launchUrl, token } = await journeys.host.ageSessions.create({ enableDesktop: true });
    const person = await openDevice({ engine, url: journeys.url });
    const { pathname, search } = new URL(launchUrl);
    site.show(`<limen-check launch-url="${person.origin}${pathname}${search}"></limen-check>
      <script>
        for (const type of ['ready', 'resize', 'ended', 'error'])
          document.querySelector('limen-check').addEventListener(type, () => (document.body.dataset[type] = 'yes'));
      </script>`);
    await person.tab.go(site.url);
    const reply = () => person.tab.evaluate('({ ...document.body.dataset })');
    await expect.poll(reply, { timeout: PATIENT_MS }).toEqual({ ready: 'yes', resize: 'yes' });
    await person.tab.enter("document.querySelector('limen-check').shadowRoot.querySelector('iframe')");
    await person.start();
    await person.waitForScreen('end', PATIENT_MS);
    expect(await journeys.host.ageSessions.result(token), (await person.trail()).join()).toMatchObject(PASSED);
    await person.tab.enter(null);
    expect(await reply()).toEqual({ ready: 'yes', resize: 'yes', ended: 'yes' });
    end('works');
  });

  whenLong('enrolls with a passkey, or shows that the browser has none', async () => {
    const end = record.begin(engine, 'Passkey');
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    const settings = { PASSKEY_RP_ID: 'localhost', PASSKEY_ORIGIN: origin };
    const { url, openShop, invite } = await openVerificationJourneys(onTestFinished, settings);
    const visit = await invite(await openShop(), 'ENROLL', { requirements: ['face', 'passkey'] });
    const person = await openDevice({ engine, url, port });
    await person.open(visit.launchUrl);
    await person.start();
    await person.waitForScreen('passkey', PATIENT_MS);
    if (await person.tab.evaluate("typeof PublicKeyCredential === 'undefined'")) {
      expect(await person.read('h1')).toBe('No passkeys in this browser');
      return end('told');
    }
    await person.press('Make the passkey');
    if (!engine.hasAuthenticator) return end('asked');
    await person.waitForScreen('end', PATIENT_MS);
    expect(await readWebhook(visit)).toMatchObject({ status: 'SUCCESS', message: 'Enrollment successful' });
    end('works');
  });
});
