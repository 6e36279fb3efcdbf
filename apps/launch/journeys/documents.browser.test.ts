// Documents in a real browser: shown to a camera, read on the page, decided by the service, told to the host.

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
  codesOf,
  expectOutcome,
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
/** Past what the page gives for one side of a document. */
const PAST_PATIENCE_MS = 46_000;

if (chromiumPath && !findZoneFont()) console.warn('No OCR-B font: documents with a zone cannot be drawn, nor tested.');

describe.skipIf(!chromiumPath)('a document', async () => {
  const journeys = await openJourneys(afterAll);
  const withZoneWhenLong = it.skipIf(!findZoneFont() || !IS_LONG);

  withZoneWhenLong(
    'that is the person’s own settles what the face left open, and nothing else of it gets out',
    async () => {
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
      const told = await readOutcome(journey);
      expect(await page.locator('h1').textContent()).toBe('Done');
      expect(trail.some((step) => step.startsWith('document_capture'))).toBe(true);
      expect(await camera.measure()).toMatchObject({ facing: ['user', 'environment'], isOff: true });

      expect(told).toMatchObject(PASSED);
      const exact = sitterAge();
      expect(told['result']).toEqual({
        facialAgeEstimation: { thresholdResult: 'AGE_BELOW_THRESHOLD' },
        documentAge: { thresholdResult: 'AGE_ABOVE_THRESHOLD', exact },
        document: PASSPORT,
        faceMatch: true,
        confidenceScore: expect.any(Number),
      });
      expect((told['result'] as { confidenceScore: number }).confidenceScore).toBeGreaterThan(0.6);
      expect(listDocumentFlags(told)).toEqual([]);

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
    },
  );

  // The short run refuses a stranger's face in the sign-in's journey, and one on a document in the rules of each side.
  withZoneWhenLong('that is somebody else’s, shown before the face, is refused whatever the ages', async () => {
    const document = await photographDocument(ownDocument('passport', { face: STRANGER }));
    const journey = await journeys.begin({
      session: { requirements: ['identity_document', 'face'] },
      camera: { document },
    });
    const { page, camera } = journey;
    await startWithDocument(journey);
    await showDocument(journey, 'passport');
    const told = await readOutcome(journey);
    expect(await page.locator('h1').textContent()).toBe('The check did not work');
    await waitForText(page, 'The photo on the document does not match your face well enough.');
    expect(await camera.measure()).toMatchObject({ facing: ['environment', 'user'], isOff: true });
    expect(told).toMatchObject({ sessionStatus: 'AGE_UNKNOWN', flowStatus: 'COMPLETED' });
    expect(codesOf(told)).toEqual([-9]);
    const score = expect.any(Number);
    expect(told['result']).toEqual({ faceMatch: false, confidenceScore: score, document: PASSPORT });
    expect((told['result'] as { confidenceScore: number }).confidenceScore).toBeLessThan(0.3);
  });

  withZoneWhenLong('that has expired is told so, and one that is valid passes at the next try', async () => {
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
    // Nobody is looked at while they read.
    expect(await camera.isOff()).toBe(true);
    await camera.lay(await photographDocument(ownDocument('passport')));
    await press(page, 'Use another document');
    await showDocument(journey, 'passport');
    const told = await readOutcome(journey);
    expect(told).toMatchObject(PASSED);
    expect(told['result']).toEqual({ documentAge: { thresholdResult: 'AGE_ABOVE_THRESHOLD' }, document: PASSPORT });
    expect(log.map(([event, step]) => [event, step])).toEqual([
      ['started', 0],
      ['retried', 0],
    ]);
  });

  // The tries are also counted in the tests of the step and of the page.
  it.skipIf(!IS_LONG)('that cannot be read three times over ends the check with its code', async () => {
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
      // Nobody is put off before the page has seen what there is.
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

  withZoneWhenLong('can come as a file where the host allows it, which is told to the host', async () => {
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
    const told = await readOutcome(journey);
    expect(told).toMatchObject(PASSED);
    expect(told['result']).toEqual({ documentAge: { thresholdResult: 'AGE_ABOVE_THRESHOLD' }, document: PASSPORT });
    expect(listDocumentFlags(told)).toEqual(['DOCUMENT_FROM_FILE']);
    expect(await camera.timesOpened()).toBe(0);
  });

  withZoneWhenLong('is not taken from a file where the host does not allow it', async () => {
    const journey = await journeys.begin({ session: DOCUMENT_ONLY });
    await startWithDocument(journey);
    await chooseKind(journey, 'passport');
    expect(await journey.page.locator('input[type="file"]').count()).toBe(0);
    expect(await journey.page.getByRole('button', { name: 'Choose a photo instead' }).count()).toBe(0);
  });

  withZoneWhenLong.each([
    ['check_digit', 'The letters on it do not fit together'],
    ['no_birth', 'No date of birth on it'],
  ] as const)('that will not do is told why, and giving up has its code: %s', async (fault, heading) => {
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

  withZoneWhenLong('that has it all on one side is not turned over', async () => {
    const journey = await journeys.begin({
      session: { requirements: ['identity_document', 'face'] },
      camera: { document: await photographDocument(ownDocument('card_td2')) },
    });
    await startWithDocument(journey);
    await showDocument(journey, 'card');
    const told = await readOutcome(journey);
    expect(told).toMatchObject(PASSED);
    expect(told['result']).toMatchObject({ faceMatch: true, document: { type: 'identity_card', country: 'DEU' } });
    expect(journey.trail.filter((step) => /turnOver|fitZone/.test(step))).toEqual([]);
  });

  withZoneWhenLong('is asked for after the face, in Japanese, and its age is told as the host wants it', async () => {
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
    const told = await readOutcome(journey);
    // Of the two the document decides.
    expect(told).toMatchObject({ sessionStatus: 'AGE_BELOW_THRESHOLD', flowStatus: 'COMPLETED', errors: [] });
    expect(told['result']).toEqual({
      facialAgeEstimation: { thresholdResult: 'AGE_ABOVE_THRESHOLD' },
      documentAge: { thresholdResult: 'AGE_BELOW_THRESHOLD', exact: sitterAge() },
      document: PASSPORT,
      faceMatch: true,
      confidenceScore: expect.any(Number),
    });
  });

  withZoneWhenLong('alone is a card’s back side, for which no model of faces is fetched', async () => {
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
    const told = await readOutcome(journey);
    expect(told).toMatchObject(PASSED);
    expect(told['result']).toEqual({
      age: sitterAge(),
      documentAge: { thresholdResult: 'AGE_ABOVE_THRESHOLD', exact: sitterAge() },
      document: { ...PASSPORT, type: 'identity_card' },
    });
    expect(journey.trail.filter((step) => step.includes('fitPortrait') || step.includes('turnOver'))).toEqual([]);
    const models = sent.filter(({ url }) => url.includes('.onnx')).map(({ url }) => new URL(url).pathname);
    expect(models).toEqual([expect.stringMatching(/ocr-b/)]);
    expect(sent.filter(({ url }) => /zxing/.test(url))).toEqual([]);
  });

  withZoneWhenLong('on a screen is read, and the host is told what it looked like', async () => {
    // A grid coarse enough for the camera: finer ones pass (docs/how-a-check-works.md).
    const shown = { screen: 'monitor', camera: 'phone' } as const;
    const journey = await journeys.begin({
      session: DOCUMENT_ONLY,
      camera: { document: await photographDocument(ownDocument('passport', { how: 'on_screen', shown })) },
    });
    await startWithDocument(journey);
    await showDocument(journey, 'passport');
    const told = await readOutcome(journey);
    expect(told).toMatchObject(PASSED);
    expect(listDocumentFlags(told)).toEqual(['DOCUMENT_ON_SCREEN']);
    expect(told['riskEvaluation']).not.toMatchObject({ recommendation: 'ALLOW' });
  });

  withZoneWhenLong('with both sides is turned over when it is asked for, before the face', async () => {
    const journey = await journeys.begin({
      session: { requirements: ['identity_document', 'face'] },
      camera: { document: await photographDocument(ownDocument('card')) },
    });
    await startWithDocument(journey);
    await showDocument(journey, 'card');
    const told = await readOutcome(journey);
    expect(told).toMatchObject(PASSED);
    expect(told['result']).toMatchObject({ faceMatch: true, document: { type: 'identity_card', country: 'DEU' } });
    expect(await journey.camera.measure()).toMatchObject({ facing: ['environment', 'user'], isOff: true });
    expect(journey.trail).toContain('document_capture scan.gotIt');
  });

  withZoneWhenLong('is not asked for where the face is enough', async () => {
    const journey = await journeys.begin({
      session: { ageThreshold: 16, stepUpEnabled: true },
      camera: { document: await photographDocument(ownDocument('passport')) },
    });
    await journey.start();
    const told = await readOutcome(journey);
    expect(told).toMatchObject(PASSED);
    expect(told['result']).toEqual({ facialAgeEstimation: { thresholdResult: 'AGE_ABOVE_THRESHOLD' } });
    expect(journey.trail.filter((step) => step.startsWith('document'))).toEqual([]);
  });

  it.skipIf(!IS_LONG).each([
    ['licence_us', 'USA'],
    ['licence_ca', 'CAN'],
  ] as const)('that is a licence is read by its barcode, after the side with the photo: %s', async (kind, country) => {
    const journey = await journeys.begin({
      session: BOTH,
      camera: { document: await photographDocument(ownDocument(kind)) },
    });
    await journey.start();
    await showDocument(journey, 'licence');
    const told = await readOutcome(journey);
    expect(told).toMatchObject(PASSED);
    expect(told['result']).toMatchObject({ faceMatch: true, document: { type: 'driving_licence', country } });
    expect(journey.trail).toContain('document_capture scan.gotIt');
  });

  withZoneWhenLong('whose page is loaded anew begins again with the face, and still passes', async () => {
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
    const told = await readOutcome(journey);
    expect(told).toMatchObject(PASSED);
    expect(told['result']).toMatchObject({ faceMatch: true, document: PASSPORT });
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
