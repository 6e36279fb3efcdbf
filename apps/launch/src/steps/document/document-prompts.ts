// Prompts of the screen while a document is in front of the camera.

import type { DocumentCaptureScreen } from '../../course/screens.ts';
import type { DocumentAdvice, DocumentKind, DocumentReport, DocumentSide } from '../../document/kinds.ts';
import type { TextKey } from '../../i18n/index.ts';

/** Praise stays readable, then the person has time to turn the document over. */
const PRAISE_MS = 1_200;
const TURNING_MS = 5_000;
/** Findings fluctuate from frame to frame, so a fault must occur twice. */
const ENOUGH_FRAMES = 2;

const FIT: Readonly<Record<DocumentSide, TextKey>> = {
  data: 'scan.fitData',
  portrait: 'scan.fitPortrait',
  zone: 'scan.fitZone',
  barcode: 'scan.fitBarcode',
};

const FAULTS: Readonly<Record<Exclude<DocumentAdvice, 'none_seen'>, TextKey>> = {
  closer: 'scan.closer',
  farther: 'scan.farther',
  edges: 'scan.edges',
  glare: 'scan.glare',
  blur: 'scan.blur',
  dark: 'guide.tooDark',
};

type PromptWords = Pick<DocumentCaptureScreen, 'prompt' | 'tone'>;

export interface DocumentPrompter {
  /** Screen before the first frame. */
  first(): DocumentCaptureScreen;
  screen(report: DocumentReport, timeMs: number): DocumentCaptureScreen;
}

export function createDocumentPrompter(kind: DocumentKind, sides: readonly DocumentSide[], begin: DocumentSide) {
  let side = begin;
  let turnedAt = -Infinity;
  let last: DocumentAdvice | null = null;
  let repeated = 0;

  function choose({ advice, progress }: DocumentReport, time: number): PromptWords {
    repeated = advice === last ? repeated + 1 : 1;
    last = advice;
    const since = time - turnedAt;
    if (since < PRAISE_MS) return { prompt: 'scan.gotIt', tone: 'good' };
    if (progress > 0 && advice === null) return { prompt: 'scan.holdStill', tone: 'good' };
    if (since < TURNING_MS && progress === 0) return { prompt: 'scan.turnOver', tone: 'do' };
    const fault = advice === null || advice === 'none_seen' ? null : FAULTS[advice];
    if (fault && repeated >= ENOUGH_FRAMES) return { prompt: fault, tone: 'fix' };
    return { prompt: FIT[side], tone: 'do' };
  }

  const toScreen = (words: PromptWords, share: number): DocumentCaptureScreen => ({
    name: 'document_capture',
    kind,
    side,
    ...words,
    paused: false,
    progress: { number: Math.max(sides.indexOf(side), 0) + 1, total: sides.length, share },
  });

  return {
    first: () => toScreen({ prompt: FIT[side], tone: 'wait' }, 0),
    screen(report, time) {
      if (report.side !== side) turnedAt = time;
      side = report.side;
      return toScreen(choose(report, time), report.progress);
    },
  } satisfies DocumentPrompter;
}
