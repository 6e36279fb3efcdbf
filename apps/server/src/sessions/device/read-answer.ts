// Holds what a device answers of a face and a document against its plan. Both kinds of sessions ask for them.
import type { AgeDeviceAnswer, Indicators, SeenIndicators, VerificationDeviceAnswer } from '@limen/contract';
import {
  type DocumentPlanStep,
  type FacePlanStep,
  INDICATOR_GROUPS,
  type LightCourse,
  namesOf,
  type PlanStep,
  stepsDue,
} from '@limen/plan';
import type { AnswerCourse } from './flow.ts';
import { fitsLight } from './light.ts';

type DeviceAnswer = AgeDeviceAnswer | VerificationDeviceAnswer;

/** Returns undefined for an answer that does not fit the plan. Only the known fields of a step may be in it. */
export function readCaptures<Answer extends DeviceAnswer>(
  steps: readonly PlanStep[],
  answer: Answer,
  course: AnswerCourse,
) {
  const indicators = readIndicators(answer.indicators);
  if (indicators === undefined) return undefined;
  const { face }: DeviceAnswer = answer;
  // A spoof ends the capture where it was found. After it nothing else is of interest, and may not leave the device.
  const cutShort = face?.spoof === true;
  const positions = stepsDue(steps, face, course.begun);
  const due = positions.flatMap((position) => steps[position] ?? []);
  const faceStep = due.find((step) => step.step === 'face');
  const documentStep = cutShort ? undefined : due.find((step) => step.step === 'identity_document');
  if (!fitsFace(faceStep, face, course.light)) return undefined;
  if (!fitsDocument(documentStep, answer.document, faceStep !== undefined)) return undefined;
  const document = answer.document && holdInTime(answer.document, course);
  if (document === null) return undefined;
  return {
    face: answer.face as Answer['face'],
    document: document as Answer['document'],
    indicators,
    cameraSigns: answer.camera ?? [],
    /** Positions of the steps that had to run, in order. */
    stepsDue: positions,
    cutShort,
  };
}

/** `step` is undefined if the face was not due. */
function fitsFace(step: FacePlanStep | undefined, face: DeviceAnswer['face'], shown: LightCourse): boolean {
  if (!step || !face) return step === undefined && face === undefined;
  if (face.spoof) return true;
  if (!fitsLight(step.light, face.light, shown)) return false;
  if ('thresholdResult' in face) {
    // An estimate cannot be below the threshold if its lower bound is not.
    const tellsEstimate = face.estimateBelow !== undefined;
    return step.report === 'threshold' && (!tellsEstimate || face.thresholdResult === 'AGE_BELOW_THRESHOLD');
  }
  if (!('estimate' in face)) return step.report === 'none';
  // A bound above its own estimate was not made by the model.
  return step.report === 'age' && face.lowerBound <= face.estimate;
}

function fitsDocument(
  step: DocumentPlanStep | undefined,
  document: DeviceAnswer['document'],
  hasFace: boolean,
): boolean {
  if (!step || !document) return step === undefined && document === undefined;
  // Without a face there was nothing to compare with.
  if (document.matchScore !== null && !hasFace) return false;
  if (document.signs.includes('file') && !step.fromFile) return false;
  return step.report === ('thresholdResult' in document ? 'threshold' : 'age' in document ? 'age' : 'none');
}

interface Timed {
  /** ISO 8601 in UTC, to the second. */
  verifiedAt: string;
}

/**
 * With a time between the plan being served and the answer: it was read then, and the device's clock may have stood still
 * while the device slept. Null for what is no time. A clock of ours that was set back makes the two ends change places.
 */
export function holdInTime<T extends Timed>(document: T, { servedAt, answeredAt }: AnswerCourse): T | null {
  const at = Date.parse(document.verifiedAt);
  // The 30th of February has the right form too, and is read as a day in March.
  if (Number.isNaN(at) || toSecond(at) !== document.verifiedAt) return null;
  const [from, to] = [Math.min(servedAt, answeredAt), Math.max(servedAt, answeredAt)];
  return { ...document, verifiedAt: toSecond(Math.min(Math.max(at, from), to)) };
}

function toSecond(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** The names that were seen become a yes or no for each; undefined when one of them is not known. */
export function readIndicators(seen: SeenIndicators): Indicators | null | undefined {
  if (seen === null) return null;
  const read = INDICATOR_GROUPS.map((group) => {
    const [names, raised]: [string[], string[]] = [namesOf(group), seen[group]];
    const isKnown = raised.every((name) => names.includes(name));
    return isKnown && [group, Object.fromEntries(names.map((name) => [name, raised.includes(name)]))];
  });
  return read.every((group) => group !== false) ? Object.fromEntries(read) : undefined;
}
