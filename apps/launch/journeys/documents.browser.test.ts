// Documents in a real browser: shown to the camera, read on the page, judged by the service,
// reported to the host.

import { findZoneFont } from '@limen/documents/testing/font/index.ts';
import { IS_LONG } from '@limen/testing/rounds.ts';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { chromiumPath } from '../../server/testing/browser.ts';
import { loadLanguage } from '../src/i18n/index.ts';
import { photographBlankCard, photographDocument, readTruth, scanDocument } from '../testing/camera/documents.ts';
import { openJourneys } from '../testing/journeys/journey.ts';
import {
  chooseKind,
  EXPIRED,
  expectNothingOfDocument,
  listDocumentFlags,
  ownDocument,
  readOutcome,
  SITTER,
  SKIPPABLE_TIME,
  STRANGER,
  showDocument,
  sitterAge,
  startWithDocument,
  watchRequests,
} from '../testing/journeys/journey-documents.ts';
import {
  cancelCheck,
  expectOutcome,
  listErrorCodes,
  press,
  waitForHeading,
  waitForText,
  watchChannel,
} from '../testing/journeys/journey-steps.ts';

vi.setConfig({ testTimeout: 240_000 });

const DOCUMENT_ONLY = { requirements: ['identity_document' as const] };
const BOTH = { requirements: ['face' as const, 'identity_document' as const] };
const PASSPORT = { type: 'passport', country: 'DEU', verifiedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/) };
const PASSED = { sessionStatus: 'AGE_ABOVE_THRESHOLD', flowStatus: 'COMPLETED', errors: [] };
/** Longer than the page's limit for one side. */
const PAST_PATIENCE_MS = 46_000;

if (chromiumPath && !findZoneFont())
  console.warn('No OCR-B font: skipping documents with a zone, which cannot be rendered.');

describe.skipIf(!chromiumPath)('a document', async () => {
  const journeys = await openJourneys(afterAll);
  const withZoneWhenLong = it.skipIf(!findZoneFont() || !IS_LONG);

  withZoneWhenLong('decides the age if the face could not, and reveals nothing else', async () => {
    const wish = ownDocument('passport');
    let sent: ReturnType<typeof watchRequests> = [];
    const journey = await journeys.begin({
      session: { ageThreshold: 99, documentAgeThreshold: 18, stepUpEnabled: true, documentAgeReturnFormat: 'both' },
      camera: { document: await photographDocument(wish) },
      prepare: async (context) => {
        sent = watchRequests(context);
      },
    });
    const { page, camera, trail } = journey;
    await journey.start();
    await journey.waitForScreen('document', 150_000);
    await waitForText(page, 'Your face alone was not enough. A document settles it.');
    expect(await camera.isOff()).toBe(true);
    await showDocument(journey, 'passport');
    const outcome = await readOutcome(journey);
    expect(await page.locator('h1').textContent()).toBe('Done');
    expect(trail.some((step) => step.startsWith('document_capture'))).toBe(true);
    expect(await camera.measure()).toMatchObject({ facing: ['user', 'environment'], isOff: true });

    expect(outcome).toMatchObject(PASSED);
    const exact = sitterAge();
    expect(outcome['result']).toEqual({
      facialAgeEstimation: { thresholdResult: 'AGE_BELOW_THRESHOLD' },
      documentAge: { thresholdResult: 'AGE_ABOVE_THRESHOLD', exact },
      document: PASSPORT,
      faceMatch: true,
      confidenceScore: expect.any(Number),
    });
    expect((outcome['result'] as { confidenceScore: number }).confidenceScore).toBeGreaterThan(0.6);
    expect(listDocumentFlags(outcome)).toEqual([]);

    const number = (await readTruth(wish)).lines![1]!.slice(0, 9);
    const [year, month, day] = SITTER.birth.split('-') as [string, string, string];
    const spellings = [
      SITTER.birth,
      `${year}${month}${day}`,
      `${year.slice(2)}${month}${day}`,
      `${day}.${month}.${year}`,
    ];
    expectNothingOfDocument(sent, [SITTER.surname, SITTER.givenNames, number, ...spellings]);
    expect(sent.filter(({ url }) => !url.startsWith(`${journeys.url}/`))).toEqual([]);
  });

  // Other tests of the short run cover a stranger's face.
  withZoneWhenLong('is rejected if it shows another face, whatever the ages', async () => {
    const document = await photographDocument(ownDocument('passport', { face: STRANGER }));
    const journey = await journeys.begin({
      session: { requirements: ['identity_document', 'face'] },
      camera: { document },
    });
    const { page, camera } = journey;
    await startWithDocument(journey);
    await showDocument(journey, 'passport');
    const outcome = await readOutcome(journey);
    expect(await page.locator('h1').textContent()).toBe('The check did not work');
    await waitForText(page, 'The photo on the document does not match your face well enough.');
    expect(await camera.measure()).toMatchObject({ facing: ['environment', 'user'], isOff: true });
    expect(outcome).toMatchObject({ sessionStatus: 'AGE_UNKNOWN', flowStatus: 'COMPLETED' });
    expect(listErrorCodes(outcome)).toEqual([-9]);
    const score = expect.any(Number);
    expect(outcome['result']).toEqual({ faceMatch: false, confidenceScore: score, document: PASSPORT });
    expect((outcome['result'] as { confidenceScore: number }).confidenceScore).toBeLessThan(0.3);
  });

  withZoneWhenLong('is rejected when expired, and passes with a valid one at the next try', async () => {
    const journey = await journeys.begin({
      session: { ...DOCUMENT_ONLY, documentAgeThreshold: 40 },
      camera: { document: await photographDocument(ownDocument('passport', EXPIRED)) },
    });
    const { page, camera } = journey;
    const { log } = watchChannel(page);
    await startWithDocument(journey);
    await showDocument(journey, 'passport');
    await waitForHeading(page, 'This document has expired');
    await waitForText(page, 'Use a document that is still valid.');
    // The camera is off while the person reads.
    expect(await camera.isOff()).toBe(true);
    await camera.lay(await photographDocument(ownDocument('passport')));
    await press(page, 'Use another document');
    await showDocument(journey, 'passport');
    const outcome = await readOutcome(journey);
    expect(outcome).toMatchObject(PASSED);
    expect(outcome['result']).toEqual({ documentAge: { thresholdResult: 'AGE_ABOVE_THRESHOLD' }, document: PASSPORT });
    expect(log.map(([event, step]) => [event, step])).toEqual([
      ['started', 0],
      ['retried', 0],
    ]);
  });

  // The tests of the step and the page also cover tries.
  it.skipIf(!IS_LONG)('ends the check with its code after three failed reads', async () => {
    const journey = await journeys.begin({
      session: DOCUMENT_ONLY,
      camera: { document: await photographBlankCard() },
      prepare: (context) => context.addInitScript({ content: SKIPPABLE_TIME }),
    });
    const { page, camera, waitForScreen } = journey;
    await startWithDocument(journey);
    await showDocument(journey, 'card');
    for (const left of ['You have 2 more tries.', 'You have 1 more try.', null]) {
      await waitForScreen('document_capture');
      // Waits until the page has analyzed a frame.
      await page.locator('[data-screen="document_capture"]:not([data-tone="wait"])').waitFor({ state: 'attached' });
      await page.evaluate(`skipTime(${PAST_PATIENCE_MS})`);
      if (left === null) break;
      await waitForHeading(page, 'We could not read it');
      await waitForText(page, left);
      await press(page, 'Try again');
      await waitForScreen('document_hold');
      await page.locator('[data-screen="document_hold"] .primary').click();
    }
    await waitForHeading(page, 'Your document could not be used');
    expect(await camera.isOff()).toBe(true);
    await expectOutcome(journey, 'CANCELLED', [-23]);
  });

  withZoneWhenLong('may be a file if the host allows it, which is reported to the host', async () => {
    const buffer = await scanDocument(ownDocument('passport'));
    const journey = await journeys.begin({ session: { ...DOCUMENT_ONLY, enableDocumentFile: true } });
    const { page, camera } = journey;
    await startWithDocument(journey);
    await chooseKind(journey, 'passport');
    const picture = page.locator('input[type="file"]');
    await picture.setInputFiles({ name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('not a picture') });
    await waitForHeading(page, 'This photo cannot be used');
    await press(page, 'Try again');
    await picture.setInputFiles({ name: 'passport.png', mimeType: 'image/png', buffer });
    const outcome = await readOutcome(journey);
    expect(outcome).toMatchObject(PASSED);
    expect(outcome['result']).toEqual({ documentAge: { thresholdResult: 'AGE_ABOVE_THRESHOLD' }, document: PASSPORT });
    expect(listDocumentFlags(outcome)).toEqual(['DOCUMENT_FROM_FILE']);
    expect(await camera.timesOpened()).toBe(0);
  });

  withZoneWhenLong('cannot be a file if the host does not allow it', async () => {
    const journey = await journeys.begin({ session: DOCUMENT_ONLY });
    await startWithDocument(journey);
    await chooseKind(journey, 'passport');
    expect(await journey.page.locator('input[type="file"]').count()).toBe(0);
    expect(await journey.page.getByRole('button', { name: 'Choose a photo instead' }).count()).toBe(0);
  });

  withZoneWhenLong.each([
    ['check_digit', 'The letters on it do not fit together'],
    ['no_birth', 'No date of birth on it'],
  ] as const)('is rejected with the reason, and has a code when given up: %s', async (fault, heading) => {
    const journey = await journeys.begin({
      session: DOCUMENT_ONLY,
      camera: { document: await photographDocument(ownDocument('passport', { break: fault })) },
    });
    await startWithDocument(journey);
    await showDocument(journey, 'passport');
    await waitForHeading(journey.page, heading);
    await cancelCheck(journey.page);
    await waitForHeading(journey.page, 'Cancelled');
    await expectOutcome(journey, 'CANCELLED', [-23]);
  });

  withZoneWhenLong('is not turned over if one side has everything', async () => {
    const journey = await journeys.begin({
      session: { requirements: ['identity_document', 'face'] },
      camera: { document: await photographDocument(ownDocument('card_td2')) },
    });
    await startWithDocument(journey);
    await showDocument(journey, 'card');
    const outcome = await readOutcome(journey);
    expect(outcome).toMatchObject(PASSED);
    expect(outcome['result']).toMatchObject({ faceMatch: true, document: { type: 'identity_card', country: 'DEU' } });
    expect(journey.trail.filter((step) => /turnOver|fitZone/.test(step))).toEqual([]);
  });

  withZoneWhenLong(
    'is requested after the face, in Japanese, and its age is reported as the host wants it',
    async () => {
      const words = await loadLanguage('ja');
      const journey = await journeys.begin({
        session: { ...BOTH, locale: 'ja', documentAgeReturnFormat: 'exact', documentAgeThreshold: 60 },
        camera: { document: await photographDocument(ownDocument('passport')), size: { width: 1280, height: 720 } },
      });
      const { page } = journey;
      await journey.start();
      await journey.waitForScreen('document', 150_000);
      expect(await page.locator('html').getAttribute('lang')).toBe('ja');
      expect(await page.locator('h1').textContent()).toBe(words.text('document.heading'));
      await showDocument(journey, 'passport');
      const outcome = await readOutcome(journey);
      // The document takes precedence over the face.
      expect(outcome).toMatchObject({ sessionStatus: 'AGE_BELOW_THRESHOLD', flowStatus: 'COMPLETED', errors: [] });
      expect(outcome['result']).toEqual({
        facialAgeEstimation: { thresholdResult: 'AGE_ABOVE_THRESHOLD' },
        documentAge: { thresholdResult: 'AGE_BELOW_THRESHOLD', exact: sitterAge() },
        document: PASSPORT,
        faceMatch: true,
        confidenceScore: expect.any(Number),
      });
    },
  );

  withZoneWhenLong('needs only a card’s back and no face models if it is the only step', async () => {
    let sent: ReturnType<typeof watchRequests> = [];
    const journey = await journeys.begin({
      session: { ...DOCUMENT_ONLY, documentAgeReturnFormat: 'exact' },
      camera: { document: await photographDocument(ownDocument('card')) },
      prepare: async (context) => {
        sent = watchRequests(context);
      },
    });
    await startWithDocument(journey);
    await showDocument(journey, 'card');
    const outcome = await readOutcome(journey);
    expect(outcome).toMatchObject(PASSED);
    expect(outcome['result']).toEqual({
      age: sitterAge(),
      documentAge: { thresholdResult: 'AGE_ABOVE_THRESHOLD', exact: sitterAge() },
      document: { ...PASSPORT, type: 'identity_card' },
    });
    expect(journey.trail.filter((step) => step.includes('fitPortrait') || step.includes('turnOver'))).toEqual([]);
    const models = sent.filter(({ url }) => url.includes('.onnx')).map(({ url }) => new URL(url).pathname);
    expect(models).toEqual([expect.stringMatching(/ocr-b/)]);
    expect(sent.filter(({ url }) => /zxing/.test(url))).toEqual([]);
  });

  withZoneWhenLong('is read from a screen and flagged to the host', async () => {
    // A grid coarse enough for the camera. Finer ones pass (docs/how-a-check-works.md).
    const shown = { screen: 'monitor', camera: 'phone' } as const;
    const journey = await journeys.begin({
      session: DOCUMENT_ONLY,
      camera: { document: await photographDocument(ownDocument('passport', { how: 'on_screen', shown })) },
    });
    await startWithDocument(journey);
    await showDocument(journey, 'passport');
    const outcome = await readOutcome(journey);
    expect(outcome).toMatchObject(PASSED);
    expect(listDocumentFlags(outcome)).toEqual(['DOCUMENT_ON_SCREEN']);
    expect(outcome['riskEvaluation']).not.toMatchObject({ recommendation: 'ALLOW' });
  });

  withZoneWhenLong('has both sides captured before the face', async () => {
    const journey = await journeys.begin({
      session: { requirements: ['identity_document', 'face'] },
      camera: { document: await photographDocument(ownDocument('card')) },
    });
    await startWithDocument(journey);
    await showDocument(journey, 'card');
    const outcome = await readOutcome(journey);
    expect(outcome).toMatchObject(PASSED);
    expect(outcome['result']).toMatchObject({ faceMatch: true, document: { type: 'identity_card', country: 'DEU' } });
    expect(await journey.camera.measure()).toMatchObject({ facing: ['environment', 'user'], isOff: true });
    expect(journey.trail).toContain('document_capture scan.gotIt');
  });

  withZoneWhenLong('is not requested if the face is enough', async () => {
    const journey = await journeys.begin({
      session: { ageThreshold: 16, stepUpEnabled: true },
      camera: { document: await photographDocument(ownDocument('passport')) },
    });
    await journey.start();
    const outcome = await readOutcome(journey);
    expect(outcome).toMatchObject(PASSED);
    expect(outcome['result']).toEqual({ facialAgeEstimation: { thresholdResult: 'AGE_ABOVE_THRESHOLD' } });
    expect(journey.trail.filter((step) => step.startsWith('document'))).toEqual([]);
  });

  it.skipIf(!IS_LONG).each([
    ['licence_us', 'USA'],
    ['licence_ca', 'CAN'],
  ] as const)('is read by its barcode after the side with the photo if it is a license: %s', async (kind, country) => {
    const journey = await journeys.begin({
      session: BOTH,
      camera: { document: await photographDocument(ownDocument(kind)) },
    });
    await journey.start();
    await showDocument(journey, 'licence');
    const outcome = await readOutcome(journey);
    expect(outcome).toMatchObject(PASSED);
    expect(outcome['result']).toMatchObject({ faceMatch: true, document: { type: 'driving_licence', country } });
    expect(journey.trail).toContain('document_capture scan.gotIt');
  });

  withZoneWhenLong('starts again with the face after a reload, and still passes', async () => {
    const journey = await journeys.begin({
      session: BOTH,
      camera: { document: await photographDocument(ownDocument('passport')) },
    });
    const { page } = journey;
    const { log } = watchChannel(page);
    await journey.start();
    await chooseKind(journey, 'passport');
    await expect.poll(() => log.at(-1)?.slice(0, 2)).toEqual(['started', 1]);
    await page.reload();
    await press(page, 'Continue');
    await press(page, 'Turn on the camera');
    await showDocument(journey, 'passport');
    const outcome = await readOutcome(journey);
    expect(outcome).toMatchObject(PASSED);
    expect(outcome['result']).toMatchObject({ faceMatch: true, document: PASSPORT });
    const course = log
      .map(([event, step]) => [event, step])
      .filter(([event]) => /^(started|retried|finished)$/.test(`${event}`));
    expect(course.slice(0, 6)).toEqual([
      ...[
        ['started', 0],
        ['finished', 0],
        ['started', 1],
      ],
      ...[
        ['retried', 0],
        ['finished', 0],
        ['started', 1],
      ],
    ]);
  });
});
