// Reads what a device found: every field must be one that its plan asks for, and none may be missing.

import { AgeDeviceAnswer, type Indicators } from '@limen/contract';
import { type AgeReport, type CameraSign, type DocumentPlanStep, type PlanStep, stepsDue } from '@limen/plan';
import { compileCheck } from '../../../platform/json/compile-check.ts';
import { holdInTime } from '../../device/answer/hold-in-time.ts';
import { fitsLight } from '../../device/answer/light.ts';
import { readIndicators } from '../../device/answer/read-indicators.ts';
import type { AnswerCourse } from '../../device/flow.ts';
import type { DocumentAnswer, FaceAnswer } from '../rules.ts';

const isDeviceAnswer = compileCheck(AgeDeviceAnswer);

export interface ReadDeviceAnswer {
  face: FaceAnswer | undefined;
  document: DocumentAnswer | undefined;
  indicators: Indicators | null;
  cameraSigns: readonly CameraSign[];
  /** Positions of the steps that had to run, in order. */
  stepsDue: number[];
  /** A spoof ends the capture where it was found. */
  cutShort: boolean;
}

/** Undefined for anything that does not fit the plan. */
export function readDeviceAnswer(
  steps: readonly PlanStep[],
  answer: unknown,
  course: AnswerCourse,
): ReadDeviceAnswer | undefined {
  if (!isDeviceAnswer(answer)) return undefined;
  const indicators = readIndicators(answer.indicators);
  if (indicators === undefined) return undefined;
  const { face } = answer;
  const cutShort = face?.spoof === true;
  const positions = stepsDue(steps, face, course.begun);
  const due = positions.flatMap((position) => steps[position] ?? []);
  const faceStep = due.find((step) => step.step === 'face');
  // After a spoof nothing else is of interest, and what is not needed shall not leave the device.
  const documentStep = cutShort ? undefined : due.find((step) => step.step === 'identity_document');
  if (!fitsFace(faceStep?.report, face)) return undefined;
  if (face && !face.spoof && !fitsLight(faceStep?.light, face.light, course.light)) return undefined;
  if (!fitsDocument(documentStep, answer.document, faceStep !== undefined)) return undefined;
  const document = answer.document && holdInTime(answer.document, course);
  if (document === null) return undefined;
  return { face, document, indicators, cameraSigns: answer.camera ?? [], stepsDue: positions, cutShort };
}

/** `report` is undefined when the step was not due. */
function fitsFace(report: AgeReport | undefined, face: FaceAnswer | undefined): boolean {
  if (report === undefined || face === undefined) return report === undefined && face === undefined;
  if (face.spoof) return true;
  if ('thresholdResult' in face) {
    // What is not below by its bound cannot be below by more than that.
    const tellsEstimate = face.estimateBelow !== undefined;
    return report === 'threshold' && (!tellsEstimate || face.thresholdResult === 'AGE_BELOW_THRESHOLD');
  }
  // A bound above its own estimate was not made by the model.
  return report === 'age' && face.lowerBound <= face.estimate;
}

function fitsDocument(
  step: DocumentPlanStep | undefined,
  document: DocumentAnswer | undefined,
  hasFace: boolean,
): boolean {
  if (step === undefined || document === undefined) return step === undefined && document === undefined;
  // Without a face there was nothing to compare with.
  if (document.matchScore !== null && !hasFace) return false;
  if (document.signs.includes('file') && !step.fromFile) return false;
  return step.report === ('thresholdResult' in document ? 'threshold' : 'age');
}
