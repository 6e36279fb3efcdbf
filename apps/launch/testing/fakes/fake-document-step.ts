// A document step on fakes, with scripted frames, files and choices.
import type { DocumentLight } from '@limen/light';
import type { LogEntry } from '@limen/plan';
import { CameraError, type CameraObstacle } from '../../src/camera/open-camera.ts';
import type { Screen } from '../../src/course/screens.ts';
import type { DocumentReport, DocumentWish } from '../../src/document/kinds.ts';
import { createColorChoice } from '../../src/flow/colour-choice.ts';
import { createInbox } from '../../src/flow/waiting/person-input.ts';
import { runDocumentStep } from '../../src/steps/document/document-step.ts';
import type { KnownLight } from '../../src/steps/document/light-document.ts';
import type { DocumentChoice, DocumentStepOptions } from '../../src/steps/document/scan-document.ts';
import { DOCUMENT_STEP } from './fake-documents.ts';
import { settle, untilTrue } from './fake-flow.ts';

export const FRAME_MS = 250;
export const CARD = { choice: 'kind', kind: 'card' } as const;
export const CAMERA = { choice: 'camera' } as const;
export const FILE: DocumentChoice = { choice: 'file', file: new Blob(['a picture']) };
export const AGAIN = { choice: 'again' } as const;
export const OTHER = { choice: 'other' } as const;

interface Options extends Partial<Pick<DocumentStepOptions, 'step'> & DocumentStepOptions['course']> {
  wantsPortrait?: boolean;
  /** Frames of the camera. The last one repeats. */
  frames?: DocumentReport[];
  files?: (DocumentReport | Error)[];
  /** Known light of the open camera; by default none. */
  light?: KnownLight;
  /** Whether light frames show the last document. The last value repeats. */
  alike?: boolean[];
  /** Results of the light rounds. The last one repeats. */
  lights?: DocumentLight[];
  /** Camera errors, one per open. */
  obstacles?: CameraObstacle[];
}

export function startDocumentStep({
  frames = [],
  files = [],
  obstacles = [],
  light,
  alike = [],
  lights = ['reflects'],
  step = DOCUMENT_STEP,
  standing,
  failedTries = 0,
  wantsPortrait = false,
}: Options = {}) {
  const colors = createColorChoice(false);
  const judged: { colours: readonly string[]; faceResponse: number }[] = [];
  let isAlike = true;
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
    step,
    course: { index: 1, standing, failedTries, record: (event, index) => void log.push([event, index]) },
    wish: { wantsPortrait, today: '2026-03-01' },
    person: {
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
      async readPicture() {
        const found = files.shift()!;
        if (found instanceof Error) throw found;
        return found as unknown as ImageBitmap;
      },
    },
    camera: {
      async open() {
        const obstacle = obstacles.shift();
        if (obstacle) throw new CameraError(obstacle);
        opened += 1;
        isOn = true;
      },
      close() {
        isOn = false;
      },
      async nextFrame() {
        control.signal.throwIfAborted();
        // Takes a turn of the event loop, like a camera.
        await new Promise((resolve) => setImmediate(resolve));
        now += FRAME_MS;
        last = frames.shift() ?? last;
        const afterPause = nextIsAfterPause;
        nextIsAfterPause = false;
        return { image: last as unknown as ImageBitmap, afterPause };
      },
      now: () => now,
    },
    light: { known: () => light ?? null, colours: colors },
    eye: {
      begin: async (wish) => void wishes.push(wish),
      look: async (image) => image as unknown as DocumentReport,
      readFile: async (image) => image as unknown as DocumentReport,
      async light() {
        isAlike = alike.shift() ?? isAlike;
        return isAlike;
      },
      async judgeLight(shown, faceResponse) {
        judged.push({ colours: shown.map(({ colour: color }) => color), faceResponse });
        return (lights.length > 1 ? lights.shift() : lights[0])!;
      },
      forget() {
        forgotten += 1;
      },
    },
    show: (screen) => void screens.push(screen),
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
    colours: colors,
    /** Completed rounds of light. */
    judged,
    /** Number of pending choices. */
    waiting: () => waiting,
    pass(ms: number) {
      now += ms;
      nextIsAfterPause = true;
    },
    names: () => screens.map(({ name }) => name).filter((name, i, names) => name !== names[i - 1]),
    /** Makes each choice once its screen is shown. */
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
