// Looks for a document through the camera until it is read, time runs out, or the person chooses
// another.
import type { DocumentLight } from '@limen/light';
import type { DocumentPlanStep } from '@limen/plan';
import type { Screen } from '../../course/screens.ts';
import type { DocumentKind, DocumentReport, DocumentSide, DocumentWish } from '../../document/kinds.ts';
import { wipe } from '../../models/wipe.ts';
import type { TakenFrame } from '../face/follow-person.ts';
import type { ColorWishes } from '../face/light-run.ts';
import type { StepCourse } from '../step-course.ts';
import { createDocumentPrompter } from './document-prompts.ts';
import { type KnownLight, type LightDocumentOptions, lightDocument } from './light-document.ts';

export type DocumentChoice =
  | { choice: 'kind'; kind: DocumentKind }
  | { choice: 'camera' }
  | { choice: 'file'; file: Blob }
  | { choice: 'again' }
  | { choice: 'other' };

/** Part of the engine that the step needs. */
export interface DocumentEye {
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
    /** Taken from the log, so that a reload grants no more tries. */
    failedTries: number;
  };
  /** Settings for every document: today's date, and whether its portrait is compared. */
  wish: Omit<DocumentWish, 'kind'>;
  eye: DocumentEye;
  camera: {
    open(): Promise<void>;
    /** Turns the camera off while the person reads or chooses. */
    close(): void;
    nextFrame(): Promise<TakenFrame>;
    now(): number;
  };
  light: {
    /** Returns what is known about the light for the open camera; null if nothing. */
    known(): KnownLight | null;
    /** Whether the screen may change its color. */
    colours: ColorWishes;
  };
  person: {
    canUsePhone: boolean;
    /** Resolves with the person's next choice, unless a signal aborts first. */
    choose(...signals: readonly AbortSignal[]): Promise<DocumentChoice>;
    /** Rejects a file that is no picture or too large. */
    readPicture(file: Blob): Promise<ImageBitmap>;
  };
  show(screen: Screen): void;
}

/** Limit for a side in view. Reading takes up to 3 s; the rest is for positioning. */
const SIDE_MS = 45_000;

/** Scans all sides. The person may choose another document type at any time. */
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
  const otherDocument = watchForOther(options);
  const spent = createSideClock(begin);
  let side = begin;
  const lit = new Set<DocumentSide>();
  let shines = false;
  try {
    for (;;) {
      const { image, afterPause } = await nextFrame();
      let report = await eye.look(image);
      const isRead = report.outcome ? 'signs' in report.outcome : report.side !== side;
      // Lights a side while it is still in front of the camera.
      if (isRead && !lit.has(side) && !otherDocument.isWanted()) {
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
      if (otherDocument.isWanted()) {
        // Discards a document read in the meantime.
        wipe(report);
        return 'other';
      }
      if (report.outcome) return report;
      if (spent.add(report, now(), afterPause) >= SIDE_MS) return { ...report, outcome: { problem: report.lacking } };
      show(prompter.screen(report, now()));
    }
  } finally {
    otherDocument.stop();
  }

  /** Lights the side that was read, under the current prompt. */
  async function light(report: DocumentReport): Promise<DocumentLight> {
    const known = options.light.known();
    if (!known) return 'unknown';
    const screen = prompter.screen({ ...report, side, progress: 1, advice: null }, now());
    const isOver = () => otherDocument.isWanted();
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
  // Rejects when the scan is over and no one waits for it.
  listen().catch(() => undefined);
  return { isWanted: () => isWanted, stop: () => over.abort() };
}

/** Measures how long a side was in view. Pauses while no document or no person is there. */
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
