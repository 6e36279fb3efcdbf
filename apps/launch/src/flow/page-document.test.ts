import { describe, expect, test } from 'vitest';
import { ASKS } from '../../testing/fakes/fake-device-client.ts';
import { DOCUMENT_STEP, findDocument, findProblem } from '../../testing/fakes/fake-documents.ts';
import { FACE_STEP, settle } from '../../testing/fakes/fake-flow.ts';
import { createFakePage, type FakePage } from '../../testing/fakes/fake-page.ts';
import { GOOD } from '../../testing/fakes/fake-reports.ts';
import { act } from '../../testing/fakes/page-steps.ts';
import { CameraError } from '../camera/open-camera.ts';
import type { Asks } from '../course/screens.ts';

const asks: Asks = { ...ASKS, steps: ['identity_document'] };

async function startDocument(options: Parameters<typeof createFakePage>[0] = {}) {
  const page = createFakePage({ plan: { steps: [DOCUMENT_STEP] }, view: { asks }, ...options });
  await page.open();
  page.actions.start();
  await page.see('document');
  return page;
}

async function scan(page: FakePage): Promise<void> {
  await act(page, 'document_hold', page.actions.scanDocument);
}

describe('a document alone', () => {
  test('asks for the document type before the camera, and loads the models during that', async () => {
    const page = await startDocument();
    expect(page.names()).toEqual(['opening', 'welcome', 'document'].slice(1));
    expect(page.engine.loads.map(({ roles }) => roles)[0]).toEqual(['document_text']);
    expect(page.camera.opened).toBe(0);
  });

  test('reads a document and sends the outcome with the server’s time', async () => {
    const page = await startDocument();
    await act(page, 'document', () => page.actions.chooseDocument('passport'));
    await scan(page);
    page.camera.put(findDocument());
    await page.see('end', { how: 'done' });
    const document = page.client.submitted[0]?.document;
    expect(document?.verifiedAt).toMatch(/^2026-03-01T12:00:\d\dZ$/);
  });

  test('accepts the choice of a document once, however often the button is pressed', async () => {
    const page = await startDocument();
    await act(page, 'document', () => {
      page.actions.chooseDocument('passport');
      page.actions.chooseDocument('card');
    });
    await page.see('document_hold', { kind: 'passport' });
  });

  test('allows another document, or a file if the plan allows it', async () => {
    const page = await startDocument({ plan: { steps: [{ ...DOCUMENT_STEP, fromFile: true }] } });
    await act(page, 'document', () => page.actions.chooseDocument('passport'));
    await act(page, 'document_hold', page.actions.otherDocument);
    await act(page, 'document', () => page.actions.chooseDocument('licence'));
    page.engine.findInFiles(findDocument());
    await act(page, 'document_hold', () => page.actions.useDocumentFile(new Blob()));
    await page.see('end', { how: 'done' });
    expect(page.engine.wishes.map(({ kind }) => kind)).toEqual(['passport', 'licence']);
  });

  test('ends the check after three failed reads and shows why', async () => {
    const page = await startDocument();
    await act(page, 'document', () => page.actions.chooseDocument('card'));
    for (const problem of ['unreadable', 'check_digit', 'expired'] as const) {
      await scan(page);
      page.camera.put(findProblem(problem));
      if (problem !== 'expired') await act(page, 'document_problem', page.actions.tryDocumentAgain);
    }
    await page.see('end', { how: 'unread' });
    expect(page.client.calls.at(-1)).toBe('cancel -23');
    expect([page.camera.running, page.engine.isClosed]).toEqual([0, true]);
  });

  test('reports a cancel code when given up after a problem, and none before', async () => {
    for (const [isAfter, call] of [
      [true, 'cancel -23'],
      [false, 'cancel'],
    ] as const) {
      const page = await startDocument();
      if (isAfter) {
        await act(page, 'document', () => page.actions.chooseDocument('card'));
        await scan(page);
        page.camera.put(findProblem('expired'));
        await page.see('document_problem');
        expect([page.camera.opened, page.camera.running]).toEqual([1, 0]);
      }
      page.cancel();
      await page.see('end', { how: 'cancelled' });
      expect(page.client.calls.at(-1)).toBe(call);
    }
  });

  test('can continue on a phone', async () => {
    const page = await startDocument({ isComputer: true });
    await act(page, 'document', page.actions.usePhone);
    await page.see('handoff', { state: 'code' });
    page.actions.goBack();
    await page.see('welcome');
  });
});

test('asks again for a missing camera within the step, or accepts a file', async () => {
  const page = await startDocument({ plan: { steps: [{ ...DOCUMENT_STEP, fromFile: true }] } });
  await act(page, 'document', () => page.actions.chooseDocument('licence'));
  page.camera.meet(new CameraError('missing'), new CameraError('busy'));
  await scan(page);
  await page.see('permission', { state: 'missing' });
  await settle();
  page.actions.askForCamera();
  await page.see('permission', { state: 'busy' });
  await settle();
  page.engine.findInFiles(findDocument());
  page.actions.useDocumentFile(new Blob());
  await page.see('end', { how: 'done' });
  expect(page.engine.wishes).toMatchObject([{ kind: 'licence' }]);
  expect(page.client.submitted[0]?.document?.signs).toEqual(['file']);
});

describe('a face after a document', () => {
  const steps = [{ ...DOCUMENT_STEP, fromFile: true }, FACE_STEP];

  test('explains the camera before a face that follows a document from a file', async () => {
    const page = await startDocument({ plan: { steps } });
    await act(page, 'document', () => page.actions.chooseDocument('passport'));
    page.engine.findInFiles(findDocument({ embedding: Float32Array.of(1, 0) }));
    await act(page, 'document_hold', () => page.actions.useDocumentFile(new Blob()));
    await page.see('permission', { state: 'explain' });
    await settle();
    expect(page.camera.opened).toBe(0);
    page.camera.put(...GOOD);
    page.actions.askForCamera();
    await page.see('end', { how: 'done' });
    expect(page.engine.wishes).toHaveLength(1);
  });

  test.each([
    ['by camera', false],
    ['from a file, with a camera that is allowed', true],
  ])('a face after a document %s needs no explanation', async (_, isAllowed) => {
    const page = await startDocument({ plan: { steps } });
    if (isAllowed) page.camera.allow();
    await act(page, 'document', () => page.actions.chooseDocument('passport'));
    const found = findDocument({ embedding: Float32Array.of(1, 0) });
    if (isAllowed) page.engine.findInFiles(found);
    else page.camera.put(found);
    await act(
      page,
      'document_hold',
      isAllowed ? () => page.actions.useDocumentFile(new Blob()) : page.actions.scanDocument,
    );
    await page.see('capture');
    page.camera.put(...GOOD);
    await page.see('end', { how: 'done' });
    expect(page.states.map(({ screen }) => screen)).not.toContainEqual({ name: 'permission', state: 'explain' });
  });
});

describe('after a camera that failed in the second step', () => {
  async function failInDocument() {
    const page = createFakePage({ plan: { steps: [FACE_STEP, DOCUMENT_STEP] } });
    const live = Float32Array.of(0.6, 0.8);
    page.engine.find({ embedding: live });
    page.camera.allow();
    await page.open();
    page.camera.put(...GOOD);
    page.actions.start();
    await act(page, 'document', () => page.actions.chooseDocument('passport'));
    await scan(page);
    await page.see('document_capture');
    await settle();
    page.camera.unplug();
    await page.see('problem', { problem: 'unplugged' });
    expect([...live]).not.toEqual([0, 0]);
    return { page, live };
  }

  test('continues with the document and does not log the face again', async () => {
    const { page, live } = await failInDocument();
    page.actions.retry();
    await act(page, 'document', () => page.actions.chooseDocument('passport'));
    await scan(page);
    page.camera.put(findDocument({ embedding: Float32Array.of(1, 0) }));
    await page.see('end', { how: 'done' });
    expect(page.client.calls.filter((call) => /record (started|retried|finished)/.test(call))).toEqual(
      ['started 0', 'finished 0', 'started 1'].map((call) => `record ${call}`),
    );
    expect(page.client.submitted[0]?.document?.matchScore).toBe(0.6);
    expect([...live]).toEqual([0, 0]);
  });

  test('wipes the findings when the person gives up', async () => {
    const { page, live } = await failInDocument();
    page.cancel();
    expect([...live]).toEqual([0, 0]);
    await page.see('end', { how: 'cancelled' });
  });

  test('wipes the findings when the session ends', async () => {
    const { page, live } = await failInDocument();
    page.client.change({ state: 'expired', end: { flowStatus: 'EXPIRED', errors: [-8] } });
    page.platform.pass(16 * 60_000);
    await page.see('end', { how: 'expired' });
    expect([...live]).toEqual([0, 0]);
  });

  test('wipes the findings when another device takes the session', async () => {
    const { page, live } = await failInDocument();
    page.actions.usePhone();
    await page.see('handoff', { state: 'code' });
    page.client.pushView({ role: 'follower' });
    await page.see('handoff', { state: 'following' });
    expect([...live]).toEqual([0, 0]);
  });
});

test.each(['document', 'document_hold', 'document_capture'] as const)(
  'giving up on the screen %s reports a code only after a failed try',
  async (name) => {
    for (const isAfter of [true, false]) {
      const page = await startDocument();
      if (isAfter) {
        await act(page, 'document', () => page.actions.chooseDocument('card'));
        await scan(page);
        page.camera.put(findProblem('expired'));
        await act(page, 'document_problem', page.actions.otherDocument);
      }
      if (name !== 'document') await act(page, 'document', () => page.actions.chooseDocument('passport'));
      if (name === 'document_capture') await scan(page);
      await page.see(name);
      page.cancel();
      await page.see('end', { how: 'cancelled' });
      expect(page.client.calls.at(-1)).toBe(isAfter ? 'cancel -23' : 'cancel');
    }
  },
);

test('takes the verification time from the server, even after the device slept', async () => {
  const page = createFakePage({ plan: { steps: [DOCUMENT_STEP] }, view: { asks } });
  await page.open();
  page.client.passOnServer(4 * 60_000);
  page.actions.start();
  await act(page, 'document', () => page.actions.chooseDocument('passport'));
  page.client.passOnServer(3 * 60_000);
  await scan(page);
  page.camera.put(findProblem('unreadable'));
  await act(page, 'document_problem', page.actions.tryDocumentAgain);
  await scan(page);
  page.camera.put(findDocument());
  await page.see('end', { how: 'done' });
  expect(page.client.submitted[0]?.document?.verifiedAt).toMatch(/^2026-03-01T12:07:\d\dZ$/);
});
