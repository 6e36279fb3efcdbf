// Checks face and document in a device's answer against its plan, for both kinds of sessions.
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
import type { FinishedCourse } from './flow.ts';
import { fitsLight } from './light.ts';

type DeviceAnswer = AgeDeviceAnswer | VerificationDeviceAnswer;

/** Returns undefined for an answer that does not fit the plan. */
export function readCaptures<Answer extends DeviceAnswer>(
  steps: readonly PlanStep[],
  answer: Answer,
  course: FinishedCourse,
) {
  const indicators = readIndicators(answer.indicators);
  if (indicators === undefined) return undefined;
  const { face }: DeviceAnswer = answer;
  // A spoof ends the capture. No later finding may leave the device.
  const cutShort = face?.spoof === true;
  const positions = stepsDue(steps, face, course.begun);
  const due = positions.flatMap((position) => steps[position] ?? []);
  const faceStep = due.find((step) => step.step === 'face');
  const documentStep = cutShort ? undefined : due.find((step) => step.step === 'identity_document');
  if (!fitsFace(faceStep, face, course.light)) return undefined;
  if (!fitsDocument(documentStep, answer.document, faceStep !== undefined)) return undefined;
  const document = answer.document && clampVerifiedAt(answer.document, course);
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

function fitsFace(step: FacePlanStep | undefined, face: DeviceAnswer['face'], shown: LightCourse): boolean {
  if (!step || !face) return step === undefined && face === undefined;
  if (face.spoof) return true;
  if (!fitsLight(step.light, face.light, shown)) return false;
  if ('thresholdResult' in face) {
    // An estimate below the threshold has a lower bound below it.
    const tellsEstimate = face.estimateBelow !== undefined;
    return step.report === 'threshold' && (!tellsEstimate || face.thresholdResult === 'AGE_BELOW_THRESHOLD');
  }
  if (!('estimate' in face)) return step.report === 'none';
  // A bound above its own estimate was not made by the model.
  return step.report === 'age' && face.lowerBound <= face.estimate;
}

function fitsDocument(step: DocumentPlanStep | undefined, document: DeviceAnswer['document'], hasFace: boolean) {
  if (!step || !document) return step === undefined && document === undefined;
  if (document.matchScore !== null && !hasFace) return false;
  if (document.signs.includes('file') && !step.fromFile) return false;
  return step.report === ('thresholdResult' in document ? 'threshold' : 'age' in document ? 'age' : 'none');
}

/**
 * Clamps the time of the document to the time between plan and answer, because the device's clock may be wrong. Returns null if
 * it is not a time. If the server's clock was set back, the two ends change places.
 */
function clampVerifiedAt<T extends { verifiedAt: string }>(
  document: T,
  { servedAt, answeredAt }: FinishedCourse,
): T | null {
  const at = Date.parse(document.verifiedAt);
  // The 30th of February parses as a day in March.
  if (Number.isNaN(at) || toSecond(at) !== document.verifiedAt) return null;
  const [from, to] = [Math.min(servedAt, answeredAt), Math.max(servedAt, answeredAt)];
  return { ...document, verifiedAt: toSecond(Math.min(Math.max(at, from), to)) };
}

export function toSecond(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Turns the seen names into a boolean per indicator. Returns undefined for an unknown name. */
export function readIndicators(seen: SeenIndicators): Indicators | null | undefined {
  if (seen === null) return null;
  const read = INDICATOR_GROUPS.map((group) => {
    const [names, raised]: [string[], string[]] = [namesOf(group), seen[group]];
    const isKnown = raised.every((name) => names.includes(name));
    return isKnown && [group, Object.fromEntries(names.map((name) => [name, raised.includes(name)]))];
  });
  return read.every((group) => group !== false) ? Object.fromEntries(read) : undefined;
}
