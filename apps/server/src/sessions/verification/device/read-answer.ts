// Reads what a device found: every field must be one that its plan asks for, and none may be missing.

import { type Indicators, VerificationDeviceAnswer } from '@limen/contract';
import { type CameraSign, type PlanStep, stepsDue } from '@limen/plan';
import { compileCheck } from '../../../platform/json/compile-check.ts';
import { holdInTime } from '../../device/answer/hold-in-time.ts';
import { fitsLight } from '../../device/answer/light.ts';
import { readIndicators } from '../../device/answer/read-indicators.ts';
import type { AnswerCourse } from '../../device/flow.ts';
import type { VerificationAnswer } from '../rules.ts';

const isDeviceAnswer = compileCheck(VerificationDeviceAnswer);

export interface ReadVerificationAnswer {
  answer: VerificationAnswer;
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
  given: unknown,
  course: AnswerCourse,
): ReadVerificationAnswer | undefined {
  if (!isDeviceAnswer(given)) return undefined;
  const indicators = readIndicators(given.indicators);
  if (indicators === undefined) return undefined;
  const { face, contact } = given;
  const cutShort = face.spoof;
  // After a spoof nothing else is of interest, and what is not needed shall not leave the device.
  const positions = stepsDue(steps, face);
  const due = positions.flatMap((position) => steps[position] ?? []);
  if (!fitsFace(due, face, course.light) || !fitsDocument(due, given.document) || !fitsContact(due, contact))
    return undefined;
  const document = given.document && holdInTime(given.document, course);
  if (document === null) return undefined;
  const cameraSigns = given.camera ?? [];
  return { answer: { face, document, contact }, indicators, cameraSigns, stepsDue: positions, cutShort };
}

function fitsFace(
  due: readonly PlanStep[],
  face: VerificationDeviceAnswer['face'],
  shown: AnswerCourse['light'],
): boolean {
  const step = due.find((one) => one.step === 'face');
  if (!step || face.spoof) return step !== undefined;
  if (!fitsLight(step.light, face.light, shown)) return false;
  if (!('estimate' in face)) return step.report === 'none';
  // A bound above its own estimate was not made by the model.
  return step.report === 'age' && face.lowerBound <= face.estimate;
}

function fitsDocument(due: readonly PlanStep[], document: VerificationDeviceAnswer['document']): boolean {
  const step = due.find((one) => one.step === 'identity_document');
  if (!step || !document) return step === undefined && document === undefined;
  return step.fromFile || !document.signs.includes('file');
}

/** What the person left out is not there; what nobody asked for must not be. */
function fitsContact(due: readonly PlanStep[], contact: VerificationDeviceAnswer['contact']): boolean {
  const step = due.find((one) => one.step === 'contact');
  return (
    contact === undefined || (step !== undefined && Object.keys(contact).every((field) => includes(step.fields, field)))
  );
}

function includes(list: readonly string[], value: string): boolean {
  return list.includes(value);
}
