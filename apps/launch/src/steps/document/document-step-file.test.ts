import { describe, expect, test } from 'vitest';
import { AGAIN, CAMERA, CARD, FILE, OTHER, startDocumentStep } from '../../../testing/fakes/fake-document-step.ts';
import { DOCUMENT_STEP, findDocument, seeSide } from '../../../testing/fakes/fake-documents.ts';
import { settle, untilTrue } from '../../../testing/fakes/fake-flow.ts';

describe('a file', () => {
  const step = { ...DOCUMENT_STEP, fromFile: true };

  test('is offered only if the plan allows it', async () => {
    for (const fromFile of [true, false]) {
      const one = startDocumentStep({ step: { ...step, fromFile } });
      await one.act(['document', CARD]);
      await untilTrue(() => one.names().at(-1) === 'document_hold');
      expect(one.screens.at(-1)).toMatchObject({ mayUseFile: fromFile });
      one.control.abort();
    }
  });

  test('is read without a camera, and reported as a file', async () => {
    const one = startDocumentStep({ step, files: [findDocument()] });
    await one.act(['document', CARD], ['document_hold', FILE]);
    expect((await one.running).fromFile).toBe(true);
    expect([one.opened(), one.names()]).toEqual([0, ['document', 'document_hold', 'working']]);
  });

  test('has one side; the other one is requested and may come from the camera', async () => {
    const one = startDocumentStep({ step, files: [seeSide('zone')], frames: [findDocument()], wantsPortrait: true });
    await one.act(['document', CARD], ['document_hold', FILE]);
    await settle();
    expect(one.screens.at(-1)).toMatchObject({ side: 'zone' });
    await one.act(['document_hold', CAMERA]);
    expect((await one.running).fromFile).toBe(true);
  });

  test('uses up no try if it is no picture, and does not mark the document as a file', async () => {
    const one = startDocumentStep({
      step,
      files: Array.from({ length: 4 }, () => new Error('no picture')),
      frames: [findDocument()],
    });
    await one.act(['document', CARD]);
    for (let i = 0; i < 4; i += 1) await one.act(['document_hold', FILE], ['document_problem', AGAIN]);
    await one.act(['document_hold', CAMERA]);
    expect((await one.running).fromFile).toBe(false);
    const problems = one.screens.filter(({ name }) => name === 'document_problem');
    expect(problems).toEqual(
      problems.map(() => ({ name: 'document_problem', problem: 'unusable_file', triesLeft: 3 })),
    );
    expect(problems).toHaveLength(4);
    expect(one.log).toEqual([['started', 1]]);
  });

  test('keeps the previous side if it is no picture, and allows another document type', async () => {
    const files = [seeSide('zone'), new Error('no picture'), new Error('no picture')];
    const one = startDocumentStep({ step, files, wantsPortrait: true });
    await one.act(['document', CARD], ['document_hold', FILE], ['document_hold', FILE], ['document_problem', AGAIN]);
    await untilTrue(() => one.names().at(-1) === 'document_hold');
    expect(one.screens.at(-1)).toMatchObject({ side: 'zone' });
    expect(one.wishes).toHaveLength(1);
    await one.act(['document_hold', FILE], ['document_problem', OTHER]);
    await untilTrue(() => one.names().at(-1) === 'document');
    one.control.abort();
  });
});

describe('an unavailable camera', () => {
  const step = { ...DOCUMENT_STEP, fromFile: true };

  test.each(['refused', 'missing', 'busy', 'insecure'] as const)('offers the file when it is %s', async (obstacle) => {
    const one = startDocumentStep({ step, files: [findDocument()], obstacles: [obstacle] });
    await one.act(['document', CARD], ['document_hold', CAMERA]);
    await untilTrue(() => one.names().at(-1) === 'permission');
    expect(one.screens.at(-1)).toEqual({ name: 'permission', state: obstacle, document: { mayUseFile: true } });
    await one.act(['permission', FILE]);
    expect((await one.running).fromFile).toBe(true);
    expect(one.log).toEqual([['started', 1]]);
  });

  test('is requested again with the same document type and sides', async () => {
    const files = [seeSide('zone')];
    const one = startDocumentStep({
      step,
      files,
      frames: [findDocument()],
      obstacles: ['busy', 'busy'],
      wantsPortrait: true,
    });
    await one.act(['document', CARD], ['document_hold', FILE], ['document_hold', CAMERA]);
    await one.act(['permission', AGAIN], ['permission', CAMERA], ['permission', CAMERA]);
    await one.running;
    expect(one.wishes).toHaveLength(1);
    expect(one.screens.at(-1)).toMatchObject({ name: 'document_capture', side: 'zone' });
    expect(one.isOn()).toBe(false);
  });

  test('leads from a file that is no picture back to the holding instructions', async () => {
    const one = startDocumentStep({ step, files: [new Error('no picture')], obstacles: ['missing'] });
    await one.act(['document', CARD], ['document_hold', CAMERA], ['permission', FILE], ['document_problem', AGAIN]);
    await untilTrue(() => one.names().at(-1) === 'document_hold');
    one.control.abort();
  });

  test('offers no file if the plan allows none', async () => {
    const one = startDocumentStep({ files: [findDocument()], frames: [findDocument()], obstacles: ['missing'] });
    await one.act(['document', CARD], ['document_hold', CAMERA]);
    await untilTrue(() => one.names().at(-1) === 'permission');
    expect(one.screens.at(-1)).toMatchObject({ document: { mayUseFile: false } });
    await one.act(['permission', FILE], ['permission', CAMERA]);
    expect((await one.running).fromFile).toBe(false);
  });
});
