// A document before the camera: how it is chosen, shown and read, how long that may take, and how often it is tried.
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
  test('a document is chosen, held, shown and read', async () => {
    const step = startDocumentStep({ frames: [seeSide('zone'), seeSide('zone', { progress: 0.5 }), findDocument()] });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    expect(await step.running).toEqual({ found: findDocument().outcome, fromFile: false });
    expect(step.names()).toEqual(['document', 'document_hold', 'document_capture']);
    expect(step.wishes).toEqual([{ kind: 'card', wantsPortrait: false, today: '2026-03-01' }]);
    expect(step.log).toEqual([['started', 1]]);
    expect(step.forgotten()).toBe(1);
  });

  test('nothing is turned on before somebody wants it', async () => {
    const step = startDocumentStep();
    await step.act(['document', CARD]);
    await settle();
    expect([step.opened(), step.names().at(-1)]).toEqual([0, 'document_hold']);
    step.control.abort('enough');
    await expect(step.running).rejects.toBe('enough');
    expect(step.forgotten()).toBe(1);
  });

  test('the other side is asked for with the camera on', async () => {
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

  test('the camera is off while the person reads what was wrong', async () => {
    const step = startDocumentStep({ frames: [seeSide('zone'), findProblem('expired')] });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    await untilTrue(() => step.names().at(-1) === 'document_problem');
    expect([step.opened(), step.isOn()]).toEqual([1, false]);
  });

  test('another kind may be chosen as often as one likes', async () => {
    const step = startDocumentStep({ frames: [findDocument()] });
    for (let i = 0; i < 5; i += 1) await step.act(['document', CARD], ['document_hold', OTHER]);
    await step.act(['document', { choice: 'kind', kind: 'passport' }], ['document_hold', CAMERA]);
    await step.running;
    expect(step.wishes.at(-1)).toMatchObject({ kind: 'passport' });
    expect(step.log).toEqual([['started', 1]]);
  });

  test('what does not belong to a screen is not heard there', async () => {
    const step = startDocumentStep({ frames: [findDocument()] });
    await step.act(['document', CAMERA], ['document', AGAIN], ['document', CARD]);
    await step.act(['document_hold', AGAIN], ['document_hold', FILE], ['document_hold', CAMERA]);
    expect((await step.running).fromFile).toBe(false);
  });

  test('it says why it is asked for where the face was not enough', async () => {
    const step = startDocumentStep({ step: { ...DOCUMENT_STEP, when: 'face_below_threshold' } });
    await untilTrue(() => step.screens.length > 0);
    expect(step.screens[0]).toEqual({ name: 'document', isStepUp: true, canUsePhone: true });
    step.control.abort();
  });

  test.each([
    ['begun goes on: nothing of it has to be undone', 'running', []],
    ['finished, and lost with the page, begins again', 'finished', [['retried', 1]]],
  ] as const)('one that was %s', async (_, standing, log) => {
    const step = startDocumentStep({ standing });
    expect(step.log).toEqual(log);
    step.control.abort();
  });

  test('another kind may be wanted while it looks, with the camera off then and no try used up', async () => {
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

  test('what is read after another kind is wanted is not taken, and its face overwritten', async () => {
    const embedding = Float32Array.of(0.6, 0.8);
    const step = startDocumentStep({ frames: [seeSide('zone')] });
    await step.act(['document', CARD], ['document_hold', CAMERA], ['document_capture', AGAIN]);
    await step.act(['document_capture', OTHER]);
    step.frames.push(findDocument({ embedding }));
    await untilTrue(() => step.screens.at(-1)?.name === 'document');
    expect([step.frames.length, ...embedding]).toEqual([0, 0, 0]);
    step.control.abort();
  });

  test('nobody waits for another kind any more once it has looked', async () => {
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

describe('time', () => {
  test.each(['unreadable', 'check_digit', 'no_face'] as const)(
    'runs out after forty-five seconds of a side, with what was lacking: %s',
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

  test('begins anew with each side', async () => {
    const half = Array.from({ length: 150 }, () => seeSide('portrait'));
    const rest = Array.from({ length: 150 }, () => seeSide('zone'));
    const step = startDocumentStep({ frames: [...half, ...rest, findDocument()], wantsPortrait: true });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    expect((await step.running).found).toEqual(findDocument().outcome);
  });

  test('does not run while the page is out of sight, and goes on from where it was', async () => {
    const frames = Array.from({ length: 150 }, () => seeSide('zone'));
    const step = startDocumentStep({ frames });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    await untilTrue(() => frames.length === 20);
    step.pass(3_600_000);
    await untilTrue(() => step.screens.at(-1)?.name === 'document_problem');
    const looks = step.screens.filter(({ name }) => name === 'document_capture').length;
    // The frame after the pause counts nothing.
    expect(looks).toBe(45_000 / FRAME_MS + 2);
    step.control.abort();
  });

  test('does not run while no document is in view', async () => {
    const nothing = Array.from({ length: 500 }, () => seeSide('zone', { advice: 'none_seen' }));
    const something = Array.from({ length: 150 }, () => seeSide('zone', { advice: 'blur' }));
    const step = startDocumentStep({ frames: [...something, ...nothing, findDocument()] });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    expect((await step.running).found).toEqual(findDocument().outcome);
  });
});

describe('a problem', () => {
  test('leads to the same kind once more, or to another, and each try is told to the service', async () => {
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

  test('the third time is the last', async () => {
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

  test('is told to the service at once, so that a reload does not take it back', async () => {
    const step = startDocumentStep({ frames: [findProblem('unreadable')] });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    await untilTrue(() => step.screens.at(-1)?.name === 'document_problem');
    expect(step.log).toEqual([
      ['started', 1],
      ['retried', 1],
    ]);
    step.control.abort();
  });

  test('before the page was loaded again counts', async () => {
    const step = startDocumentStep({ standing: 'running', failedTries: 2, frames: [findProblem('unreadable')] });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    await expect(step.running).rejects.toMatchObject({ problem: 'document', isFinal: true });
    await expect(startDocumentStep({ failedTries: 3 }).running).rejects.toMatchObject({ problem: 'document' });
  });
});
