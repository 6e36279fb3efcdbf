import type { LogEntry } from '@limen/plan';
import { describe, expect, test } from 'vitest';
import { DOCUMENT_STEP, findDocument, findProblem, seeSide } from '../../../testing/fakes/fake-documents.ts';
import { settle, untilTrue } from '../../../testing/fakes/fake-flow.ts';
import { CameraError, type CameraObstacle } from '../../camera/open-camera.ts';
import type { Screen } from '../../course/screens.ts';
import type { DocumentReport, DocumentWish } from '../../document/kinds.ts';
import { createInbox } from '../../flow/waiting/inbox.ts';
import { type DocumentChoice, type DocumentStepOptions, runDocumentStep } from './document-step.ts';

const FRAME_MS = 250;
const CARD = { choice: 'kind', kind: 'card' } as const;
const CAMERA = { choice: 'camera' } as const;
const FILE: DocumentChoice = { choice: 'file', file: new Blob(['a picture']) };
const AGAIN = { choice: 'again' } as const;
const OTHER = { choice: 'other' } as const;

interface Options extends Partial<Pick<DocumentStepOptions, 'standing' | 'failedTries' | 'wantsPortrait' | 'step'>> {
  /** What the camera shows; the last of them for ever. */
  frames?: DocumentReport[];
  files?: (DocumentReport | Error)[];
  /** Of the camera, once each. */
  obstacles?: CameraObstacle[];
}

function start({ frames = [], files = [], obstacles = [], ...rest }: Options = {}) {
  const control = new AbortController();
  const inbox = createInbox<DocumentChoice>();
  const screens: Screen[] = [];
  const log: [LogEntry[0], number][] = [];
  const wishes: DocumentWish[] = [];
  let now = 1_000;
  let opened = 0;
  let isOn = false;
  let forgotten = 0;
  let waiting = 0;
  let nextIsAfterPause = false;
  let last: DocumentReport | undefined;
  const running = runDocumentStep({
    step: DOCUMENT_STEP,
    index: 1,
    standing: undefined,
    failedTries: 0,
    wantsPortrait: false,
    today: '2026-03-01',
    canUsePhone: true,
    choose(...signals) {
      const taken = inbox.take(control.signal, ...signals);
      const leave = () => {
        waiting -= 1;
      };
      waiting += 1;
      taken.then(leave, leave);
      return taken;
    },
    async openCamera() {
      const obstacle = obstacles.shift();
      if (obstacle) throw new CameraError(obstacle);
      opened += 1;
      isOn = true;
    },
    closeCamera() {
      isOn = false;
    },
    async nextFrame() {
      control.signal.throwIfAborted();
      // As a camera does: it takes a turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      now += FRAME_MS;
      last = frames.shift() ?? last;
      const afterPause = nextIsAfterPause;
      nextIsAfterPause = false;
      return { image: last as unknown as ImageBitmap, afterPause };
    },
    async readPicture() {
      const found = files.shift()!;
      if (found instanceof Error) throw found;
      return found as unknown as ImageBitmap;
    },
    eye: {
      begin: async (wish) => void wishes.push(wish),
      look: async (image) => image as unknown as DocumentReport,
      readFile: async (image) => image as unknown as DocumentReport,
      forget() {
        forgotten += 1;
      },
    },
    record: (event, index) => void log.push([event, index]),
    show: (screen) => void screens.push(screen),
    now: () => now,
    ...rest,
  });
  running.catch(() => undefined);
  return {
    running,
    screens,
    log,
    wishes,
    control,
    inbox,
    frames,
    files,
    opened: () => opened,
    isOn: () => isOn,
    forgotten: () => forgotten,
    /** Who waits for what the person does. */
    waiting: () => waiting,
    pass(ms: number) {
      now += ms;
      nextIsAfterPause = true;
    },
    names: () => screens.map(({ name }) => name).filter((name, i, all) => name !== all[i - 1]),
    /** What is done, each as soon as the screen for it is there. */
    async act(...acts: [Screen['name'], DocumentChoice][]) {
      for (const [name, choice] of acts) {
        await untilTrue(
          () => screens.at(-1)?.name === name,
          () => screens.at(-1),
        );
        await settle();
        inbox.put(choice);
      }
    },
  };
}

describe('with the camera', () => {
  test('a document is chosen, held, shown and read', async () => {
    const step = start({ frames: [seeSide('zone'), seeSide('zone', { progress: 0.5 }), findDocument()] });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    expect(await step.running).toEqual({ found: findDocument().outcome, fromFile: false });
    expect(step.names()).toEqual(['document', 'document_hold', 'document_capture']);
    expect(step.wishes).toEqual([{ kind: 'card', wantsPortrait: false, today: '2026-03-01' }]);
    expect(step.log).toEqual([['started', 1]]);
    expect(step.forgotten()).toBe(1);
  });

  test('nothing is turned on before somebody wants it', async () => {
    const step = start();
    await step.act(['document', CARD]);
    await settle();
    expect([step.opened(), step.names().at(-1)]).toEqual([0, 'document_hold']);
    step.control.abort('enough');
    await expect(step.running).rejects.toBe('enough');
    expect(step.forgotten()).toBe(1);
  });

  test('the other side is asked for with the camera on', async () => {
    const frames = [seeSide('portrait', { progress: 0.7 }), seeSide('zone'), findDocument()];
    const step = start({ frames, wantsPortrait: true });
    await step.act(['document', CARD]);
    await untilTrue(() => step.names().at(-1) === 'document_hold');
    expect(step.screens.at(-1)).toMatchObject({ side: 'portrait' });
    await step.act(['document_hold', CAMERA]);
    await step.running;
    expect(step.screens.at(-1)).toMatchObject({ name: 'document_capture', side: 'zone', prompt: 'scan.gotIt' });
    expect(step.names().filter((name) => name === 'document_hold')).toHaveLength(1);
  });

  test('the camera is off while the person reads what was wrong', async () => {
    const step = start({ frames: [seeSide('zone'), findProblem('expired')] });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    await untilTrue(() => step.names().at(-1) === 'document_problem');
    expect([step.opened(), step.isOn()]).toEqual([1, false]);
  });

  test('another kind may be chosen as often as one likes', async () => {
    const step = start({ frames: [findDocument()] });
    for (let i = 0; i < 5; i += 1) await step.act(['document', CARD], ['document_hold', OTHER]);
    await step.act(['document', { choice: 'kind', kind: 'passport' }], ['document_hold', CAMERA]);
    await step.running;
    expect(step.wishes.at(-1)).toMatchObject({ kind: 'passport' });
    expect(step.log).toEqual([['started', 1]]);
  });

  test('what does not belong to a screen is not heard there', async () => {
    const step = start({ frames: [findDocument()] });
    await step.act(['document', CAMERA], ['document', AGAIN], ['document', CARD]);
    await step.act(['document_hold', AGAIN], ['document_hold', FILE], ['document_hold', CAMERA]);
    expect((await step.running).fromFile).toBe(false);
  });

  test('it says why it is asked for where the face was not enough', async () => {
    const step = start({ step: { ...DOCUMENT_STEP, when: 'face_below_threshold' } });
    await untilTrue(() => step.screens.length > 0);
    expect(step.screens[0]).toEqual({ name: 'document', isStepUp: true, canUsePhone: true });
    step.control.abort();
  });

  test.each([
    ['begun goes on: nothing of it has to be undone', 'running', []],
    ['finished, and lost with the page, begins again', 'finished', [['retried', 1]]],
  ] as const)('one that was %s', async (_, standing, log) => {
    const step = start({ standing });
    expect(step.log).toEqual(log);
    step.control.abort();
  });

  test('another kind may be wanted while it looks, with the camera off then and no try used up', async () => {
    const step = start({ frames: [seeSide('zone', { progress: 0.5 })] });
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
    const step = start({ frames: [seeSide('zone')] });
    await step.act(['document', CARD], ['document_hold', CAMERA], ['document_capture', AGAIN]);
    await step.act(['document_capture', OTHER]);
    step.frames.push(findDocument({ embedding }));
    await untilTrue(() => step.screens.at(-1)?.name === 'document');
    expect([step.frames.length, ...embedding]).toEqual([0, 0, 0]);
    step.control.abort();
  });

  test('nobody waits for another kind any more once it has looked', async () => {
    const step = start({ frames: [seeSide('zone'), findProblem('expired'), findDocument()] });
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
      const step = start({ frames: [seeSide('zone', { lacking })] });
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
    const step = start({ frames: [...half, ...rest, findDocument()], wantsPortrait: true });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    expect((await step.running).found).toEqual(findDocument().outcome);
  });

  test('does not run while the page is out of sight, and goes on from where it was', async () => {
    const frames = Array.from({ length: 150 }, () => seeSide('zone'));
    const step = start({ frames });
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
    const step = start({ frames: [...something, ...nothing, findDocument()] });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    expect((await step.running).found).toEqual(findDocument().outcome);
  });
});

describe('a file', () => {
  const step = { ...DOCUMENT_STEP, fromFile: true };

  test('is offered only where the plan allows it', async () => {
    for (const fromFile of [true, false]) {
      const one = start({ step: { ...step, fromFile } });
      await one.act(['document', CARD]);
      await untilTrue(() => one.names().at(-1) === 'document_hold');
      expect(one.screens.at(-1)).toMatchObject({ mayUseFile: fromFile });
      one.control.abort();
    }
  });

  test('is read without a camera, and told', async () => {
    const one = start({ step, files: [findDocument()] });
    await one.act(['document', CARD], ['document_hold', FILE]);
    expect((await one.running).fromFile).toBe(true);
    expect([one.opened(), one.names()]).toEqual([0, ['document', 'document_hold', 'working']]);
  });

  test('has one side: the other is asked for, and may come from the camera', async () => {
    const one = start({ step, files: [seeSide('zone')], frames: [findDocument()], wantsPortrait: true });
    await one.act(['document', CARD], ['document_hold', FILE]);
    await settle();
    expect(one.screens.at(-1)).toMatchObject({ side: 'zone' });
    await one.act(['document_hold', CAMERA]);
    expect((await one.running).fromFile).toBe(true);
  });

  test('that is no picture is no try, however often, and no file of the document that is then read', async () => {
    const one = start({
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

  test('that is no picture leaves the side before it, and another kind may be chosen after it', async () => {
    const files = [seeSide('zone'), new Error('no picture'), new Error('no picture')];
    const one = start({ step, files, wantsPortrait: true });
    await one.act(['document', CARD], ['document_hold', FILE], ['document_hold', FILE], ['document_problem', AGAIN]);
    await untilTrue(() => one.names().at(-1) === 'document_hold');
    expect(one.screens.at(-1)).toMatchObject({ side: 'zone' });
    expect(one.wishes).toHaveLength(1);
    await one.act(['document_hold', FILE], ['document_problem', OTHER]);
    await untilTrue(() => one.names().at(-1) === 'document');
    one.control.abort();
  });
});

describe('a camera that cannot be had', () => {
  const step = { ...DOCUMENT_STEP, fromFile: true };

  test.each(['refused', 'missing', 'busy', 'insecure'] as const)(
    'because it is %s leaves the file',
    async (obstacle) => {
      const one = start({ step, files: [findDocument()], obstacles: [obstacle] });
      await one.act(['document', CARD], ['document_hold', CAMERA]);
      await untilTrue(() => one.names().at(-1) === 'permission');
      expect(one.screens.at(-1)).toEqual({ name: 'permission', state: obstacle, document: { mayUseFile: true } });
      await one.act(['permission', FILE]);
      expect((await one.running).fromFile).toBe(true);
      expect(one.log).toEqual([['started', 1]]);
    },
  );

  test('is asked for again with the kind and the sides as they were', async () => {
    const files = [seeSide('zone')];
    const one = start({ step, files, frames: [findDocument()], obstacles: ['busy', 'busy'], wantsPortrait: true });
    await one.act(['document', CARD], ['document_hold', FILE], ['document_hold', CAMERA]);
    await one.act(['permission', AGAIN], ['permission', CAMERA], ['permission', CAMERA]);
    await one.running;
    expect(one.wishes).toHaveLength(1);
    expect(one.screens.at(-1)).toMatchObject({ name: 'document_capture', side: 'zone' });
    expect(one.isOn()).toBe(false);
  });

  test('leaves a file that is no picture on its own: what is shown next is how to hold the document', async () => {
    const one = start({ step, files: [new Error('no picture')], obstacles: ['missing'] });
    await one.act(['document', CARD], ['document_hold', CAMERA], ['permission', FILE], ['document_problem', AGAIN]);
    await untilTrue(() => one.names().at(-1) === 'document_hold');
    one.control.abort();
  });

  test('leaves no file where the plan allows none', async () => {
    const one = start({ files: [findDocument()], frames: [findDocument()], obstacles: ['missing'] });
    await one.act(['document', CARD], ['document_hold', CAMERA]);
    await untilTrue(() => one.names().at(-1) === 'permission');
    expect(one.screens.at(-1)).toMatchObject({ document: { mayUseFile: false } });
    await one.act(['permission', FILE], ['permission', CAMERA]);
    expect((await one.running).fromFile).toBe(false);
  });
});

describe('a problem', () => {
  test('leads to the same kind once more, or to another, and each try is told to the service', async () => {
    const step = start({ frames: [findProblem('expired'), findProblem('check_digit'), findDocument()] });
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
    const step = start({ frames: [findProblem('unreadable')] });
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
    const step = start({ frames: [findProblem('unreadable')] });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    await untilTrue(() => step.screens.at(-1)?.name === 'document_problem');
    expect(step.log).toEqual([
      ['started', 1],
      ['retried', 1],
    ]);
    step.control.abort();
  });

  test('before the page was loaded again counts', async () => {
    const step = start({ standing: 'running', failedTries: 2, frames: [findProblem('unreadable')] });
    await step.act(['document', CARD], ['document_hold', CAMERA]);
    await expect(step.running).rejects.toMatchObject({ problem: 'document', isFinal: true });
    await expect(start({ failedTries: 3 }).running).rejects.toMatchObject({ problem: 'document' });
  });
});
