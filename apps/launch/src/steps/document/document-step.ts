// Runs the document step: the choice of the document, the instructions, and reading it from the
// camera or a file.
import { CameraError, type CameraObstacle } from '../../camera/open-camera.ts';
import {
  type DocumentFound,
  type DocumentKind,
  type DocumentProblem,
  type DocumentReport,
  type DocumentSide,
  listSides,
} from '../../document/kinds.ts';
import { recordStart } from '../step-course.ts';
import { StepProblem } from '../step-problem.ts';
import { type DocumentStepOptions, scanDocument } from './scan-document.ts';

export interface DocumentOutcome {
  found: DocumentFound;
  /** Whether any side came from a file. */
  fromFile: boolean;
}

const MAX_TRIES = 3;

/** Runs the step and records everything but its end. A running step continues after a reload. */
export async function runDocumentStep(options: DocumentStepOptions): Promise<DocumentOutcome> {
  const { eye } = options;
  const { index, failedTries, record } = options.course;
  try {
    recordStart(options.course);
    let kind: DocumentKind | null = null;
    for (let left = MAX_TRIES - failedTries; left > 0; ) {
      const attempt = await tryOnce(options, kind, left);
      if ('found' in attempt) return attempt;
      record('retried', index);
      left -= 1;
      if (left === 0) break;
      const wants = await askAfterProblem(options, attempt.problem, left);
      kind = wants === 'again' ? attempt.kind : null;
    }
    throw new StepProblem('document', { isFinal: true });
  } finally {
    eye.forget();
  }
}

interface FailedTry {
  problem: DocumentProblem;
  kind: DocumentKind;
}

/** Changing the document type is unlimited, because a try starts only with a look at a document. */
async function tryOnce(
  options: DocumentStepOptions,
  known: DocumentKind | null,
  triesLeft: number,
): Promise<DocumentOutcome | FailedTry> {
  for (let kind = known; ; ) {
    kind ??= await chooseKind(options);
    const attempt = await readDocument(options, kind, triesLeft);
    if (attempt !== 'other') return attempt;
    kind = null;
  }
}

async function chooseKind({ step, person, show }: DocumentStepOptions): Promise<DocumentKind> {
  show({ name: 'document', isStepUp: step.when !== 'always', canUsePhone: person.canUsePhone });
  for (;;) {
    const made = await person.choose();
    if (made.choice === 'kind') return made.kind;
  }
}

async function readDocument(
  options: DocumentStepOptions,
  kind: DocumentKind,
  triesLeft: number,
): Promise<DocumentOutcome | FailedTry | 'other'> {
  const { step, wish, eye, show } = options;
  const { canUsePhone, choose } = options.person;
  const sides = listSides({ ...wish, kind });
  await eye.begin({ ...wish, kind });
  let fromFile = false;
  let obstacle: CameraObstacle | null = null;
  for (let side = sides[0]!; ; ) {
    const mayUseFile = step.fromFile;
    if (obstacle) show({ name: 'permission', state: obstacle, document: { mayUseFile } });
    else show({ name: 'document_hold', kind, side, mayUseFile, canUsePhone });
    const made = await choose();
    if (made.choice === 'other') return 'other';
    if (made.choice !== 'camera' && !(made.choice === 'file' && step.fromFile)) continue;
    const report =
      made.choice === 'file' ? await readFile(options, made.file) : await useCamera(options, kind, sides, side);
    if (report === 'other') return 'other';
    obstacle = report instanceof CameraError ? report.obstacle : null;
    if (report instanceof CameraError) continue;
    if (report === 'unusable_file') {
      // Nothing was analyzed, so it is no try, and the known sides stay.
      if ((await askAfterProblem(options, report, triesLeft)) === 'other') return 'other';
      continue;
    }
    if (made.choice === 'file') fromFile = true;
    const { outcome } = report;
    if (outcome) return 'problem' in outcome ? { problem: outcome.problem, kind } : { found: outcome, fromFile };
    // A picture has one side, so ask for the next one.
    side = report.side;
  }
}

/** Returns an obstacle of the camera, which the person may fix or avoid with a file. */
async function useCamera(
  options: DocumentStepOptions,
  ...scan: [kind: DocumentKind, sides: readonly DocumentSide[], begin: DocumentSide]
): Promise<DocumentReport | CameraError | 'other'> {
  try {
    return await scanDocument(options, ...scan);
  } catch (error) {
    if (error instanceof CameraError) return error;
    throw error;
  } finally {
    options.camera.close();
  }
}

async function readFile({ eye, person, show }: DocumentStepOptions, file: Blob) {
  show({ name: 'working', doing: 'reading', offline: false });
  let picture: ImageBitmap;
  try {
    picture = await person.readPicture(file);
  } catch {
    return 'unusable_file' as const;
  }
  return eye.readFile(picture);
}

async function askAfterProblem(
  { show, person }: DocumentStepOptions,
  problem: DocumentProblem,
  triesLeft: number,
): Promise<'again' | 'other'> {
  show({ name: 'document_problem', problem, triesLeft });
  for (;;) {
    const { choice } = await person.choose();
    if (choice === 'again' || choice === 'other') return choice;
  }
}
