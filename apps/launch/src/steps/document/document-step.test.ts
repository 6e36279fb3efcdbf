// A document in front of the camera: choice, reading, time limits and tries.
import { describe, expect, test } from 'vitest';
import {
  AGAIN,
  CAMERA,
  CARD,
  FILE,
  FRAME_MS,
  OTHER,
  startDocumentStep,
} from '../../../testing/fakes/fake-document-step.ts';
import { DOCUMENT_STEP, findDocument, findProblem, seeSide } from '../../../testing/fakes/fake-documents.ts';
import { settle, untilTrue } from '../../../testing/fakes/fake-flow.ts';

describe('with the camera', () => {
  test('reads a document from the choice to the result', async () => {
    const step = startDocumentStep({ frames: [seeSide('zone'), seeSide('zone', { progress: 0.5 }), findDocument()] });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    expect(await step.running).toEqual({ found: findDocument().outcome, fromFile: false });
    expect(step.names()).toEqual(['document', 'document_hold', 'document_capture']);
    expect(step.wishes).toEqual([{ kind: 'card', wantsPortrait: false, today: '2026-03-01' }]);
    expect(step.log).toEqual([['started', 1]]);
    expect(step.forgotten()).toBe(1);
  });

  test('keeps the camera off until the person wants it', async () => {
    const step = startDocumentStep();
    await step.act(['document', CARD]);
    await settle();
    expect([step.opened(), step.names().at(-1)]).toEqual([0, 'document_hold']);
    step.control.abort('enough');
    await expect(step.running).rejects.toBe('enough');
    expect(step.forgotten()).toBe(1);
  });

  test('asks for the other side with the camera on', async () => {
    const frames = [seeSide('portrait', { progress: 0.7 }), seeSide('zone'), findDocument()];
    const step = startDocumentStep({ frames, wantsPortrait: true });
    await step.act(['document', CARD]);
    await untilTrue(() => step.names().at(-1) === 'document_hold');
    expect(step.screens.at(-1)).toMatchObject({ side: 'portrait' });
    await step.act(['document_hold', CAMERA]);
    await step.running;
    expect(step.screens.at(-1)).toMatchObject({ name: 'document_capture', side: 'zone', prompt: 'scan.gotIt' });
    expect(step.names().filter((name) => name === 'document_hold')).toHaveLength(1);
  });

  test('turns the camera off while a problem is shown', async () => {
    const step = startDocumentStep({ frames: [seeSide('zone'), findProblem('expired')] });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    await untilTrue(() => step.names().at(-1) === 'document_problem');
    expect([step.opened(), step.isOn()]).toEqual([1, false]);
  });

  test('allows any number of changes of the document type', async () => {
    const step = startDocumentStep({ frames: [findDocument()] });
    for (let i = 0; i < 5; i += 1) await step.act(['document', CARD], ['document_hold', OTHER]);
    await step.act(['document', { choice: 'kind', kind: 'passport' }], ['document_hold', CAMERA]);
    await step.running;
    expect(step.wishes.at(-1)).toMatchObject({ kind: 'passport' });
    expect(step.log).toEqual([['started', 1]]);
  });

  test('ignores choices that the screen does not have', async () => {
    const step = startDocumentStep({ frames: [findDocument()] });
    await step.act(['document', CAMERA], ['document', AGAIN], ['document', CARD]);
    await step.act(['document_hold', AGAIN], ['document_hold', FILE], ['document_hold', CAMERA]);
    expect((await step.running).fromFile).toBe(false);
  });

  test('explains why a document is needed if the face was not enough', async () => {
    const step = startDocumentStep({ step: { ...DOCUMENT_STEP, when: 'face_below_threshold' } });
    await untilTrue(() => step.screens.length > 0);
    expect(step.screens[0]).toEqual({ name: 'document', isStepUp: true, canUsePhone: true });
    step.control.abort();
  });

  test.each([
    ['running, and continues without a retry', 'running', []],
    ['finished, but lost with the page, and restarts', 'finished', [['retried', 1]]],
  ] as const)('handles a step that was %s', async (_, standing, log) => {
    const step = startDocumentStep({ standing });
    expect(step.log).toEqual(log);
    step.control.abort();
  });

  test('allows another document type during the scan, which turns the camera off and uses up no try', async () => {
    const step = startDocumentStep({ frames: [seeSide('zone', { progress: 0.5 })] });
    await step.act(['document', CARD], ['document_hold', CAMERA], ['document_capture', AGAIN]);
    await step.act(['document_capture', OTHER]);
    await untilTrue(() => step.screens.at(-1)?.name === 'document');
    expect([step.opened(), step.isOn(), step.log]).toEqual([1, false, [['started', 1]]]);
    step.frames.push(findProblem('expired'));
    await step.act(['document', { choice: 'kind', kind: 'passport' }], ['document_hold', CAMERA]);
    await untilTrue(() => step.screens.at(-1)?.name === 'document_problem');
    expect(step.screens.at(-1)).toMatchObject({ triesLeft: 2 });
    expect(step.wishes.map(({ kind }) => kind)).toEqual(['card', 'passport']);
    step.control.abort();
  });

  test('discards a document read after another type was requested, and wipes its face', async () => {
    const embedding = Float32Array.of(0.6, 0.8);
    const step = startDocumentStep({ frames: [seeSide('zone')] });
    await step.act(['document', CARD], ['document_hold', CAMERA], ['document_capture', AGAIN]);
    await step.act(['document_capture', OTHER]);
    step.frames.push(findDocument({ embedding }));
    await untilTrue(() => step.screens.at(-1)?.name === 'document');
    expect([step.frames.length, ...embedding]).toEqual([0, 0, 0]);
    step.control.abort();
  });

  test('stops listening for another type after the scan', async () => {
    const step = startDocumentStep({ frames: [seeSide('zone'), findProblem('expired'), findDocument()] });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    await untilTrue(() => step.screens.at(-1)?.name === 'document_problem');
    await settle();
    expect(step.waiting()).toBe(1);
    await step.act(['document_problem', AGAIN], ['document_hold', CAMERA]);
    await step.running;
    await settle();
    expect(step.waiting()).toBe(0);
  });
});

describe('the time limit', () => {
  test.each(['unreadable', 'check_digit', 'no_face'] as const)(
    'ends a side after forty-five seconds with its last problem: %s',
    async (lacking) => {
      const step = startDocumentStep({ frames: [seeSide('zone', { lacking })] });
      await step.act(['document', CARD], ['document_hold', CAMERA]);
      await untilTrue(() => step.screens.at(-1)?.name === 'document_problem');
      expect(step.screens.at(-1)).toEqual({ name: 'document_problem', problem: lacking, triesLeft: 2 });
      const looks = step.screens.filter(({ name }) => name === 'document_capture').length;
      expect(looks).toBe(45_000 / FRAME_MS + 1);
      step.control.abort();
    },
  );

  test('restarts with each side', async () => {
    const half = Array.from({ length: 150 }, () => seeSide('portrait'));
    const rest = Array.from({ length: 150 }, () => seeSide('zone'));
    const step = startDocumentStep({ frames: [...half, ...rest, findDocument()], wantsPortrait: true });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    expect((await step.running).found).toEqual(findDocument().outcome);
  });

  test('pauses while the page is hidden, and continues afterwards', async () => {
    const frames = Array.from({ length: 150 }, () => seeSide('zone'));
    const step = startDocumentStep({ frames });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    await untilTrue(() => frames.length === 20);
    step.pass(3_600_000);
    await untilTrue(() => step.screens.at(-1)?.name === 'document_problem');
    const looks = step.screens.filter(({ name }) => name === 'document_capture').length;
    // The frame after a pause does not count.
    expect(looks).toBe(45_000 / FRAME_MS + 2);
    step.control.abort();
  });

  test('pauses while no document is in view', async () => {
    const nothing = Array.from({ length: 500 }, () => seeSide('zone', { advice: 'none_seen' }));
    const something = Array.from({ length: 150 }, () => seeSide('zone', { advice: 'blur' }));
    const step = startDocumentStep({ frames: [...something, ...nothing, findDocument()] });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    expect((await step.running).found).toEqual(findDocument().outcome);
  });
});

describe('a problem', () => {
  test('leads to the same or another document type, and reports each try to the service', async () => {
    const step = startDocumentStep({ frames: [findProblem('expired'), findProblem('check_digit'), findDocument()] });
    await step.act(['document', CARD], ['document_hold', CAMERA], ['document_problem', AGAIN]);
    await step.act(['document_hold', CAMERA], ['document_problem', OTHER]);
    await step.act(['document', { choice: 'kind', kind: 'licence' }], ['document_hold', CAMERA]);
    await step.running;
    expect(step.wishes.map(({ kind }) => kind)).toEqual(['card', 'card', 'licence']);
    expect(step.screens.filter(({ name }) => name === 'document_problem')).toEqual([
      { name: 'document_problem', problem: 'expired', triesLeft: 2 },
      { name: 'document_problem', problem: 'check_digit', triesLeft: 1 },
    ]);
    expect(step.log).toEqual([
      ['started', 1],
      ['retried', 1],
      ['retried', 1],
    ]);
  });

  test('ends the step the third time', async () => {
    const step = startDocumentStep({ frames: [findProblem('unreadable')] });
    for (let i = 0; i < 2; i += 1) {
      await step.act([i === 0 ? 'document' : 'document_hold', i === 0 ? CARD : CAMERA]);
      if (i === 0) await step.act(['document_hold', CAMERA]);
      await step.act(['document_problem', AGAIN]);
    }
    await step.act(['document_hold', CAMERA]);
    await expect(step.running).rejects.toMatchObject({ problem: 'document', isFinal: true });
    expect(step.forgotten()).toBe(1);
    expect(step.log.filter(([event]) => event === 'retried')).toHaveLength(3);
  });

  test('is reported at once, so that a reload does not undo it', async () => {
    const step = startDocumentStep({ frames: [findProblem('unreadable')] });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    await untilTrue(() => step.screens.at(-1)?.name === 'document_problem');
    expect(step.log).toEqual([
      ['started', 1],
      ['retried', 1],
    ]);
    step.control.abort();
  });

  test('counts from before a reload', async () => {
    const step = startDocumentStep({ standing: 'running', failedTries: 2, frames: [findProblem('unreadable')] });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    await expect(step.running).rejects.toMatchObject({ problem: 'document', isFinal: true });
    await expect(startDocumentStep({ failedTries: 3 }).running).rejects.toMatchObject({ problem: 'document' });
  });
});
