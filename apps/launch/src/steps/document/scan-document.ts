// Looks at a document through the camera until it is read, its time is over, or the person wants another one.
import type { DocumentLight } from '@limen/light';
import type { DocumentPlanStep } from '@limen/plan';
import type { Screen } from '../../course/screens.ts';
import type { DocumentKind, DocumentReport, DocumentSide, DocumentWish } from '../../document/kinds.ts';
import { wipe } from '../../models/wipe.ts';
import type { TakenFrame } from '../face/follow-person.ts';
import type { ColourWishes } from '../face/light-run.ts';
import type { StepCourse } from '../step-course.ts';
import { createDocumentPrompter } from './document-prompts.ts';
import { type KnownLight, type LightDocumentOptions, lightDocument } from './light-document.ts';

/** Choices that a person has on the screens of this step. */
export type DocumentChoice =
  | { choice: 'kind'; kind: DocumentKind }
  | { choice: 'camera' }
  | { choice: 'file'; file: Blob }
  | { choice: 'again' }
  | { choice: 'other' };

/** The part of the engine that the step needs. */
export interface DocumentEye {
  /** Once the models are there. */
  begin(wish: DocumentWish): Promise<void>;
  look(image: ImageBitmap): Promise<DocumentReport>;
  readFile(image: ImageBitmap): Promise<DocumentReport>;
  light: LightDocumentOptions['eye']['light'];
  judgeLight: LightDocumentOptions['eye']['judgeLight'];
  forget(): void;
}

export interface DocumentStepOptions {
  step: DocumentPlanStep;
  course: StepCourse & {
    /** By the log: a page that is loaded again gives no more tries. */
    failedTries: number;
  };
  /** Wishes for every document: whether a face is compared with the one on it, and today's date. */
  wish: Omit<DocumentWish, 'kind'>;
  eye: DocumentEye;
  camera: {
    open(): Promise<void>;
    /** Turned off while the person reads or chooses. */
    close(): void;
    nextFrame(): Promise<TakenFrame>;
    now(): number;
  };
  light: {
    /** Returns the known light in front of the open camera; null if nothing is known of it. */
    known(): KnownLight | null;
    /** Whether the screen may change its colour. */
    colours: ColourWishes;
  };
  person: {
    canUsePhone: boolean;
    /** Resolves with the person's next choice, unless a signal aborts first. */
    choose(...signals: readonly AbortSignal[]): Promise<DocumentChoice>;
    /** Rejects a file that is no picture, or too large. */
    readPicture(file: Blob): Promise<ImageBitmap>;
  };
  show(screen: Screen): void;
}

/** For one side, of a document in view. Read in three seconds where it can be read at all, so the rest is for holding it. */
const SIDE_MS = 45_000;

/** To the end of the last side: with the camera on, nobody has to press anything in between, but may want another kind. */
export async function scanDocument(
  options: DocumentStepOptions,
  kind: DocumentKind,
  sides: readonly DocumentSide[],
  begin: DocumentSide,
): Promise<DocumentReport | 'other'> {
  const { eye, camera, show } = options;
  const { nextFrame, now } = camera;
  await camera.open();
  const prompter = createDocumentPrompter(kind, sides, begin);
  show(prompter.first());
  const other = watchForOther(options);
  const spent = createSideClock(begin);
  let side = begin;
  const lit = new Set<DocumentSide>();
  let shines = false;
  try {
    for (;;) {
      const { image, afterPause } = await nextFrame();
      let report = await eye.look(image);
      const isRead = report.outcome ? 'signs' in report.outcome : report.side !== side;
      // A side that was read is still before the camera, and the other one may be something else.
      if (isRead && !lit.has(side) && !other.isWanted()) {
        lit.add(side);
        const read = report;
        const finding = await light(read).catch((error: unknown) => {
          wipe(read);
          throw error;
        });
        shines = finding === 'shines' || shines;
      }
      if (shines) report = addSign(report);
      side = report.side;
      if (other.isWanted()) {
        // What was read in the meantime is not wanted any more.
        wipe(report);
        return 'other';
      }
      if (report.outcome) return report;
      if (spent.add(report, now(), afterPause) >= SIDE_MS) return { ...report, outcome: { problem: report.lacking } };
      show(prompter.screen(report, now()));
    }
  } finally {
    other.stop();
  }

  /** On the side that was read, in whichever words come next. */
  async function light(report: DocumentReport): Promise<DocumentLight> {
    const known = options.light.known();
    if (!known) return 'unknown';
    const screen = prompter.screen({ ...report, side, progress: 1, advice: null }, now());
    const isOver = () => other.isWanted();
    return lightDocument({ known, colours: options.light.colours, screen, eye, isOver, nextFrame, show, now });
  }
}

function addSign(report: DocumentReport): DocumentReport {
  const { outcome } = report;
  if (!outcome || !('signs' in outcome) || outcome.signs.includes('screen')) return report;
  return { ...report, outcome: { ...outcome, signs: [...outcome.signs, 'screen'] } };
}

function watchForOther({ person }: DocumentStepOptions) {
  const over = new AbortController();
  let isWanted = false;
  const listen = async () => {
    while (!isWanted) isWanted = (await person.choose(over.signal)).choice === 'other';
  };
  // Rejects when the scan is over, and then nobody waits for it any more.
  listen().catch(() => undefined);
  return { isWanted: () => isWanted, stop: () => over.abort() };
}

/** How long a side was looked at. Where no document is in view, or nobody sees the page, no time passes. */
function createSideClock(begin: DocumentSide) {
  let side = begin;
  let spent = 0;
  let lastAt: number | null = null;
  return {
    add(report: DocumentReport, time: number, afterPause: boolean): number {
      if (report.side !== side) spent = 0;
      else if (lastAt !== null && !afterPause && report.advice !== 'none_seen') spent += time - lastAt;
      side = report.side;
      lastAt = time;
      return spent;
    },
  };
}
